import type { BodyOf, FaceMessage, Routes, Stream, StreamEvent } from '@figurehead/contract';
import type { Figurehead } from './client.js';
import { canDrawPresenter, DrawnPresenter } from './drawn-presenter.js';
import { FigureheadError, isRefusal, NotFoundError } from './errors.js';
import { outcomeOf } from './events.js';
import { type LiveStreamStats, readLiveStats } from './live-stream-stats.js';
import { type SoundOptions, type SoundPiece, sendSound } from './sound-pieces.js';
import { speakPieces, type TextInPieces } from './text-pieces.js';
import { sleep } from './transport.js';

/** An utterance on a stream. */
export interface Utterance extends TextInPieces {
  /**
   * Its end: `failed` when it could not be spoken (the event `speech.interrupted` has the reason), `closed` when the
   * stream ended first. Never rejects.
   */
  readonly finished: Promise<'spoken' | 'interrupted' | 'failed' | 'closed'>;
}

type EndedBy = 'client' | 'server' | 'connection';

/** Events of a stream: the messages of the data channel `events`, and two of the client's own. */
export type LiveStreamEvents = {
  readonly [T in StreamEvent['type']]: StreamEvent;
} & {
  /** The WebRTC connection's state changed. */
  readonly connection: RTCPeerConnectionState;
  /** The page turned out unable to draw the presenter: the video shows it from now on. */
  readonly video: { readonly reason: string };
  /**
   * The stream has ended; emitted once, with a readable `reason`, and `by` which side: `connection` when it was lost.
   */
  readonly closed: { readonly reason: string; readonly by: EndedBy };
};

/** Options of {@link LiveStream.open}, including those of `POST /streams`. */
export interface LiveStreamOptions extends NonNullable<BodyOf<Routes['createStream']>> {
  /** Element that plays picture and sound. Give it `autoplay` and `playsinline`; sound needs a click on the page first. */
  readonly video?: HTMLMediaElement;
  /**
   * Canvas on which the page draws the presenter, over `video`, which plays the sound. Used with `drawing: 'auto'` where the page can draw as fast as
   * it decodes video, and with `drawing: 'viewer'` wherever it can. When it cannot, the event `video` says that `video` has the picture.
   */
  readonly canvas?: HTMLCanvasElement;
  /**
   * The viewer's microphone, for streams with `agentId`: a track of the page, which stays open at the end, or `true`, which asks the viewer for
   * one with echo cancellation and stops it at the end. It may be muted by `track.enabled`.
   */
  readonly microphone?: MediaStreamTrack | boolean;
  /**
   * Functions that the agent's tools call, by name. They get the arguments as parsed JSON, which matches the `parameters` of the tool; the model
   * reads what they return, or their error.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the agent's schema types them, and callers may annotate them
  readonly tools?: Readonly<Record<string, (args: any) => unknown>>;
  /** Aborts the opening, and closes what was opened so far. */
  readonly signal?: AbortSignal;
  /** Time limit for connecting, milliseconds; 20 000 by default. */
  readonly connectTimeoutMs?: number;
  /** Replaces `new RTCPeerConnection(…)`. */
  readonly createPeerConnection?: (configuration: RTCConfiguration) => RTCPeerConnection;
}

const DEFAULT_CONNECT_TIMEOUT_MS = 20_000;
/** How long a connection may be interrupted before another one is offered: it often returns by itself. */
const PATIENCE_MS = 1000;
/** Pauses between attempts to connect again, and the time limit of each. The server closes a stream after 30 s without its viewer. */
const RECONNECT_PAUSES_MS = [500, 1000, 2000, 4000] as const;
const RECONNECT_MS = 5000;
/** How long the connection stays open for the server's answer to the closing call. */
const FAREWELL_MS = 2000;

type StreamCalls = Pick<
  Figurehead,
  | 'createStream'
  | 'answerStream'
  | 'reconnectStream'
  | 'addCandidate'
  | 'speak'
  | 'openUtterance'
  | 'appendText'
  | 'openSoundSocket'
  | 'readStream'
  | 'interrupt'
  | 'closeStream'
  | 'converse'
