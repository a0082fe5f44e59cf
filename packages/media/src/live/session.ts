import { randomInt } from 'node:crypto';
import type { FaceMessage } from '@figurehead/contract';
import { createLiveFace, type LiveFace, type PresenterState, stretchMessage } from '@figurehead/presenter/face';
import { placeSpeech } from '@figurehead/presenter/sound';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { Connection } from './connection.js';
import {
  type CloseReason,
  type IceCandidate,
  LiveError,
  type LiveEvent,
  type LiveRoom,
  type LiveSession,
  type LiveSessionOptions,
  type LiveState,
  type LiveStats,
  type Recording,
  type RoomLink,
  type Speak,
  type UntimedEvent,
  type UtteranceHandle,
  type ViewerSpeech,
} from './contract.js';
import { Microphone } from './microphone/microphone.js';
import type { VoiceActivity } from './microphone/voice-activity.js';
import { AudioSource, type SoundLink } from './playout/audio-source.js';
import { AUDIO_FRAME, MediaClock, type Scheduler } from './playout/media-clock.js';
import { type PlacedChunk, PlayoutQueue, type UtteranceTiming } from './playout/playout-queue.js';
import { Recorder } from './recorder.js';
import { SOUND_BITS } from './rtp/budget.js';
import { packetizeH264 } from './rtp/h264.js';
import { PICTURE_IDS, packetizeVp8 } from './rtp/vp8.js';
import { readCandidate } from './transport/candidate.js';
import type { ParsedAnswer } from './transport/sdp.js';
import type { TransportHub } from './transport/transport.js';
import { OPUS_DELAY, type VideoCodec } from './video/encoders.js';
import { hash, type IdleLoops } from './video/idle.js';
import type { Surface, SurfacePool } from './video/surface.js';
import { shownSize, VideoSource } from './video/video-source.js';

/*
 * offered ──(answer, candidates, ICE, DTLS)──▶ connected ──▶ closed
 *    └────────────(close, the connection cannot be made)──────▲
 * A connected peer counts as gone after GONE_MS without RTCP, and is back with its next report. `reconnect` offers another connection, which replaces
 * the first one when it is connected; speech, queue and clock go on meanwhile.
 */

/** Without RTCP for this long the peer counts as gone; ICE would only notice after 29 s. */
const GONE_MS = 8000;
/** After this long without the peer the session ends. */
const ABANDONED_MS = 30_000;
/** The first speech starts at least this long after the connection, because a player needs the time to start. */
const FIRST_SPEECH = 0.25 * SAMPLE_RATE;
/** Audio packets between two sender reports, statistics and checks for a silent peer. */
const SECOND = SAMPLE_RATE / AUDIO_FRAME;
/**
 * Additional sender reports of the first second, by audio packet: players synchronise two streams from the second report on, and check
 * once a second.
 */
const EARLY_REPORTS: readonly number[] = [5, 10, 25];
/** Latest events, which a connection sends again that the peer did not get: more than come in the {@link ABANDONED_MS} that it may be away. */
const MAX_EVENTS = 1000;
/** Time for the closing event to be sent before the transport closes. */
const FAREWELL_MS = 60;
/** Video bits per pixel and their bounds: more does not improve a talking face visibly. */
const BITS_PER_PIXEL = 0.14;
const VIDEO_BITS = { least: 250_000, most: 3_000_000, start: 700_000 } as const;
/** Consecutive encoder failures after which the session ends. */
const MAX_FAILURES = 5;

/** What all sessions of a host share. */
export interface HostServices {
  readonly hub: TransportHub;
  readonly surfaces: SurfacePool;
  readonly loops: IdleLoops;
  readonly scheduler: Scheduler;
  readonly openVoiceActivity: () => VoiceActivity;
  /** Receives errors that do not end a session. */
  readonly onWarning: (doing: string, error: unknown) => void;
}

/** State from the first answer to the end of a session. */
interface Media {
  readonly clock: MediaClock;
  readonly audioSource: AudioSource;
  /** Absent while the viewer draws, or where it shows no picture. */
  videoSource: VideoSource | undefined;
  readonly microphone: Microphone | undefined;
}

/** State from the first connection to the end. */
interface Running extends Media {
  readonly connectedMs: number;
}

