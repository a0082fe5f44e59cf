import { randomInt } from 'node:crypto';
import { createLiveFace, type LiveFace } from '../face/index.js';
import { energyOf } from '../speech/energy.js';
import { SAMPLE_RATE } from '../time.js';
import {
  type CloseReason,
  type IceCandidate,
  LiveError,
  type LiveEvent,
  type LiveSession,
  type LiveSessionOptions,
  type LiveState,
  type LiveStats,
  type Recording,
  type Speak,
  type UntimedEvent,
  type UtteranceHandle,
  type ViewerSpeech,
} from './contract.js';
import { Microphone } from './microphone/microphone.js';
import type { MicrophoneEvent } from './microphone/speech-segmenter.js';
import type { VoiceActivity } from './microphone/voice-activity.js';
import { AudioSource } from './playout/audio-source.js';
import { AUDIO_FRAME, MediaClock, type Scheduler } from './playout/media-clock.js';
import { type PlacedChunk, PlayoutQueue, type UtteranceTiming } from './playout/playout-queue.js';
import { Recorder } from './recorder.js';
import { Feedback } from './rtp/feedback.js';
import { packetizeH264 } from './rtp/h264.js';
import { RtpSender } from './rtp/sender.js';
import { TransportSequence } from './rtp/transport-sequence.js';
import { PICTURE_IDS, packetizeVp8 } from './rtp/vp8.js';
import { type ParsedCandidate, readCandidate } from './transport/candidate.js';
import { formatOffer, type OfferOptions, type ParsedAnswer, parseAnswer, type Ssrcs } from './transport/sdp.js';
import { answerOffer } from './transport/sdp-answer.js';
import type { PeerTransport, TransportHub } from './transport/transport.js';
import { OPUS_DELAY, type VideoCodec } from './video/encoders.js';
import { hash, type IdleLoops } from './video/idle.js';
import type { Surface, SurfacePool } from './video/surface.js';
import { shownSize, VideoSource } from './video/video-source.js';

/*
 * offered ──(answer, candidates, ICE, DTLS)──▶ connected ──▶ closed
 *    └────────────(close, the connection cannot be made)──────▲
 * A connected peer counts as gone after GONE_MS without RTCP, and is back with its next report.
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
/** Events buffered until the data channel opens. */
const MAX_WAITING_EVENTS = 200;
/** Time for the closing event to be sent before the transport closes. */
const FAREWELL_MS = 60;
/** Video bits per pixel and their bounds: more does not improve a talking face visibly. */
const BITS_PER_PIXEL = 0.14;
const VIDEO_BITS = { min: 120_000, least: 250_000, most: 3_000_000, start: 700_000 } as const;
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

/** Opens a session and makes its offer. */
export function openSession(options: LiveSessionOptions, services: HostServices): LiveSession {
  return new Session(options, services);
}

/** State from the answer to the end of a session. */
interface Media {
  readonly clock: MediaClock;
  readonly audioSource: AudioSource;
  readonly audio: RtpSender | undefined;
  readonly video: RtpSender | undefined;
  readonly videoSource: VideoSource | undefined;
  readonly feedback: Feedback;
  readonly microphone: Microphone | undefined;
}

/** State from the connection to the end. */
interface Running extends Media {
  readonly connectedMs: number;
}

