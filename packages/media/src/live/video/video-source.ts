import type { PresenterPack } from '@figurehead/presenter';
import type { Expression, LiveFace, Pose, PresenterState } from '@figurehead/presenter/face';
import type { Rect, YuvFrame } from '@figurehead/presenter/frame';
import { framesFor, SAMPLE_RATE } from '@figurehead/presenter/time';
import type { LivePicture } from '../contract.js';
import { LiveVideoEncoder, type VideoCodec } from './encoders.js';
import type { IdleLoop, IdleLoops, LoopLease } from './idle.js';
import { Ladder, type Rung } from './ladder.js';
import { ease, mixPoses } from './pose-mix.js';
import { StillHead } from './still-head.js';
import type { Surface, SurfacePool } from './surface.js';

/*
 * live ──(no speech for a while)─────▶ entering ──(pose meets the loop's)──▶ looping
 *   ▲                                     │                                     │
 *   └──── speech, keyframe request, attention, too little bandwidth ◀───────────┘
 */

/** Samples without speech before the loop starts; also after the connection, when players often request another keyframe. */
const IDLE_AFTER = 1.2 * SAMPLE_RATE;
/** Samples over which the pose blends into that of the loop, and out of it. */
const ENTER = 0.6 * SAMPLE_RATE;
const LEAVE = 0.3 * SAMPLE_RATE;
/** The mouth blends out sooner, because speech starts immediately. */
const LEAVE_MOUTH = 0.08 * SAMPLE_RATE;
/** Least time in ms between two requested keyframes, and in times that the network takes for one. */
const KEYFRAME_MS = 250;
const KEYFRAME_TIMES = 2;
/** An encoder is closed after this many idle samples. */
const ENCODER_IDLE = 20 * SAMPLE_RATE;
/** A loop is shown while the connection carries this many times its bit rate. */
const HEADROOM = 1.15;
/** Samples between two decisions about the quality ladder. */
const WINDOW = 2 * SAMPLE_RATE;

export interface VideoSourceOptions {
  readonly pack: PresenterPack;
  readonly picture: LivePicture;
  readonly expression: Expression;
  readonly codec: VideoCodec;
  readonly face: LiveFace;
  readonly surfaces: SurfacePool;
  readonly loops: IdleLoops;
  /** Bits per second, initial and maximum. */
  readonly bitRate: { readonly start: number; readonly max: number };
  /** Speech is being sent or is scheduled on the media clock. */
  readonly isSpeaking: () => boolean;
  /** Payloads of a compressed picture. */
  readonly packetize: (data: Uint8Array) => readonly Uint8Array[];
  /** Receives the picture of the instant `sample`. */
  readonly onFrame: (frame: SentFrame, sample: number) => void;
  readonly onFrameRate: (framesPerSecond: number) => void;
  readonly onFailure: (error: unknown) => void;
  /** Pictures wait for the network, so that none is drawn now. */
  readonly isCongested: () => boolean;
  /** Non-negative integer; spreads the sessions of a host over the entry frames of a loop. */
  readonly seed: number;
}

/** A compressed picture to send. */
export interface SentFrame {
  readonly data: Uint8Array;
  readonly keyframe: boolean;
  readonly payloads: readonly Uint8Array[];
  /** The picture comes from an idle loop. */
  readonly idle: boolean;
}

/** Sums since the last call of `takeCounts`. */
export interface VideoCounts {
  frames: number;
  skipped: number;
  drawn: number;
  drawMs: number;
  encoded: number;
  encodeMs: number;
}

type Mode =
  | { readonly kind: 'live' }
  | { readonly kind: 'entering'; readonly loop: IdleLoop; readonly entry: number; left: number; readonly total: number }
  | { readonly kind: 'looping'; readonly loop: IdleLoop; index: number; readonly since: number };

/** The video of a session: draws and encodes the presenter during speech, and plays a shared idle loop otherwise. */
export class VideoSource {
  private mode: Mode = { kind: 'live' };
  private leaving: { readonly loop: IdleLoop; index: number; readonly since: number } | undefined;
  private surface: Surface;
  private encoder: LiveVideoEncoder | undefined;
  private lease: LoopLease | undefined;
  private readonly ladder: Ladder;
  /** As it is drawn. */
  private level: Rung;
  private spokeAt = 0;
  private keyframeWanted = true;
  private keyframeMs = Number.NEGATIVE_INFINITY;
  private keyframeBytes = 0;
  private bitRate: number;
  private state: Exclude<PresenterState, 'speaking'> = 'idle';
  private counted: VideoCounts = noCounts();
  private timesEntered = 0;
  private readonly stillHead = new StillHead();
  private window = { since: 0, shown: 0, skipped: 0 };
  /** The first picture, encoded before there is a connection to send it over. */
  private first: SentFrame | undefined;
  private hasStarted = false;
  private open = true;