/** A session; makes its offer when it is created. */
export class HostedSession implements LiveSession {
  readonly id: string;
  readonly closed: Promise<CloseReason>;
  readonly recorded: Promise<Recording | undefined>;
  readonly offer: string;
  private resolveClosed: (reason: CloseReason) => void = () => undefined;
  private current: LiveState = 'offered';
  /** Carries the media. */
  private connection: Connection;
  /** Offered as its replacement. */
  private next: Connection | undefined;
  private readonly face: LiveFace;
  /** Acquired before the connection: loading a presenter takes 0.1 s and would delay the first picture. Absent while the viewer draws. */
  private surface: Surface | undefined;
  /** The viewer may draw: {@link LiveSessionOptions.drawing}. */
  private drawing: LiveSessionOptions['drawing'];
  private readonly playout: PlayoutQueue;
  private readonly maxVideoBits: number;
  private readonly listeners = new Set<(event: LiveEvent) => void>();
  private readonly speechListeners = new Set<(event: ViewerSpeech) => void>();
  private readonly messageListeners = new Set<(text: string) => void>();
  /** The latest events as sent; `forgotten` were sent before them. */
  private readonly sent = { forgotten: 0, texts: [] as string[] };
  private media: Media | undefined;
  private running: Running | undefined;
  private recorder: Recorder | undefined;
  private ticks = 0;
  /** Its value when the peer was connected. */
  private connectedTick = 0;
  private failures = 0;
  private goneSinceMs: number | undefined;
  private connectedForMs: number | undefined;
  private latest: UtteranceTiming | undefined;
  private lateness = { audio: 0, video: 0 };
  private measured = {
    framesPerSecond: 0,
    encodeMs: 0,
    drawMs: 0,
    bitrate: 0,
    videoBitrate: 0,
    bytes: 0,
    videoBytes: 0,
    atMs: 0,
  };

  constructor(
    private readonly options: LiveSessionOptions,
    private readonly services: HostServices,
  ) {
    this.id = options.id;
    this.closed = new Promise((resolve) => {
      this.resolveClosed = resolve;
    });
    this.recorded = this.closed.then(() => this.recorder?.finish());
    // Avoids an unhandled rejection when the caller does not read it.
    this.recorded.catch(() => undefined);
    this.face = createLiveFace(hash(options.id), options.expression ?? 'friendly', options.pack.motion);
    const { width, height, fps } = options.picture;
    const wanted = width * height * Math.min(fps, 30) * BITS_PER_PIXEL;
    this.maxVideoBits = Math.round(Math.min(VIDEO_BITS.most, Math.max(VIDEO_BITS.least, wanted)));
    this.playout = new PlayoutQueue(
      {
        onPlaced: (placed) => this.animate(placed),
        onCut: (sample) => {
          this.face.cutAt(sample);
          this.showFace({ type: 'face.cut', sample });
        },
        onEvent: (event) => this.emit(event),
        onFailure: (id, error) => this.services.onWarning(`speaking utterance ${id} of session ${this.id}`, error),
        onBegun: (timing) => {
          this.latest = timing;
        },
      },
      { now: () => performance.now() },
    );
    this.drawing = options.drawing;
    this.connection = this.openConnection(0);
    this.offer = this.connection.offer;
    if (options.drawing === undefined) this.acquireSurface();
  }

  private acquireSurface(): Surface {
    const { pack, picture } = this.options;
    const { width, height, background } = picture;
    this.surface ??= this.services.surfaces.acquire({ pack, width, height, background });
    return this.surface;
  }

  get state(): LiveState {
    return this.current;
  }

  async answer(sdp: string): Promise<void> {
    if (this.current !== 'closed') (this.next ?? this.connection).acceptAnswer(sdp);
  }

  async acceptOffer(sdp: string): Promise<string> {
    if (this.current === 'closed') throw new LiveError('closed', 'the session is closed');
    return (this.next ?? this.connection).acceptOffer(sdp);
  }

  reconnect(receivedEvents = Number.POSITIVE_INFINITY, drawing?: 'server'): string {
    if (this.current === 'closed') throw new LiveError('closed', 'the session is closed');
    if (drawing === 'server') this.drawing = undefined;
    const offered = this.openConnection(receivedEvents);
    if (this.current === 'connected') {
      this.next?.close();
      this.next = offered;
    } else {
      this.connection.close();
      this.connection = offered;
    }
    return offered.offer;
  }