class Session implements LiveSession {
  readonly id: string;
  readonly closed: Promise<CloseReason>;
  readonly recorded: Promise<Recording | undefined>;
  readonly offer: string;
  private resolveClosed: (reason: CloseReason) => void = () => undefined;
  private current: LiveState = 'offered';
  private readonly transport: PeerTransport;
  private readonly ssrcs: Ssrcs;
  private readonly cname = `figurehead-${randomInt(2 ** 32).toString(36)}`;
  private readonly face: LiveFace;
  /** Acquired before the connection: loading a presenter takes 0.1 s and would delay the first picture. */
  private readonly surface: Surface;
  private readonly playout: PlayoutQueue;
  private readonly maxVideoBits: number;
  private answered: { readonly sdp: string; readonly answer: ParsedAnswer; readonly reply?: string } | undefined;
  private readonly listeners = new Set<(event: LiveEvent) => void>();
  private readonly speechListeners = new Set<(event: ViewerSpeech) => void>();
  private readonly messageListeners = new Set<(text: string) => void>();
  private readonly early: ParsedCandidate[] = [];
  private readonly waitingEvents: string[] = [];
  private canSendEvents = false;
  private media: Media | undefined;
  private running: Running | undefined;
  private recorder: Recorder | undefined;
  private ticks = 0;
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
    this.ssrcs = randomSsrcs();
    this.face = createLiveFace(hash(options.id), options.expression ?? 'friendly', options.pack.motion);
    const { width, height, fps } = options.picture;
    const wanted = width * height * Math.min(fps, 30) * BITS_PER_PIXEL;
    this.maxVideoBits = Math.round(Math.min(VIDEO_BITS.most, Math.max(VIDEO_BITS.least, wanted)));
    this.playout = new PlayoutQueue(
      {
        onPlaced: (placed) => this.animate(placed),
        onCut: (sample) => this.face.cutAt(sample),
        onEvent: (event) => this.emit(event),
        onFailure: (id, error) => this.services.onWarning(`speaking utterance ${id} of session ${this.id}`, error),
        onBegun: (timing) => {
          this.latest = timing;
        },
      },
      { now: () => performance.now() },
    );
    this.transport = services.hub.open({
      name: this.id,
      ssrcs: this.ssrcs,
      cname: this.cname,
      iceServers: options.iceServers,
      microphone: options.microphone === true,
      events: {
        onConnected: () => this.guard('beginning', () => this.onConnected()),
        onGone: (how) => {
          void this.end(this.current === 'connected' || how === 'closed' ? 'peer_gone' : 'failed', undefined);
        },
        onRtp: (packet) =>
          this.guard('hearing the viewer', () => this.running?.microphone?.onPacket(packet, performance.now())),
        onRtcp: (packet) => this.running?.feedback.onRtcp(packet, performance.now(), wallMs()),
        onMessage: (text) =>
          this.guard('reading a message', () => {
            for (const listener of this.messageListeners) listener(text);
          }),
        onEvents: () => this.flushEvents(),
      },
    });
    this.offer = formatOffer(this.description);
    this.surface = services.surfaces.acquire({
      pack: options.pack,
      width,
      height,
      background: options.picture.background,
    });
  }

  get state(): LiveState {
    return this.current;
  }

  /** Inputs of the host's offer or answer. */
  private get description(): OfferOptions {
    const { ssrcs, cname, maxVideoBits } = this;
    return { local: this.transport.local, ssrcs, cname, maxVideoBits, microphone: this.options.microphone === true };
  }

  async answer(sdp: string): Promise<void> {
    if (this.answered?.sdp === sdp || this.current === 'closed') return;
    if (this.answered) throw new LiveError('bad_answer', 'expected one answer, got another one');
    this.accept({ sdp, answer: parseAnswer(sdp) });
  }

  async acceptOffer(sdp: string): Promise<string> {
    if (this.answered?.sdp === sdp && this.answered.reply !== undefined) return this.answered.reply;
    if (this.current === 'closed') throw new LiveError('closed', 'the session is closed');
    if (this.answered) throw new LiveError('bad_offer', 'expected one offer or answer, got another one');
    const { answer, sdp: reply } = answerOffer(sdp, this.description);
    this.accept({ sdp, answer, reply });
    return reply;
  }

  private accept(answered: NonNullable<Session['answered']>): void {
    const { answer } = answered;
    this.transport.accept(answer);
    this.answered = answered;
    // Codecs are opened and the first picture is encoded while the connection is being made.
    this.guard('preparing', () => {
      this.media = this.openMedia(answer);
      this.media.videoSource?.prepare();
    });
    for (const candidate of this.early.splice(0)) this.transport.addCandidate(candidate);
  }

  addCandidate(candidate: IceCandidate | null): void {
    const parsed = readCandidate(candidate);
    if (!parsed || this.current === 'closed') return;
    if (this.answered) this.transport.addCandidate(parsed);
    else if (this.early.length < 32) this.early.push(parsed);
  }

  speak(id: string, speak: Speak): UtteranceHandle {
    return this.playout.speak(id, speak);
  }

  interrupt(scope: 'all' | 'current'): { interrupted: boolean; dropped: number } {
    return this.playout.interrupt(scope);
  }

  setAttention(state: 'idle' | 'listening' | 'thinking'): void {
    const sample = this.running?.clock.position ?? 0;
    this.face.setState(state, sample);
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
    this.transport.sendMessage(text);
  }

  tell(event: UntimedEvent): void {
    this.emit({ ...event, at: this.clockMs });
  }

  private get clockMs(): number {
    return Math.round(((this.running?.clock.position ?? 0) * 1000) / SAMPLE_RATE);
  }

  stats(): LiveStats {
    const { framesPerSecond, encodeMs, drawMs, bitrate, videoBitrate } = this.measured;
    return {
      state: this.current,
      codec: this.answered?.answer.video?.codec ?? null,
      framesPerSecond,
      encodeMs,
      drawMs,
      bitrate,
      videoBitrate,
      loss: this.running?.feedback.loss ?? 0,
      roundTripMs: this.running?.feedback.roundTripMs ?? null,
      firstSoundMs: this.latest?.firstSoundMs ?? null,
      synthesisMs: this.latest?.synthesisMs ?? null,
      queueMs: this.latest?.queueMs ?? null,
      ...(this.running?.videoSource?.size ?? shownSize(this.surface)),
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

  private onConnected(): void {
    if (this.current !== 'offered' || !this.media) return;
    this.current = 'connected';
    const { record } = this.options;
    const codec = this.answered?.answer.video?.codec;
    if (record && codec)
      this.recorder = new Recorder({ ...record, codec, width: this.surface.width, height: this.surface.height });
    this.running = { ...this.media, connectedMs: performance.now() };
    this.measured.atMs = performance.now();
    this.playout.start(FIRST_SPEECH);
    this.running.clock.start();
  }

  private openMedia(answer: ParsedAnswer): Media {
    const sequence = new TransportSequence();
    const { audio, video } = this.openSenders(answer, sequence);
    const audioSource = new AudioSource((out) => this.playout.pull(out));
    const start = Math.min(VIDEO_BITS.start, this.maxVideoBits);
    const clock = new MediaClock(
      {
        onAudio: (sample, nowMs) => this.guard('sending sound', () => this.onAudio(sample, nowMs)),
        onVideo: (sample, nowMs) => {
          if (this.goneSinceMs !== undefined) return;
          this.guard('showing a picture', () => this.running?.videoSource?.onVideo(sample, nowMs));
        },
        isIdle: () => this.isIdle(),
      },
      this.options.picture.fps,
      this.services.scheduler,
    );
    const videoSource = answer.video && video && this.openVideoSource(answer.video.codec, { video, clock, start });
    const feedback = new Feedback({
      range: { min: VIDEO_BITS.min, start, max: this.maxVideoBits },
      sequence,
      hasTransportFeedback: answer.transportCcId !== undefined,
      video: video && { sender: video, ssrc: this.ssrcs.video },
      onKeyframeRequest: () => videoSource?.requestKeyframe(),
      onBitRate: (bits) => videoSource?.setBitRate(bits),
    });
    const microphone =
      answer.microphone &&
      new Microphone({
        payloadType: answer.microphone.payloadType,
        activity: this.services.openVoiceActivity(),
        onSpeech: (event) => this.hear(event),
      });
    return { clock, audioSource, audio, video, videoSource, feedback, microphone };
  }

  /** The presenter pauses while it is unclear whether the viewer speaks: an interruption is silent early, and other sounds only make a short gap. */
  private hear(event: MicrophoneEvent): void {
    if (event.type === 'suspected') {
      if (this.speechListeners.size > 0) this.playout.hold();
      return;
    }
    if (event.type === 'began' || event.type === 'ended') for (const listener of this.speechListeners) listener(event);
    this.playout.release();
  }

  /** Lets the scheduler batch the work of silent sessions; from scheduled speech on, everything is sent when it is due. */
  private isIdle(): boolean {
    const { running } = this;
    if (!running || this.playout.isSpeaking) return false;
    return running.audioSource.isDiscontinuous && running.videoSource?.isIdle !== false;
  }

  private openSenders(
    answer: ParsedAnswer,
    sequence: TransportSequence,
  ): { audio: RtpSender | undefined; video: RtpSender | undefined } {
    const shared = answer.transportCcId === undefined ? {} : { transport: { id: answer.transportCcId, sequence } };
    const first = (): { sequence: number; timestamp: number } => ({
      sequence: randomInt(2 ** 15),
      timestamp: randomInt(2 ** 32),
    });
    const send = (kind: 'audio' | 'video') => (packet: Uint8Array) => this.transport.send(kind, packet);
    const audio =
      answer.audio &&
      new RtpSender({
        ...shared,
        ssrc: this.ssrcs.audio,
        clockRate: SAMPLE_RATE,
        payloadType: answer.audio.payloadType,
        send: send('audio'),
        first: first(),
      });
    const rtx = answer.video?.rtxPayloadType;
    const video =
      answer.video &&
      new RtpSender({
        ...shared,
        ssrc: this.ssrcs.video,
        clockRate: VIDEO_CLOCK,
        payloadType: answer.video.payloadType,
        playoutDelayId: answer.video.playoutDelayId,
        ...(rtx === undefined ? {} : { rtx: { ssrc: this.ssrcs.rtx, payloadType: rtx } }),
        send: send('video'),
        first: first(),
      });
    return { audio, video };
  }

  private openVideoSource(codec: VideoCodec, of: { video: RtpSender; clock: MediaClock; start: number }): VideoSource {
    const { video, clock } = of;
    return new VideoSource({
      pack: this.options.pack,
      picture: this.options.picture,
      expression: this.options.expression ?? 'friendly',
      codec,
      face: this.face,
      surfaces: this.services.surfaces,
      loops: this.services.loops,
      bitRate: { start: of.start, max: this.maxVideoBits },
      seed: hash(this.id) >>> 0,
      isSpeaking: () => this.playout.isSpeaking,
      packetize: framePacketizer(codec),
      onFrame: (frame, sample) => {
        const { payloads, idle } = frame;
        this.recorder?.onPicture(frame, sample);
        this.failures = 0;
        const nowMs = performance.now();
        this.lateness.video = smooth(this.lateness.video, lateness(clock, sample, nowMs));
        // A loop needs a fraction of the bandwidth, so feedback about its packets says nothing about the limit.
        video.sendFrame(payloads, (sample * VIDEO_CLOCK) / SAMPLE_RATE, { nowMs, marker: true, unnumbered: idle });
      },
      onFrameRate: (framesPerSecond) => clock.setFrameRate(framesPerSecond),
      onFailure: (error) => {
        this.services.onWarning('encoding a picture', error);
        if (++this.failures >= MAX_FAILURES) void this.end('failed', 'failed');
      },
    });
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
      running.audio?.sendFrame([packet.payload], sample - OPUS_DELAY, at);
    }
    this.lateness.audio = smooth(this.lateness.audio, lateness(running.clock, sample, performance.now()));
    const tick = this.ticks++;
    if (tick % SECOND === 0) this.everySecond(running, nowMs);
    else if (EARLY_REPORTS.includes(tick)) this.report(running);
  }

  private everySecond(running: Running, nowMs: number): void {
    this.report(running);
    const elapsed = (nowMs - this.measured.atMs) / 1000;
    if (elapsed > 0.5) this.measure(running, nowMs, elapsed);
    running.audioSource.setLoss(running.feedback.loss);
    const heardMs = running.feedback.heardMs ?? running.connectedMs;
    const silentMs = nowMs - heardMs;
    if (silentMs < GONE_MS) {
      if (this.goneSinceMs !== undefined) running.videoSource?.requestKeyframe();
      this.goneSinceMs = undefined;
    } else this.goneSinceMs ??= heardMs;
    if (silentMs >= ABANDONED_MS) void this.end('peer_gone', undefined);
  }

  /** Maps both streams' clocks to one wall clock, so that players can keep lips and sound in sync. */
  private report({ audio, video, clock }: Running): void {
    const sample = clock.sampleAt(performance.now());
    const wall = wallMs();
    if (audio) this.transport.send('audio', audio.report(wall, sample, this.cname));
    if (video) this.transport.send('video', video.report(wall, (sample * VIDEO_CLOCK) / SAMPLE_RATE, this.cname));
  }

  private measure({ audio, video, videoSource }: Running, nowMs: number, elapsed: number): void {
    const counts = videoSource?.takeCounts();
    const videoBytes = video?.sentBytes ?? 0;
    const bytes = (audio?.sentBytes ?? 0) + videoBytes;
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
    const shift = -chunk.start;
    const move = <T extends { start: number; end: number }>(mark: T): T => ({
      ...mark,
      start: mark.start + shift,
      end: mark.end + shift,
    });
    this.face.addStretch({
      start,
      samples: chunk.samples.length || (chunk.marks.phonemes.at(-1)?.end ?? 0) + shift,
      marks: { phonemes: chunk.marks.phonemes.map(move), words: chunk.marks.words.map(move) },
      energy: energyOf(chunk.samples),
    });
  }

  private emit(event: LiveEvent): void {
    if (this.current === 'closed') return;
    this.recorder?.onEvent(event);
    for (const listener of this.listeners) listener(event);
    const text = JSON.stringify(event);
    if (this.canSendEvents) this.transport.sendEvent(text);
    else if (this.waitingEvents.length < MAX_WAITING_EVENTS) this.waitingEvents.push(text);
  }

  private flushEvents(): void {
    this.canSendEvents = true;
    for (const text of this.waitingEvents.splice(0)) this.transport.sendEvent(text);
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
    this.surface.release();
    if (wasConnected && farewell !== undefined && this.canSendEvents) {
      await new Promise((resolve) => setTimeout(resolve, FAREWELL_MS));
    }
    this.transport.close();
    this.resolveClosed(reason);
  }

  private connectedUntil(nowMs: number): number {
    return this.running ? Math.max(0, nowMs - this.running.connectedMs) : 0;
  }
}