  constructor(private readonly options: VideoSourceOptions) {
    const { width, height, fps } = options.picture;
    this.ladder = new Ladder(fps, width * height);
    this.bitRate = options.bitRate.start;
    this.ladder.onBits(this.bitRate);
    this.level = this.ladder.rung;
    this.surface = this.acquireSurface();
    this.askForLoop();
  }

  /** Draws and encodes the first picture, so that the first call of `onVideo` sends it without delay. */
  prepare(): void {
    if (this.open && !this.hasStarted) this.drawLive(0, performance.now());
  }

  /** The frame of the instant `sample` is due. */
  onVideo(sample: number, nowMs: number): void {
    if (!this.open) return;
    this.hasStarted = true;
    if (this.first) {
      this.show(this.first, sample);
      this.first = undefined;
      return;
    }
    if (this.options.isSpeaking()) this.spokeAt = sample;
    this.judge(sample);
    this.advance(sample);
    if (this.mode.kind === 'looping') this.sendLoop(this.mode, sample);
    else this.drawLive(sample, nowMs);
  }

  /** True while pictures come from an idle loop. */
  get isIdle(): boolean {
    return this.mode.kind === 'looping';
  }

  /** Sides of the current picture, px. */
  get size(): { width: number; height: number } {
    const { width, height } = this.options.picture;
    return this.mode.kind === 'looping' ? { width, height } : shownSize(this.surface);
  }

  /** Makes the next picture a keyframe, because the peer cannot decode. */
  requestKeyframe(): void {
    this.keyframeWanted = true;
  }

  /** Sets the bandwidth available for video, bits per second. */
  setBitRate(bitsPerSecond: number): void {
    this.bitRate = bitsPerSecond;
    this.ladder.onBits(bitsPerSecond);
    this.encoder?.setBitRate(this.encoderBits);
  }

  /** Sets the presenter's behaviour between speech. */
  setState(state: Exclude<PresenterState, 'speaking'>, sample: number): void {
    if (state === this.state) return;
    this.state = state;
    this.spokeAt = sample;
    this.askForLoop();
  }

  /** Counts since the last call. */
  takeCounts(): VideoCounts {
    const counts = this.counted;
    this.counted = noCounts();
    return counts;
  }

  /** Idempotent. */
  close(): void {
    if (!this.open) return;
    this.open = false;
    this.encoder?.close();
    this.lease?.release();
    this.surface.release();
  }

  /** Switches between the modes. */
  private advance(sample: number): void {
    const loop = this.lease?.loop;
    const rests =
      loop !== undefined &&
      !this.keyframeWanted &&
      sample - this.spokeAt > IDLE_AFTER &&
      loop.bitsPerSecond * HEADROOM < this.bitRate;
    switch (this.mode.kind) {
      case 'live':
        if (rests) this.enter(loop);
        return;
      case 'entering':
        if (!rests) this.mode = { kind: 'live' };
        else if (this.mode.left > 1) this.mode.left--;
        // The session's encoder must return its last picture before the loop sends its first one.
        else if (!this.encoder?.isBusy) {
          this.mode = { kind: 'looping', loop: this.mode.loop, index: this.mode.entry, since: sample };
          // A loop is always sent at the full rate: it costs no drawing and no encoding.
          this.options.onFrameRate(this.options.picture.fps);
        }
        return;
      case 'looping':
        if (!rests || loop !== this.mode.loop) this.leave(this.mode, sample);
    }
  }

  private enter(loop: IdleLoop): void {
    const total = framesFor(ENTER, this.options.picture.fps);
    const entry = loop.entries[(this.options.seed + this.timesEntered++) % loop.entries.length] ?? 0;
    this.mode = { kind: 'entering', loop, entry, left: total, total };
    this.leaving = undefined;
  }

  private leave({ loop, index }: { loop: IdleLoop; index: number }, sample: number): void {
    this.mode = { kind: 'live' };
    this.leaving = { loop, index, since: sample };
    this.keyframeWanted = true;
    this.keyframeMs = Number.NEGATIVE_INFINITY;
    this.options.onFrameRate(this.level.framesPerSecond);
  }

  private sendLoop(mode: Extract<Mode, { kind: 'looping' }>, sample: number): void {
    const frame = mode.loop.frames[mode.index]!;
    mode.index = (mode.index + 1) % mode.loop.frames.length;
    const { data, keyframe } = frame;
    this.show({ data, keyframe, payloads: frame.payloads ?? this.options.packetize(data), idle: true }, sample);
    if (this.encoder && sample - mode.since > ENCODER_IDLE) {
      this.encoder.close();
      this.encoder = undefined;
    }
  }