  async join(room: LiveRoom): Promise<void> {
    if (this.current === 'closed') throw new LiveError('closed', 'the session is closed');
    const opened: Connection[] = [];
    void room.left.then(() => {
      for (const connection of opened) this.onGone(connection, 'closed');
    });
    await room.join((iceServers, link) => {
      this.drawing = undefined;
      const connection = this.openConnection(Number.POSITIVE_INFINITY, { room: link, iceServers });
      // The latest first: it may not have replaced the one before.
      opened.unshift(connection);
      // The room takes the place of the viewer when it is connected.
      this.next?.close();
      this.next = connection;
      if (this.current === 'closed') connection.close();
      const { offer, trackIds } = connection;
      const { width, height } = this.acquireSurface();
      return {
        offer,
        trackIds,
        picture: { codec: this.codec ?? 'H264', width, height },
        acceptAnswer: (sdp) => connection.acceptAnswer(sdp),
        addCandidate: (candidate) => addCandidate(connection, candidate),
        sendData: (message) => connection.sendData(message),
      };
    });
  }

  addCandidate(candidate: IceCandidate | null): void {
    if (this.current !== 'closed') addCandidate(this.next ?? this.connection, candidate);
  }

  speak(id: string, speak: Speak): UtteranceHandle {
    const utterance = this.playout.speak(id, speak);
    this.running?.clock.catchUp();
    return utterance;
  }

  interrupt(scope: 'all' | 'current'): { interrupted: boolean; dropped: number } {
    return this.playout.interrupt(scope);
  }

  pause(): void {
    this.playout.hold();
  }

  resume(): void {
    this.playout.release();
  }

  setTalking(isTalking: boolean): void {
    this.media?.microphone?.setTalking(isTalking);
  }

  setAttention(state: Exclude<PresenterState, 'speaking'>): void {
    const sample = this.position;
    this.face.setState(state, sample);
    this.showFace({ type: 'face.state', state, sample });
    this.media?.videoSource?.setState(state, sample);
  }

  onEvent(listener: (event: LiveEvent) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  onViewerSpeech(listener: (event: ViewerSpeech) => void): () => void {
    this.speechListeners.add(listener);
    return () => void this.speechListeners.delete(listener);
  }

  onMessage(listener: (text: string) => void): () => void {
    this.messageListeners.add(listener);
    return () => void this.messageListeners.delete(listener);
  }

  sendMessage(text: string): void {
    this.connection.sendMessage(text);
  }

  tell(event: UntimedEvent): void {
    this.emit({ ...event, at: this.clockMs });
  }

  /** The present sample of the stream. */
  private get position(): number {
    this.running?.clock.catchUp();
    return this.running?.clock.position ?? 0;
  }

  private get clockMs(): number {
    return Math.round((this.position * 1000) / SAMPLE_RATE);
  }

  stats(): LiveStats {
    const { framesPerSecond, encodeMs, drawMs, bitrate, videoBitrate } = this.measured;
    return {
      state: this.current,
      codec: this.codec ?? null,
      framesPerSecond,
      encodeMs,
      drawMs,
      bitrate,
      videoBitrate,
      loss: this.connection.feedback?.loss ?? 0,
      roundTripMs: this.connection.feedback?.roundTripMs ?? null,
      firstSoundMs: this.latest?.firstSoundMs ?? null,
      synthesisMs: this.latest?.synthesisMs ?? null,
      queueMs: this.latest?.queueMs ?? null,
      ...(this.running?.videoSource?.size ?? (this.surface ? shownSize(this.surface) : sizeOf(this.options.picture))),
      speaking: this.playout.isSpeaking,
      avOffsetMs: this.lateness.video - this.lateness.audio,
      queued: this.playout.queued,
      connectedMs: this.connectedForMs ?? this.connectedUntil(this.goneSinceMs ?? performance.now()),
    };
  }

  async close(reason = 'requested'): Promise<void> {
    await this.end('requested', reason);
  }

  /** An error in one session must not end the others. */
  private guard(doing: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.services.onWarning(`${doing} in session ${this.id}`, error);
      void this.end('failed', 'failed');
    }
  }

  private get codec(): VideoCodec | undefined {
    return this.connection.answer?.video?.codec;
  }

