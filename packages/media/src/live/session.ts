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
  type Speak,
  type UtteranceHandle,
} from './contract.js';
import { AUDIO_FRAME, Pacer, type PacerClock } from './playout/pacer.js';
import { type PlacedChunk, Playout, type UtteranceTiming } from './playout/playout.js';
import { Sound } from './playout/sound.js';
import { Feedback } from './rtp/feedback.js';
import { packetizeH264 } from './rtp/h264.js';
import { RtpSender } from './rtp/sender.js';
import { TransportSequence } from './rtp/transport-sequence.js';
import { PICTURE_IDS, packetizeVp8 } from './rtp/vp8.js';
import { type ParsedCandidate, readCandidate } from './transport/candidate.js';
import { type Answer, formatOffer, parseAnswer, type Sources } from './transport/sdp.js';
import type { PeerTransport, TransportHub } from './transport/transport.js';
import { OPUS_DELAY, type VideoCodec } from './video/encoders.js';
import { hash, type IdleLoops } from './video/idle.js';
import { Show } from './video/show.js';
import type { Stage, StageStore } from './video/stage.js';

/*
 * offered ──(answer, candidates, ICE, DTLS)──▶ connected ──▶ closed
 *    └────────────(close, the connection cannot be made)──────▲
 * While connected the peer is gone when nothing was heard of it for GONE_MS, and back with its next report.
 */

/** No RTCP for so long means that the peer is gone: ICE would notice after 29 s. */
const GONE_MS = 8000;
/** A peer that stays away for so long is not waited for any more. */
const ABANDONED_MS = 30_000;
/** Speech begins no sooner after the connection: a player takes that long to come up. */
const FIRST_SPEECH = 0.25 * SAMPLE_RATE;
/** Sender reports, statistics and the look at the peer's silence: once every so many packets of sound. */
const SECOND = SAMPLE_RATE / AUDIO_FRAME;
/**
 * Sender reports of the first second besides, at these packets: players tie two streams together from their second report on, and look
 * once a second.
 */
const EARLY_REPORTS: readonly number[] = [5, 10, 25];
/** Events that wait for the data channel to open. */
const MOST_WAITING_EVENTS = 200;
/** The farewell gets this long to leave. */
const FAREWELL_MS = 60;
/** Bits for each pixel, and their bounds: what a talking face can use. */
const BITS_PER_PIXEL = 0.14;
const VIDEO_BITS = { min: 120_000, least: 250_000, most: 3_000_000, start: 700_000 } as const;
/** Encoders that fail this often in a row have failed for good. */
const MOST_FAILURES = 5;

/** What a host lends its sessions. */
export interface SessionSurroundings {
  readonly hub: TransportHub;
  readonly stages: StageStore;
  readonly loops: IdleLoops;
  readonly clock: PacerClock;
  /** Errors that end nothing. */
  readonly onWarning: (doing: string, error: unknown) => void;
}

/** Opens a session and makes its offer. */
export function openSession(options: LiveSessionOptions, around: SessionSurroundings): LiveSession {
  return new Session(options, around);
}

/** Everything that lives from the connection to the end. */
interface Running {
  readonly pacer: Pacer;
  readonly sound: Sound;
  readonly audio: RtpSender | undefined;
  readonly video: RtpSender | undefined;
  readonly show: Show | undefined;
  readonly feedback: Feedback;
  readonly connectedMs: number;
}