  private drawLive(sample: number, nowMs: number): void {
    if (this.hasStarted && this.options.isCongested()) return;
    if (this.encoder?.isBusy) {
      this.counted.skipped++;
      this.window.skipped++;
      return;
    }
    const startMs = performance.now();
    const encoder = this.encoder ?? this.openEncoder();
    const { frame, part } = this.drawPose(sample);
    const drawnMs = performance.now();
    const keyframe = this.keyframeWanted && nowMs - this.keyframeMs >= this.keyframeEveryMs;
    if (keyframe) {
      this.keyframeWanted = false;
      this.keyframeMs = nowMs;
    }
    this.counted.drawn++;
    this.counted.drawMs += drawnMs - startMs;
    encoder
      .encode(frame, { keyframe, part })
      .then((encoded) => {
        this.counted.encoded++;
        this.counted.encodeMs += performance.now() - drawnMs;
        // The encoder was replaced meanwhile: its picture has another size or sequence.
        if (!encoded || !this.open || encoder !== this.encoder) return;
        if (encoded.keyframe) this.keyframeBytes = encoded.data.length;
        const sent = { ...encoded, payloads: this.options.packetize(encoded.data), idle: false };
        if (this.hasStarted) this.show(sent, sample);
        else this.first = sent;
      })
      // Also of a picture that could not be sent: without a listener it would end all sessions of the process.
      .catch((error: unknown) => {
        if (!this.open || encoder !== this.encoder) return;
        encoder.close();
        this.encoder = undefined;
        this.keyframeWanted = true;
        this.options.onFailure(error);
      });
  }

  private show(frame: SentFrame, sample: number): void {
    this.counted.frames++;
    this.window.shown++;
    this.options.onFrame(frame, sample);
  }

  private drawPose(sample: number): { readonly frame: YuvFrame; readonly part?: Rect | undefined } {
    const { surface } = this;
    if (surface.face) {
      const { pose, part } = this.stillHead.next(this.poseAt(sample), surface.face);
      return { frame: surface.draw(pose, part), part };
    }
    return { frame: surface.draw(this.poseAt(sample)) };
  }

  private poseAt(sample: number): Pose {
    const own = this.options.face.poseAt(sample);
    if (this.mode.kind === 'entering') {
      const { loop, entry, left, total } = this.mode;
      const count = loop.frames.length;
      const target = loop.frames[(entry - left + count) % count]!.pose;
      return mixPoses(own, target, ease((total - left + 1) / total));
    }
    if (!this.leaving) return own;
    const { loop, since } = this.leaving;
    const passed = sample - since;
    if (passed >= LEAVE) {
      this.leaving = undefined;
      return own;
    }
    const { pose } = loop.frames[this.leaving.index]!;
    this.leaving.index = (this.leaving.index + 1) % loop.frames.length;
    const mixed = mixPoses(pose, own, ease(passed / LEAVE));
    return { ...mixed, mouth: mixPoses(pose, own, ease(passed / LEAVE_MOUTH)).mouth };
  }

  /** Applies the quality ladder. */
  private judge(sample: number): void {
    if (sample - this.window.since >= WINDOW) {
      const { shown, skipped } = this.window;
      this.window = { since: sample, shown: 0, skipped: 0 };
      this.ladder.onWindow(shown, skipped);
    }
    const before = this.level;
    this.level = this.ladder.rung;
    if (this.level.framesPerSecond !== before.framesPerSecond) {
      this.encoder?.setBitRate(this.encoderBits);
      if (this.mode.kind !== 'looping') this.options.onFrameRate(this.level.framesPerSecond);
    }
    if (this.level.scale === before.scale) return;
    this.surface.release();
    this.surface = this.acquireSurface();
    this.encoder?.close();
    this.encoder = undefined;
    this.keyframeWanted = true;
  }

  /** The encoder counts pictures, not seconds, so fewer pictures get more bits each. */
  private get encoderBits(): number {
    return Math.round((this.bitRate * this.options.picture.fps) / this.level.framesPerSecond);
  }

  private get keyframeEveryMs(): number {
    return Math.max(KEYFRAME_MS, (KEYFRAME_TIMES * 8000 * this.keyframeBytes) / this.bitRate);
  }

  private acquireSurface(): Surface {
    const { pack, picture, surfaces } = this.options;
    const { scale } = this.level;
    const side = (length: number): number => Math.max(64, 2 * Math.round((length * scale) / 2));
    const { background } = picture;
    return surfaces.acquire({ pack, width: side(picture.width), height: side(picture.height), background });
  }

  private openEncoder(): LiveVideoEncoder {
    this.stillHead.reset();
    this.encoder = new LiveVideoEncoder({
      codec: this.options.codec,
      width: this.surface.width,
      height: this.surface.height,
      framesPerSecond: this.options.picture.fps,
      bitRate: this.encoderBits,
    });
    return this.encoder;
  }

  private askForLoop(): void {
    const { pack, picture, expression, codec, bitRate, loops } = this.options;
    this.lease?.release();
    this.lease = loops.acquire({
      pack,
      width: picture.width,
      height: picture.height,
      background: picture.background,
      fps: picture.fps,
      expression,
      codec,
      state: this.state,
      bitRate: bitRate.max,
    });
  }
}

/** Visible size of a surface, px. */
export function shownSize({ width, shownHeight }: Surface): { width: number; height: number } {
  return { width, height: shownHeight };
}

function noCounts(): VideoCounts {
  return { frames: 0, skipped: 0, drawn: 0, drawMs: 0, encoded: 0, encodeMs: 0 };
}