  /** @param receivedEvents events that the peer already has. */
  private openConnection(
    receivedEvents: number,
    { iceServers, room }: { iceServers: LiveSessionOptions['iceServers']; room?: RoomLink } = this.options,
  ): Connection {
    const { options, services } = this;
    const firstEvent = Math.min(receivedEvents, this.sent.forgotten + this.sent.texts.length);
    const start = Math.min(VIDEO_BITS.start, this.maxVideoBits);
    const connection: Connection = new Connection({
      hub: services.hub,
      name: this.id,
      iceServers,
      room,
      microphone: options.microphone !== undefined && !room,
      videoBits: { start, max: this.maxVideoBits },
      codec: this.media && this.codec,
      withoutVideo: this.drawing === 'viewer',
      events: {
        onAnswered: (answer) => this.guard('preparing', () => this.prepare(answer)),
        onConnected: () => this.guard('beginning', () => this.onConnected(connection)),
        onGone: (how) => this.onGone(connection, how),
        onRtp: (packet) =>
          this.guard('hearing the viewer', () => this.running?.microphone?.onPacket(packet, performance.now())),
        onMessage: (text) =>
          this.guard('reading a message', () => {
            for (const listener of this.messageListeners) listener(text);
          }),
        onChannel: () => {
          this.beginFace(connection);
          const { forgotten, texts } = this.sent;
          for (const text of texts.slice(Math.max(0, firstEvent - forgotten))) connection.sendEvent(text);
        },
        onKeyframeRequest: () => this.media?.videoSource?.requestKeyframe(),
        onBudget: ({ videoBits }) => {
          this.media?.videoSource?.setBitRate(videoBits);
          this.adaptSound();
        },
      },
    });
    return connection;
  }

  /** Codecs are opened and the first picture is encoded while the connection is being made. */
  private prepare(answer: ParsedAnswer): void {
    const { media } = this;
    if (media === undefined) {
      this.media = this.openMedia(answer);
      this.media.videoSource?.prepare();
    } else if (answer.video) media.videoSource ??= this.openVideoSource(answer.video.codec, media.clock);
  }

  private onConnected(connection: Connection): void {
    if (connection === this.next) this.replaceConnection(connection);
    if (this.current !== 'offered' || !this.media) return;
    this.current = 'connected';
    const { record } = this.options;
    const { codec } = this;
    const { surface } = this;
    if (record && codec && surface)
      this.recorder = new Recorder({ ...record, codec, width: surface.width, height: surface.height });
    this.running = Object.assign(this.media, { connectedMs: performance.now() });
    this.measured.atMs = performance.now();
    this.playout.start(FIRST_SPEECH);
    this.running.clock.start();
  }

  /** The viewer is back on another network path: its player begins with a keyframe, and with numbers of its own. */
  private replaceConnection(connection: Connection): void {
    this.connection.close();
    this.connection = connection;
    this.next = undefined;
    this.goneSinceMs = undefined;
    this.connectedTick = this.ticks;
    Object.assign(this.measured, { bytes: 0, videoBytes: 0 });
    const { microphone, videoSource } = this.media!;
    microphone?.restart();
    videoSource?.setBitRate(Math.min(VIDEO_BITS.start, this.maxVideoBits));
    videoSource?.requestKeyframe();
  }

  private onGone(connection: Connection, how: 'closed' | 'failed'): void {
    if (connection === this.next) {
      // The session goes on with the connection that it has.
      this.next.close();
      this.next = undefined;
    } else if (connection === this.connection && !this.next)
      void this.end(this.current === 'connected' || how === 'closed' ? 'peer_gone' : 'failed', undefined);
  }

  private openMedia(answer: ParsedAnswer): Media {
    const audioSource = new AudioSource((out) => this.playout.pull(out), this.soundLink(answer));
    const clock = new MediaClock(
      {
        onAudio: (sample, nowMs) => this.guard('sending sound', () => this.onAudio(sample, nowMs)),
        onVideo: (sample, nowMs) => {
          if (this.goneSinceMs !== undefined) return;
          this.guard('showing a picture', () => this.running?.videoSource?.onVideo(sample, nowMs));
        },
        isIdle: () => this.isIdle(),
        idleFrames: () => this.idleFrames(),
      },
      this.options.picture.fps,
      this.services.scheduler,
    );
    const videoSource = answer.video && this.openVideoSource(answer.video.codec, clock);
    const microphone =
      answer.microphone &&
      new Microphone({
        payloadType: answer.microphone.payloadType,
        activity: this.services.openVoiceActivity(),
        ...this.options.microphone,
        onSpeech: (event) => {
          for (const listener of this.speechListeners) listener(event);
        },
      });
    return { clock, audioSource, videoSource, microphone };
  }