class Session implements LiveSession {
  readonly id: string;
  readonly closed: Promise<CloseReason>;
  readonly offer: string;
  private resolveClosed: (reason: CloseReason) => void = () => undefined;
  private current: LiveState = 'offered';
  private readonly transport: PeerTransport;
  private readonly sources: Sources;
  private readonly face: LiveFace;
  /** Held from the beginning: loading a presenter takes 0.1 s, which must not fall between connection and first picture. */
  private readonly stage: Stage;
  private readonly playout: Playout;
  private readonly maxVideoBits: number;
  private answered: { readonly sdp: string; readonly answer: Answer } | undefined;
  private readonly early: ParsedCandidate[] = [];
  private readonly waitingEvents: string[] = [];
  private canSendEvents = false;
  private running: Running | undefined;
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
    private readonly around: SessionSurroundings,
  ) {
    this.id = options.id;
    this.closed = new Promise((resolve) => {
      this.resolveClosed = resolve;
    });
    this.sources = differentSources();
    this.face = createLiveFace(hash(options.id), options.expression ?? 'friendly');
    const { width, height, fps } = options.picture;
    const wanted = width * height * Math.min(fps, 30) * BITS_PER_PIXEL;
    this.maxVideoBits = Math.round(Math.min(VIDEO_BITS.most, Math.max(VIDEO_BITS.least, wanted)));
    this.playout = new Playout(
      {
        onPlaced: (placed) => this.addToFace(placed),
        onCut: (sample) => this.face.cutAt(sample),
        onEvent: (event) => this.tell(event),
        onFailure: (id, error) => this.around.onWarning(`speaking utterance ${id} of session ${this.id}`, error),
        onBegun: (timing) => {
          this.latest = timing;
        },
      },
      { now: () => performance.now() },
    );
    const cname = `figurehead-${randomInt(2 ** 32).toString(36)}`;
    this.transport = around.hub.open({
      name: this.id,
      sources: this.sources,
      cname,
      iceServers: options.iceServers,
      events: {
        onConnected: () => this.guard('beginning', () => this.onConnected(cname)),
        onGone: (how) => {
          void this.end(this.current === 'connected' || how === 'closed' ? 'peer_gone' : 'failed', undefined);
        },
        onRtcp: (packet) => this.running?.feedback.onRtcp(packet, performance.now(), wallMs()),
        onEvents: () => this.flushEvents(),
      },
    });
    const { local } = this.transport;
    this.offer = formatOffer({ local, sources: this.sources, cname, maxVideoBits: this.maxVideoBits });
    this.stage = around.stages.acquire({ pack: options.pack, width, height, background: options.picture.background });
  }

  get state(): LiveState {
    return this.current;
  }

  async answer(sdp: string): Promise<void> {
    if (this.answered?.sdp === sdp || this.current === 'closed') return;
    if (this.answered) throw new LiveError('bad_answer', 'expected one answer, got another one');
    const answer = parseAnswer(sdp);
    this.transport.accept(answer);
    this.answered = { sdp, answer };
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
    const sample = this.running?.pacer.position ?? 0;
    this.face.setState(state, sample);
    this.running?.show?.setState(state, sample);
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
      ...(this.running?.show?.size ?? { width: this.stage.width, height: this.stage.height }),
      speaking: this.playout.isSpeaking,
      avOffsetMs: this.lateness.video - this.lateness.audio,
      queued: this.playout.queued,
      connectedMs: this.connectedForMs ?? this.connectedUntil(this.goneSinceMs ?? performance.now()),
    };
  }

  async close(reason = 'requested'): Promise<void> {
    await this.end('requested', reason);
  }

  /** What throws here ends this session and no other. */
  private guard(doing: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.around.onWarning(`${doing} in session ${this.id}`, error);
      void this.end('failed', 'failed');
    }
  }

  private onConnected(cname: string): void {
    if (this.current !== 'offered' || !this.answered) return;
    this.current = 'connected';
    const { answer } = this.answered;
    const sequence = new TransportSequence();
    const { audio, video } = this.openSenders(answer, sequence);
    const sound = new Sound((out) => this.playout.pull(out));
    const start = Math.min(VIDEO_BITS.start, this.maxVideoBits);
    const pacer = new Pacer(
      {
        onAudio: (sample, nowMs) => this.guard('sending sound', () => this.onAudio(sample, nowMs, cname)),
        onVideo: (sample, nowMs) => {
          if (this.goneSinceMs !== undefined) return;
          this.guard('showing a picture', () => this.running?.show?.onVideo(sample, nowMs));
        },
        isResting: () => this.isResting(),
      },
      this.options.picture.fps,
      this.around.clock,
    );
    const show = answer.video && video && this.openShow(answer.video.codec, { video, pacer, start });
    const feedback = new Feedback({
      range: { min: VIDEO_BITS.min, start, max: this.maxVideoBits },
      sequence,
      hasTransportFeedback: answer.transportCcId !== undefined,
      video: video && { sender: video, ssrc: this.sources.video },
      onKeyframeRequest: () => show?.requestKeyframe(),
      onBitRate: (bits) => show?.setBitRate(bits),
    });
    this.running = { pacer, sound, audio, video, show, feedback, connectedMs: performance.now() };
    this.measured.atMs = performance.now();
    this.playout.start(FIRST_SPEECH);
    pacer.start();
  }

  /** From the time that speech has its place on, everything is sent when it is due. */
  private isResting(): boolean {
    const { running } = this;
    if (!running || this.playout.isSpeaking) return false;
    return running.sound.isHinting && running.show?.isResting !== false;
  }

  private openSenders(
    answer: Answer,
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
        ssrc: this.sources.audio,
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
        ssrc: this.sources.video,
        clockRate: VIDEO_CLOCK,
        payloadType: answer.video.payloadType,
        ...(rtx === undefined ? {} : { rtx: { ssrc: this.sources.rtx, payloadType: rtx } }),
        send: send('video'),
        first: first(),
      });
    return { audio, video };
  }

  private openShow(codec: VideoCodec, of: { video: RtpSender; pacer: Pacer; start: number }): Show {
    const { video, pacer } = of;
    return new Show({
      pack: this.options.pack,
      picture: this.options.picture,
      expression: this.options.expression ?? 'friendly',
      codec,
      face: this.face,
      stages: this.around.stages,
      loops: this.around.loops,
      bitRate: { start: of.start, max: this.maxVideoBits },
      seed: hash(this.id) >>> 0,
      isSpeaking: () => this.playout.isSpeaking,
      packetize: framePacketizer(codec),
      onFrame: (payloads, sample, resting) => {
        this.failures = 0;
        const nowMs = performance.now();
        this.lateness.video = smooth(this.lateness.video, lateness(pacer, sample, nowMs));
        // A loop needs a fraction of what the connection carries: feedback about its packets would tell nothing.
        video.sendFrame(payloads, (sample * VIDEO_CLOCK) / SAMPLE_RATE, { nowMs, marker: true, unnumbered: resting });
      },
      onFrameRate: (framesPerSecond) => pacer.setFrameRate(framesPerSecond),
      onFailure: (error) => {
        this.around.onWarning('encoding a picture', error);
        if (++this.failures >= MOST_FAILURES) void this.end('failed', 'failed');
      },
    });
  }

  private onAudio(sample: number, nowMs: number, cname: string): void {
    const { running } = this;
    if (!running) return;
    const packet = running.sound.next();
    if (packet) {
      // The encoder delays sound: its packet holds what belongs to an earlier instant.
      const at = { nowMs, marker: packet.marker, unnumbered: !this.playout.isSpeaking };
      running.audio?.sendFrame([packet.payload], sample - OPUS_DELAY, at);
    }
    this.lateness.audio = smooth(this.lateness.audio, lateness(running.pacer, sample, performance.now()));
    const tick = this.ticks++;
    if (tick % SECOND === 0) this.everySecond(running, nowMs, cname);
    else if (EARLY_REPORTS.includes(tick)) this.report(running, cname);
  }

  private everySecond(running: Running, nowMs: number, cname: string): void {
    this.report(running, cname);
    const elapsed = (nowMs - this.measured.atMs) / 1000;
    if (elapsed > 0.5) this.measure(running, nowMs, elapsed);
    running.sound.setLoss(running.feedback.loss);
    const heardMs = running.feedback.heardMs ?? running.connectedMs;
    const silentMs = nowMs - heardMs;
    if (silentMs < GONE_MS) {
      if (this.goneSinceMs !== undefined) running.show?.requestKeyframe();
      this.goneSinceMs = undefined;
    } else this.goneSinceMs ??= heardMs;
    if (silentMs >= ABANDONED_MS) void this.end('peer_gone', undefined);
  }

  /** Ties both streams' clocks to one wall clock, which is how players keep lips and sound together. */
  private report({ audio, video, pacer }: Running, cname: string): void {
    const sample = pacer.sampleAt(performance.now());
    const wall = wallMs();
    if (audio) this.transport.send('audio', audio.report(wall, sample, cname));
    if (video) this.transport.send('video', video.report(wall, (sample * VIDEO_CLOCK) / SAMPLE_RATE, cname));
  }

  private measure({ audio, video, show }: Running, nowMs: number, elapsed: number): void {
    const counts = show?.takeCounts();
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

  private addToFace({ start, chunk }: PlacedChunk): void {
    const shift = -chunk.start;
    const move = <T extends { start: number; end: number }>(mark: T): T => ({
      ...mark,
      start: mark.start + shift,
      end: mark.end + shift,
    });
    this.face.addStretch({
      start,
      samples: chunk.samples.length,
      marks: { phonemes: chunk.marks.phonemes.map(move), words: chunk.marks.words.map(move) },
      energy: energyOf(chunk.samples),
    });
  }

  private tell(event: LiveEvent): void {
    if (this.current === 'closed') return;
    const text = JSON.stringify(event);
    if (this.canSendEvents) this.transport.sendEvent(text);
    else if (this.waitingEvents.length < MOST_WAITING_EVENTS) this.waitingEvents.push(text);
  }

  private flushEvents(): void {
    this.canSendEvents = true;
    for (const text of this.waitingEvents.splice(0)) this.transport.sendEvent(text);
  }

  /** Ends the session once. `farewell` is told to the peer, when it can hear. */
  private async end(reason: CloseReason, farewell: string | undefined): Promise<void> {
    if (this.current === 'closed') {
      await this.closed;
      return;
    }
    const wasConnected = this.current === 'connected';
    if (farewell !== undefined) {
      const at = Math.round(((this.running?.pacer.position ?? 0) * 1000) / SAMPLE_RATE);
      this.tell({ type: 'stream.closing', id: this.id, at, reason: farewell });
    }
    this.connectedForMs = this.connectedUntil(this.goneSinceMs ?? performance.now());
    this.current = 'closed';
    this.running?.pacer.stop();
    this.playout.close();
    this.running?.show?.close();
    this.running?.sound.close();
    this.stage.release();
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

/** Ticks a second of video timestamps (RFC 6184 section 8.2.1). */
const VIDEO_CLOCK = 90_000;

/** Payloads of a frame; VP8 pictures are numbered through the whole session, whoever encoded them. */
function framePacketizer(codec: VideoCodec): (data: Uint8Array) => Uint8Array[] {
  if (codec === 'H264') return (data) => packetizeH264(data);
  let pictureId = randomInt(PICTURE_IDS);
  return (data) => {
    pictureId = (pictureId + 1) % PICTURE_IDS;
    return packetizeVp8(data, pictureId);
  };
}

function differentSources(): Sources {
  const audio = 1 + randomInt(2 ** 31);
  return { audio, video: (audio + 0x2545f491) >>> 0, rtx: (audio + 0x4f6cdd1d) >>> 0 };
}

/** The clock of sender reports: wall time that does not jump. */
function wallMs(): number {
  return performance.timeOrigin + performance.now();
}

/** ms from the instant a sample belongs to until now. */
function lateness(pacer: Pacer, sample: number, nowMs: number): number {
  return ((pacer.sampleAt(nowMs) - sample) * 1000) / SAMPLE_RATE;
}

function smooth(mean: number, value: number): number {
  return mean + (value - mean) * 0.05;
}