/** Ticks per second of video timestamps (RFC 6184 section 8.2.1). */
const VIDEO_CLOCK = 90_000;

/** Payloads of a frame. VP8 pictures are numbered through the whole session, across encoders and idle loops. */
function framePacketizer(codec: VideoCodec): (data: Uint8Array) => Uint8Array[] {
  if (codec === 'H264') return (data) => packetizeH264(data);
  let pictureId = randomInt(PICTURE_IDS);
  return (data) => {
    pictureId = (pictureId + 1) % PICTURE_IDS;
    return packetizeVp8(data, pictureId);
  };
}

function randomSsrcs(): Ssrcs {
  const audio = 1 + randomInt(2 ** 31);
  return { audio, video: (audio + 0x2545f491) >>> 0, rtx: (audio + 0x4f6cdd1d) >>> 0 };
}

/** Monotonic wall time in ms since 1970, for sender reports. */
function wallMs(): number {
  return performance.timeOrigin + performance.now();
}

/** ms from a sample's instant until now. */
function lateness(clock: MediaClock, sample: number, nowMs: number): number {
  return ((clock.sampleAt(nowMs) - sample) * 1000) / SAMPLE_RATE;
}

function smooth(mean: number, value: number): number {
  return mean + (value - mean) * 0.05;
}