  /** Lets the scheduler batch the work of silent sessions; from scheduled speech on, everything is sent when it is due. */
  private isIdle(): boolean {
    const { running } = this;
    if (!running || this.playout.isSpeaking) return false;
    return running.audioSource.isDiscontinuous && running.videoSource?.isIdle !== false;
  }

  /** A viewer who draws and does not speak needs nothing between two packets of silence. */
  private idleFrames(): number {
    const { running, playout } = this;
    if (!running || running.videoSource || running.microphone || playout.queued > 0) return 0;
    return running.audioSource.idlePackets;
  }

  private openVideoSource(codec: VideoCodec, clock: MediaClock): VideoSource {
    this.acquireSurface();
    return new VideoSource({
      pack: this.options.pack,
      picture: this.options.picture,
      expression: this.options.expression ?? 'friendly',
      codec,
      face: this.face,
      surfaces: this.services.surfaces,
      loops: this.services.loops,
      bitRate: { start: Math.min(VIDEO_BITS.start, this.maxVideoBits), max: this.maxVideoBits },
      seed: hash(this.id) >>> 0,
      isSpeaking: () => this.playout.isSpeaking,
      packetize: framePacketizer(codec),
      onFrame: (frame, sample) => {
        const { payloads, idle, keyframe } = frame;
        this.recorder?.onPicture(frame, sample);
        this.failures = 0;
        const nowMs = performance.now();
        this.lateness.video = smooth(this.lateness.video, lateness(clock, sample, nowMs));
        // A loop needs a fraction of the bandwidth, so feedback about its packets says nothing about the limit.
        this.connection.sendPicture(payloads, sample, { nowMs, marker: true, unnumbered: idle, isKeyframe: keyframe });
      },
      onFrameRate: (framesPerSecond) => clock.setFrameRate(framesPerSecond),
      isCongested: () => this.connection.isCongested,
      onFailure: (error) => {
        this.services.onWarning('encoding a picture', error);
        if (++this.failures >= MAX_FAILURES) void this.end('failed', 'failed');
      },
    });
  }

  private adaptSound(): void {
    const { answer } = this.connection;
    if (answer) this.media?.audioSource.setLink(this.soundLink(answer));
  }

  private soundLink({ audio }: ParsedAnswer): SoundLink {
    const { feedback } = this.connection;
    return {
      bits: feedback?.budget.soundBits ?? SOUND_BITS[0],
      loss: feedback?.loss ?? 0,
      repeats: audio?.redPayloadType !== undefined,
    };
  }

  private onAudio(sample: number, nowMs: number): void {
    const { running } = this;
    if (!running) return;
    running.microphone?.onTick(nowMs);
    const packet = running.audioSource.next();
    this.recorder?.onSound(packet?.payload, sample);
    if (packet) {
      // The packet contains sound of an earlier instant, because the encoder delays it.
      const at = { nowMs, marker: packet.marker, unnumbered: !this.playout.isSpeaking };
      this.connection.sendSound(packet.payload, sample - OPUS_DELAY, at);
    }
    this.lateness.audio = smooth(this.lateness.audio, lateness(running.clock, sample, performance.now()));
    const tick = this.ticks++;
    if (tick % SECOND === 0) this.everySecond(running, nowMs);
    else if (EARLY_REPORTS.includes(tick - this.connectedTick)) this.report(running);
  }

  private everySecond(running: Running, nowMs: number): void {
    this.report(running);
    // So that past speech is forgotten.
    if (running.videoSource === undefined) this.face.passTo(running.clock.position);
    const elapsed = (nowMs - this.measured.atMs) / 1000;
    if (elapsed > 0.5) this.measure(running, nowMs, elapsed);
    const { feedback, connectedMs } = this.connection;
    this.adaptSound();
    const heardMs = feedback?.heardMs ?? connectedMs;
    const silentMs = nowMs - heardMs;
    if (silentMs < GONE_MS) {
      if (this.goneSinceMs !== undefined) running.videoSource?.requestKeyframe();
      this.goneSinceMs = undefined;
    } else this.goneSinceMs ??= heardMs;
    if (silentMs >= ABANDONED_MS) void this.end('peer_gone', undefined);
  }

  private report({ clock }: Running): void {
    this.connection.sendReports(clock.sampleAt(performance.now()));
  }