>;
type Outcome = Awaited<Utterance['finished']>;

/**
 * A live presenter in the browser (§3.3). {@link LiveStream.open} does the whole handshake; the caller closes.
 *
 * ```ts const stream = await LiveStream.open(figurehead, { avatarCode: 'clara', video }); await (await
 * stream.speak('Hello.')).finished; await stream.close(); ```
 */
export class LiveStream {
  readonly id: string;
  /** Text that the page shows over the presenter, such as `Made with AI`; the label of the workspace’s brand. */
  readonly aiLabel: string | undefined;
  /** The presenter's media: one video and one audio track, which are replaced when the stream connects again. */
  readonly media: MediaStream;

  readonly #calls: StreamCalls;
  readonly #video: HTMLMediaElement | undefined;
  readonly #createPeer: (configuration: RTCConfiguration) => RTCPeerConnection;
  #peer: RTCPeerConnection | undefined;
  #patience: ReturnType<typeof setTimeout> | undefined;
  #reconnecting: Promise<void> | undefined;
  /** Messages of the data channel so far; those of a second connection continue the count. */
  #received = 0;
  /** The presenter while the page draws it. */
  #drawn: DrawnPresenter | undefined;
  /** Why the page cannot draw it after all. */
  #needsVideo: string | undefined;
  readonly #tools: NonNullable<LiveStreamOptions['tools']>;
  /** The microphone; `isOwn` when it was opened here. */
  readonly #microphone: { readonly track: MediaStreamTrack; readonly isOwn: boolean } | undefined;
  readonly #listeners = new Map<keyof LiveStreamEvents, Set<(event: never) => void>>();
  readonly #waiting = new Map<string, (outcome: Outcome) => void>();
  /** Events that arrived before the caller of {@link LiveStream.open} could listen; undefined afterwards. */
  #unheard: StreamEvent[] | undefined = [];
  /** Outcomes that arrived before the answer to their own render call. */
  readonly #early = new Map<string, Outcome>();
  /** Candidates are sent one after another, in the order they were found. */
  #candidates: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  private constructor(
    calls: StreamCalls,
    stream: Stream,
    options: LiveStreamOptions,
    microphone: MediaStreamTrack | undefined,
  ) {
    this.#calls = calls;
    this.#tools = options.tools ?? {};
    this.#microphone = microphone && { track: microphone, isOwn: options.microphone === true };
    this.id = stream.id;
    this.aiLabel = stream.aiLabel;
    this.media = new MediaStream();
    this.#video = options.video;
    this.#drawn = this.#draw(stream, options);
    this.#createPeer = options.createPeerConnection ?? ((configuration) => new RTCPeerConnection(configuration));
    globalThis.addEventListener?.('online', this.#onOnline);
  }

  /** The connection, for statistics; another one after the viewer's network has changed. */
  get peer(): RTCPeerConnection {
    if (this.#peer === undefined) throw new Error('The stream is not connected yet.');
    return this.#peer;
  }

  /**
   * Creates a stream, connects, and resolves once the connection is up. No event is lost by listeners that are added at once then: earlier
   * ones, such as the beginning of an agent's greeting, follow.
   * @throws the error of the call that failed (a `QuotaError` without minutes, a `RateLimitError` without a free host),
   * or an `Error` when it cannot connect. Everything is closed then.
   */
  static async open(client: StreamCalls, options: LiveStreamOptions = {}): Promise<LiveStream> {
    const { video: _video, microphone, tools: _tools, signal, connectTimeoutMs, canvas, ...rest } = options;
    const { createPeerConnection: _create, drawing, ...settings } = rest;
    if (drawing === 'viewer' && canvas === undefined)
      throw new Error('LiveStream.open needs a canvas for `drawing: "viewer"`.');
    const isDrawn = drawing === 'viewer' || (drawing === 'auto' && canvas !== undefined && canDrawPresenter());
    const body = { ...settings, ...(isDrawn && { drawing }) };
    // Before the stream, so that a viewer who refuses it costs nothing.
    const track = microphone === true ? await openMicrophone() : microphone || undefined;
    // Not aborted: the answer names the stream that has to be closed.
    const created = await client.createStream({ body }).catch((error: unknown) => {
      if (microphone === true) track?.stop();
      throw error;
    });
    const stream = new LiveStream(client, created, options, track);
    try {
      await stream.#connect(created, signal, connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS);
      // A new task, which begins after the caller's code that follows `await LiveStream.open`.
      setTimeout(() => stream.#release());
      return stream;
    } catch (error) {
      await stream.close();
      throw error;
    }
  }

  /**
   * Speaks `text` (1 to 7000 characters) after the queued texts. Resolves when it is accepted, not when it is spoken. A text that arrives in
   * pieces, such as the answer of a language model, is spoken from its first clause on; `signal` ends it.
   */
  async speak(
    text: string | AsyncIterable<string>,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Utterance> {
    const { id: streamId } = this;
    if (typeof text === 'string') {
      const accepted = await this.#calls.speak({ streamId, body: { text } }, options);
      return { ...this.#follow(accepted), sent: Promise.resolve() };
    }
    const { sent, ...accepted } = await speakPieces(this.#calls, streamId, text, options);
    return { ...this.#follow(accepted), sent };
  }

  /** Speaks sound while it arrives, such as the answer of a voice model, after what is queued. Back-pressure as in `speakSoundPieces`. */
  async speakSound(sound: AsyncIterable<SoundPiece>, options: SoundOptions): Promise<Utterance> {
    const { sent, ...accepted } = await sendSound(this.#calls, this.id, sound, options);
    return { ...this.#follow(accepted), sent };
  }

  #follow({ id, position }: { id: string; position: number }): Omit<Utterance, 'sent'> {
    const early = this.#early.get(id) ?? (this.#closing ? 'closed' : undefined);
    this.#early.delete(id);
    const finished = new Promise<Outcome>((resolve) => {
      if (early) resolve(early);
      else this.#waiting.set(id, resolve);
    });
    return { id, position, finished };
  }

  /** The viewer's microphone; `enabled = false` mutes it. */
  get microphone(): MediaStreamTrack | undefined {
    return this.#microphone?.track;
  }

  /** Says something to the stream's agent in writing, instead of the microphone. It interrupts the answer. */
  async tell(text: string): Promise<void> {
    await this.#calls.converse({ streamId: this.id, body: { text } });
  }

  /** Presses or releases the button of push to talk, for streams with `turns: { isPushToTalk: true }`. Pressing it interrupts the answer. */
  async talk(isTalking: boolean): Promise<void> {
    await this.#calls.converse({ streamId: this.id, body: { isTalking } });
  }

  /**
   * Interrupts the current text, and drops queued ones unless `scope` is `current`. Has no effect when nothing plays.
   */
  interrupt(options: { readonly scope?: 'all' | 'current' } = {}): Promise<{ interrupted: boolean; dropped: number }> {
    return this.#calls.interrupt({ streamId: this.id, query: options });
  }

  /**
   * Statistics of this side of the connection. `readStreamStats` returns the server's side: synthesis, queue, drawing,
   * encoding.
   */
  async stats(): Promise<LiveStreamStats> {
    return readLiveStats(await this.peer.getStats());
  }

  /** Adds a listener. @returns a function that removes it. */
  on<T extends keyof LiveStreamEvents>(type: T, listener: (event: LiveStreamEvents[T]) => void): () => void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }

  /** Ends the stream here and on the server. Idempotent; later calls return the same promise. */
  close(): Promise<void> {
    return this.#end('closed by the client', 'client');
  }

  #draw(
    { drawing: files }: Stream,
    { canvas, width = 512, height = 512, background = '#ffffff', drawing }: LiveStreamOptions,
  ): DrawnPresenter | undefined {
    if (files === undefined || canvas === undefined) return undefined;
    const onUnable = (reason: string) => {
      if (this.#needsVideo !== undefined || this.#closing) return;
      this.#needsVideo = reason;
      // Before, the first connection is being made; `#release` follows it.
      if (this.#unheard === undefined) void this.#reconnect();
    };
    return new DrawnPresenter({ files, canvas, width, height, background, evenIfSlow: drawing === 'viewer', onUnable });
  }

  /** Makes a connection for an offer of the server. Handlers are set first, because a peer connection emits events as soon as it has a description. */
  #openPeer({ webrtcData }: Stream): { readonly peer: RTCPeerConnection; readonly tracks: MediaStreamTrack[] } {
    const peer = this.#createPeer({ iceServers: webrtcData.iceServers as RTCIceServer[] });
    const tracks: MediaStreamTrack[] = [];
    peer.ontrack = ({ track, receiver }) => {
      if (track.kind === 'video' && this.isDrawn) return;
      // As little as possible: buffering delays the sound by as much, and lets it continue after an interruption.
      receiver.jitterBufferTarget = 0;
      tracks.push(track);
      if (peer === this.#peer) this.#show(tracks);
    };
    let next = this.#received;
    peer.ondatachannel = ({ channel }) => {
      if (channel.label !== 'events') return;
      channel.onmessage = ({ data }) => {
        // What an interrupted connection delivers late after all comes twice.
        if (next++ === this.#received) this.#receive(data, peer);
      };
    };
    peer.onicecandidate = ({ candidate }) => this.#sendCandidate(candidate);
    return { peer, tracks };
  }

  #show(tracks: readonly MediaStreamTrack[]): void {
    for (const track of this.media.getTracks()) if (!tracks.includes(track)) this.media.removeTrack(track);
    for (const track of tracks) this.media.addTrack(track);
    if (this.#video && this.#video.srcObject !== this.media) this.#video.srcObject = this.media;
  }

  /** Connects as the server offers, for the first time or again: then the connection so far is replaced once the new one is up. */
  async #connect(offered: Stream, signal: AbortSignal | undefined, timeoutMs: number): Promise<void> {
    const { peer, tracks } = this.#openPeer(offered);
    const isFirst = this.#peer === undefined;
    if (isFirst) this.#use(peer);
    const connected = this.#connected(peer, signal, timeoutMs);
    // Awaited below; until then a failure must not count as unhandled.
    connected.catch(() => undefined);
    try {
      await peer.setRemoteDescription(offered.webrtcData.offer);
      await this.#sendMicrophone(peer);
      if (this.isDrawn) refuseVideo(peer);
      await peer.setLocalDescription(await peer.createAnswer());
      const sdp = peer.localDescription?.sdp ?? '';
      await this.#calls.answerStream(
        { streamId: this.id, body: { answer: { type: 'answer', sdp } } },
        signal ? { signal } : {},
      );
      await connected;
    } catch (error) {
      if (!isFirst) release(peer);
      throw error;
    }
    if (isFirst) return;
    if (this.#peer) release(this.#peer);
    this.#use(peer);
    this.#show(tracks);
    this.#emit('connection', peer.connectionState);
    if (this.#drawn === undefined || this.isDrawn) return;
    this.#drawn.close();
    this.#drawn = undefined;
    this.#emit('video', { reason: this.#needsVideo ?? '' });
  }

  /** The page draws the presenter, and needs no video. */
  get isDrawn(): boolean {
    return this.#drawn !== undefined && this.#needsVideo === undefined;
  }

  /** Follows the state of the connection that carries the media. */
  #use(peer: RTCPeerConnection): void {
    this.#peer = peer;
    let wasConnected = peer.connectionState === 'connected';
    peer.onconnectionstatechange = () => {
      const state = peer.connectionState;
      clearTimeout(this.#patience);
      this.#emit('connection', state);
      if (state === 'closed') void this.#end('the connection was closed', 'connection');
      else if (state === 'failed' && !wasConnected) void this.#end('the connection failed', 'connection');
      else if (state === 'failed') void this.#reconnect();
      else if (state === 'disconnected') this.#patience = setTimeout(() => void this.#reconnect(), PATIENCE_MS);
      wasConnected ||= state === 'connected';
    };
  }

  /** The old path may be dead before the browser notices it. */
  readonly #onOnline = () => {
    if (this.#unheard === undefined) void this.#reconnect();
  };

  /** Connects to the same stream again, over the network that the viewer has now. Speech and queue go on meanwhile. */
  #reconnect(): Promise<void> {
    this.#reconnecting ??= this.#tryToReconnect().finally(() => {
      this.#reconnecting = undefined;
    });
    return this.#reconnecting;
  }

  async #tryToReconnect(): Promise<void> {
    for (const pauseMs of [...RECONNECT_PAUSES_MS, 0]) {
      if (this.#closing) return;
      try {
        const signal = AbortSignal.timeout(RECONNECT_MS);
        const body = {
          received: this.#received,
          ...(this.#needsVideo !== undefined && { drawing: 'server' as const }),
        };
        const offered = await this.#calls.reconnectStream({ streamId: this.id, body }, { signal });
        return await this.#connect(offered, signal, RECONNECT_MS);
      } catch (error) {
        if (isRefusal(error)) break;
      }
      await sleep(pauseMs, undefined);
    }
    if (this.#peer?.connectionState !== 'connected') await this.#end('the connection failed', 'connection');
  }

  /** Sends the microphone where the offer receives one: on a stream with an agent. */
  async #sendMicrophone(peer: RTCPeerConnection): Promise<void> {
    if (this.#microphone === undefined) return;
    const sound = peer.getTransceivers().find(({ receiver }) => receiver.track.kind === 'audio');
    if (sound === undefined) return;
    sound.direction = 'sendrecv';
    await sound.sender.replaceTrack(this.#microphone.track);
  }

  #connected(peer: RTCPeerConnection, signal: AbortSignal | undefined, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        peer.removeEventListener('connectionstatechange', look);
        stop();
        if (error === undefined) resolve();
        else reject(error);
      };
      const abort = () => settle(signal?.reason);
      const timer = setTimeout(
        () => settle(new Error(`The stream did not connect within ${timeoutMs} ms (state: ${peer.connectionState}).`)),
        timeoutMs,
      );
      const look = () => {
        if (peer.connectionState === 'connected') settle();
        if (peer.connectionState === 'failed') settle(new Error('The connection failed.'));
      };
      peer.addEventListener('connectionstatechange', look);
      const stop = this.on('closed', ({ reason }) =>
        settle(new Error(`The stream ended before it connected: ${reason}.`)),
      );
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #sendCandidate(found: RTCIceCandidate | null): void {
    // Browsers end the candidates of a generation with an empty one, and all of them with null.
    if (found?.candidate === '') return;
    const candidate = found && {
      candidate: found.candidate,
      sdpMid: found.sdpMid,
      sdpMLineIndex: found.sdpMLineIndex,
      usernameFragment: found.usernameFragment,
    };
    this.#candidates = this.#candidates.then(async () => {
      if (this.#closing) return;
      await this.#calls.addCandidate({ streamId: this.id, body: { candidate } }).catch((error: unknown) => {
        // An intended end is reported on the data channel, so this stream was lost.
        if (error instanceof NotFoundError) void this.#end('the stream is gone', 'connection');
        // A single candidate failed; the connection's state shows whether the others work.
        return undefined;
      });
    });
  }

  #receive(data: unknown, peer: RTCPeerConnection): void {
    this.#received += 1;
    const event = readEvent(data);
    if (!event) return;
    if (event.type.startsWith('face.')) {
      const sound = peer.getReceivers().find(({ track }) => track.kind === 'audio');
      this.#drawn?.receive(event as unknown as FaceMessage, sound);
      return;
    }
    const outcome = outcomeOf(event);
    if (outcome !== undefined) this.#finish(event.id, outcome);
    if (this.#unheard) this.#unheard.push(event);
    else this.#emit(event.type, event);
    if (event.type === 'conversation.tool') void this.#callTool(event);
    if (event.type === 'stream.closing') void this.#end(event.reason ?? 'the server ended the stream', 'server');
  }

  #release(): void {
    const unheard = this.#unheard ?? [];
    this.#unheard = undefined;
    for (const event of unheard) this.#emit(event.type, event);
    if (this.#needsVideo !== undefined) void this.#reconnect();
  }

  /** Never rejects: a call that the server no longer waits for needs no result. */
  async #callTool({ id = '', name = '', arguments: given }: StreamEvent): Promise<void> {
    const tool = Object.hasOwn(this.#tools, name) ? this.#tools[name] : undefined;
    if (tool === undefined) return;
    let result: unknown;
    try {
      result = (await tool(given)) ?? null;
    } catch (error) {
      result = { error: error instanceof Error ? error.message : String(error) };
    }
    // Until it arrives, because no caller sees this call fail, and without it the agent says that the page gave no result.
    for (let pauseMs = 250; this.#closing === undefined; pauseMs = Math.min(2 * pauseMs, 4000)) {
      try {
        await this.#calls.converse({ streamId: this.id, body: { callId: id, result } });
        return;
      } catch (error) {
        if (isRefusal(error)) return;
      }
      await sleep(pauseMs, undefined);
    }
  }

  #finish(id: string | undefined, outcome: Outcome): void {
    if (id === undefined) return;
    const finish = this.#waiting.get(id);
    if (finish) {
      this.#waiting.delete(id);
      finish(outcome);
      return;
    }
    this.#early.set(id, outcome);
    // Outcomes of other callers' speech on the same stream are never requested; the oldest is dropped.
    const [oldest] = this.#early.keys();
    if (this.#early.size > 100 && oldest !== undefined) this.#early.delete(oldest);
  }

  #emit<T extends keyof LiveStreamEvents>(type: T, event: LiveStreamEvents[T]): void {
    for (const listener of [...(this.#listeners.get(type) ?? [])])
      (listener as (event: LiveStreamEvents[T]) => void)(event);
  }

  #end(reason: string, by: EndedBy): Promise<void> {
    this.#closing ??= this.#tearDown(reason, by);
    return this.#closing;
  }

  async #tearDown(reason: string, by: EndedBy): Promise<void> {
    clearTimeout(this.#patience);
    globalThis.removeEventListener?.('online', this.#onOnline);
    if (this.#peer) silence(this.#peer);
    this.#drawn?.close();
    if (this.#video?.srcObject === this.media) this.#video.srcObject = null;
    if (this.#microphone?.isOwn) this.#microphone.track.stop();
    for (const finish of this.#waiting.values()) finish('closed');
    this.#waiting.clear();
    // The call comes first: a server that sees the peer disconnect ends the stream itself, and the call would fail.
    const farewell = this.#candidates.then(() => (by === 'server' ? undefined : this.#closeThere()));
    await Promise.race([Promise.allSettled([farewell]), sleep(FAREWELL_MS, undefined)]);
    this.#peer?.close();
    // When this event is emitted the stream has ended on the server, if it was reachable.
    this.#emit('closed', { reason, by });
    await farewell;
  }

  async #closeThere(): Promise<void> {
    await this.#calls.closeStream({ streamId: this.id }).catch((error: unknown) => {
      // Already ended, or unreachable: the server ends a stream without a peer itself.
      if (!(error instanceof FigureheadError)) throw error;
    });
  }
}

/** The page draws the presenter itself. */
function refuseVideo(peer: RTCPeerConnection): void {
  for (const transceiver of peer.getTransceivers()) {
    if (transceiver.receiver.track.kind === 'video') transceiver.direction = 'inactive';
  }
}

function silence(peer: RTCPeerConnection): void {
  peer.ontrack = null;
  peer.ondatachannel = null;
  peer.onicecandidate = null;
  peer.onconnectionstatechange = null;
}

/** Closes a connection that another one replaces, or that was not made. */
function release(peer: RTCPeerConnection): void {
  silence(peer);
  peer.close();
}

/** Asks the viewer for the microphone, without the sound that the page plays. */
async function openMicrophone(): Promise<MediaStreamTrack | undefined> {
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
  const [track] = (await navigator.mediaDevices.getUserMedia({ audio })).getAudioTracks();
  return track;
}

/** A message of the data channel; unknown messages of later versions are passed on as well. */
function readEvent(data: unknown): StreamEvent | undefined {
  if (typeof data !== 'string') return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch {
    return undefined;
  }
  const { type } = (parsed ?? {}) as { type?: unknown };
  return typeof type === 'string' ? (parsed as StreamEvent) : undefined;
}