  private measure({ videoSource }: Running, nowMs: number, elapsed: number): void {
    const counts = videoSource?.takeCounts();
    const { audio, video: videoBytes } = this.connection.sentBytes;
    const bytes = audio + videoBytes;
    this.measured = {
      framesPerSecond: (counts?.frames ?? 0) / elapsed,
      encodeMs: counts && counts.encoded > 0 ? counts.encodeMs / counts.encoded : 0,
      drawMs: counts && counts.drawn > 0 ? counts.drawMs / counts.drawn : 0,
      bitrate: (8 * (bytes - this.measured.bytes)) / elapsed,
      videoBitrate: (8 * (videoBytes - this.measured.videoBytes)) / elapsed,
      bytes,
      videoBytes,
      atMs: nowMs,
    };
  }

  private animate({ start, chunk }: PlacedChunk): void {
    const stretch = placeSpeech(start, chunk);
    this.face.addStretch(stretch);
    this.showFace(stretchMessage(stretch));
  }

  /** True unless pictures are sent, or will be. */
  private get isDrawnByViewer(): boolean {
    return this.drawing !== undefined && this.media?.videoSource === undefined;
  }

  /** Sends what moves the presenter to a viewer that draws it: before its sound, so that nothing of it can be late. */
  private showFace(message: FaceMessage): void {
    if (this.isDrawnByViewer && this.current !== 'closed') this.send(JSON.stringify(message));
  }

  /** The first message to a viewer that draws, on each connection. */
  private beginFace({ soundTimestamp: timestamp }: Connection): void {
    if (!this.isDrawnByViewer) return;
    const { pack, expression = 'friendly' } = this.options;
    const { motion } = pack;
    const sample = this.position;
    const begin = { type: 'face.begin', seed: hash(this.id), expression, timestamp, sample } as const;
    this.remember(JSON.stringify({ ...begin, ...(motion && { motion }) } satisfies FaceMessage));
  }

  private emit(event: LiveEvent): void {
    if (this.current === 'closed') return;
    this.recorder?.onEvent(event);
    for (const listener of this.listeners) listener(event);
    this.send(JSON.stringify(event));
  }

  private send(text: string): void {
    this.remember(text);
    if (this.connection.canSendEvents) this.connection.sendEvent(text);
  }

  /** For connections that begin later. */
  private remember(text: string): void {
    const { sent } = this;
    if (sent.texts.push(text) > MAX_EVENTS) sent.forgotten += sent.texts.splice(0, MAX_EVENTS / 2).length;
  }

  /** Ends the session once. Sends `farewell` to a peer whose data channel is open. */
  private async end(reason: CloseReason, farewell: string | undefined): Promise<void> {
    if (this.current === 'closed') {
      await this.closed;
      return;
    }
    const wasConnected = this.current === 'connected';
    if (farewell !== undefined) {
      this.emit({ type: 'stream.closing', id: this.id, at: this.clockMs, reason: farewell });
    }
    this.connectedForMs = this.connectedUntil(this.goneSinceMs ?? performance.now());
    this.current = 'closed';
    this.media?.clock.stop();
    this.playout.close();
    this.media?.videoSource?.close();
    this.media?.audioSource.close();
    this.media?.microphone?.close();
    this.surface?.release();
    if (wasConnected && farewell !== undefined && this.connection.canSendEvents) {
      await new Promise((resolve) => setTimeout(resolve, FAREWELL_MS));
    }
    this.connection.close();
    this.next?.close();
    this.resolveClosed(reason);
  }

  private connectedUntil(nowMs: number): number {
    return this.running ? Math.max(0, nowMs - this.running.connectedMs) : 0;
  }
}

function sizeOf({ width, height }: LiveSessionOptions['picture']): { width: number; height: number } {
  return { width, height };
}

function addCandidate(connection: Connection, candidate: IceCandidate | null): void {
  const parsed = readCandidate(candidate);
  if (parsed) connection.addCandidate(parsed);
}

/** Payloads of a frame. VP8 pictures are numbered through the whole session, across encoders and idle loops. */
function framePacketizer(codec: VideoCodec): (data: Uint8Array) => Uint8Array[] {
  if (codec === 'H264') return (data) => packetizeH264(data);
  let pictureId = randomInt(PICTURE_IDS);
  return (data) => {
    pictureId = (pictureId + 1) % PICTURE_IDS;
    return packetizeVp8(data, pictureId);
  };
}

/** ms from a sample's instant until now. */
function lateness(clock: MediaClock, sample: number, nowMs: number): number {
  return ((clock.sampleAt(nowMs) - sample) * 1000) / SAMPLE_RATE;
}

function smooth(mean: number, value: number): number {
  return mean + (value - mean) * 0.05;
}
