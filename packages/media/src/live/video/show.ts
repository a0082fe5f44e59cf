import type { Expression, Pose, PresenterState } from '../../face/contract.js';
import type { LiveFace } from '../../face/index.js';
import type { Rect, YuvFrame } from '../../frame.js';
import type { PresenterPack } from '../../presenter/contract.js';
import { SAMPLE_RATE } from '../../time.js';
import type { LivePicture } from '../contract.js';
import { type LiveVideoEncoder, openVideoEncoder, type VideoCodec } from './encoders.js';
import { framesIn, type IdleLoop, type IdleLoops, type LoopLease } from './idle.js';
import { Ladder } from './ladder.js';
import { ease, mixPoses } from './pose-mix.js';
import type { Stage, StageStore } from './stage.js';
import { StillHead } from './still-head.js';

/*
 * live ──(nothing said for a while)──▶ entering ──(pose meets the loop's)──▶ looping
 *   ▲                                     │                                     │
 *   └──── speech, a keyframe wanted, attention, too little bandwidth ◀──────────┘
 */

/** Samples without speech before the loop takes over; also after the start, where keyframes are asked for again. */
const SETTLE = 1.2 * SAMPLE_RATE;
/** Time in which the pose meets that of the loop, and parts from it. */
const ENTER = 0.6 * SAMPLE_RATE;
const LEAVE = 0.3 * SAMPLE_RATE;
/** The mouth parts sooner: speech begins at once. */
const LEAVE_MOUTH = 0.08 * SAMPLE_RATE;
/** Keyframes on request come no closer than this (ms): each costs as much as half a second. */
const KEYFRAME_MS = 250;
/** An encoder that has had nothing to do for so long is given back. */
const ENCODER_KEPT = 20 * SAMPLE_RATE;
/** A loop is shown while the connection carries this much more than it needs. */
const HEADROOM = 1.15;
/** Skipped and shown pictures are judged once every so many samples. */
const WINDOW = 2 * SAMPLE_RATE;

/**
 * Pictures that a model computes for a session at a time, enough to hide a delay of two frames. A model that is slower than the frame rate
 * drops pictures, as a busy encoder does, instead of falling further and further behind.
 */
const MOST_PREPARING = 2;

/** What a show is made from. */
export interface ShowOptions {
  readonly pack: PresenterPack;
  readonly picture: LivePicture;
  readonly expression: Expression;
  readonly codec: VideoCodec;
  readonly face: LiveFace;
  readonly stages: StageStore;
  readonly loops: IdleLoops;
  /** Bits a second at first, and at most. */
  readonly bitRate: { readonly start: number; readonly max: number };
  /** Speech is on the wire or has its time. */
  readonly isSpeaking: () => boolean;
  /** Payloads of a compressed picture. */
  readonly packetize: (data: Uint8Array) => readonly Uint8Array[];
  /** A picture of the instant `sample`. `resting`: it comes out of a loop. */
  readonly onFrame: (payloads: readonly Uint8Array[], sample: number, resting: boolean) => void;
  readonly onFrameRate: (framesPerSecond: number) => void;
  readonly onFailure: (error: unknown) => void;
  /** Whole, not negative: spreads the sessions of a host over the entries of their loops. */
  readonly seed: number;
}

/** Sums since the last time they were taken. */
export interface ShowCounts {
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

/** What a session shows: draws and compresses its presenter while he speaks, and steps into a shared loop while he rests. */
export class Show {
  private mode: Mode = { kind: 'live' };
  private leaving: { readonly loop: IdleLoop; index: number; readonly since: number } | undefined;
  private stage: Stage;
  private encoder: LiveVideoEncoder | undefined;
  private lease: LoopLease | undefined;
  private readonly ladder: Ladder;
  private spokeAt = 0;
  private keyframeWanted = true;
  private keyframeMs = Number.NEGATIVE_INFINITY;
  private bitRate: number;
  private state: Exclude<PresenterState, 'speaking'> = 'idle';
  private counted: ShowCounts = noCounts();
  /** The last pose whose picture a model has finished. */
  private computed: Pose | undefined;
  private preparing = 0;
  private timesEntered = 0;
  private readonly stillHead = new StillHead();
  private window = { since: 0, shown: 0, skipped: 0 };
  private open = true;

  constructor(private readonly options: ShowOptions) {
    this.ladder = new Ladder(options.picture.fps);
    this.stage = this.acquireStage();
    this.bitRate = options.bitRate.start;
    this.askForLoop();
  }

  /** The frame of the instant `sample` is due. */
  onVideo(sample: number, nowMs: number): void {
    if (!this.open) return;
    if (this.options.isSpeaking()) this.spokeAt = sample;
    this.judge(sample);
    this.advance(sample);
    if (this.mode.kind === 'looping') this.sendLoop(this.mode, sample);
    else this.drawLive(sample, nowMs);
  }

  /** Pictures come out of a loop. */
  get isResting(): boolean {
    return this.mode.kind === 'looping';
  }

  /** Sides of the picture that is sent now, px. */
  get size(): { width: number; height: number } {
    const { width, height } = this.mode.kind === 'looping' ? this.options.picture : this.stage;
    return { width, height };
  }

  /** The peer cannot decode: the next picture stands alone. */
  requestKeyframe(): void {
    this.keyframeWanted = true;
  }

  /** What the connection carries for the picture, bits a second. */
  setBitRate(bitsPerSecond: number): void {
    this.bitRate = bitsPerSecond;
    this.encoder?.setBitRate(bitsPerSecond);
  }

  /** How the presenter rests from now on. */
  setState(state: Exclude<PresenterState, 'speaking'>, sample: number): void {
    if (state === this.state) return;
    this.state = state;
    this.spokeAt = sample;
    this.askForLoop();
  }

  /** Counts since the last call. */
  takeCounts(): ShowCounts {
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
    this.stage.release();
  }

  /** Moves between the modes. */
  private advance(sample: number): void {
    const loop = this.lease?.loop;
    const rests =
      loop !== undefined &&
      !this.keyframeWanted &&
      sample - this.spokeAt > SETTLE &&
      loop.bitsPerSecond * HEADROOM < this.bitRate;
    switch (this.mode.kind) {
      case 'live':
        if (rests) this.enter(loop);
        return;
      case 'entering':
        if (!rests) this.mode = { kind: 'live' };
        else if (this.mode.left > 1) this.mode.left--;
        // The last picture of the own encoder must be out before the loop's first one goes.
        else if (!this.encoder?.isBusy) {
          this.mode = { kind: 'looping', loop: this.mode.loop, index: this.mode.entry, since: sample };
          // A loop has its own rate, and costs nothing.
          this.options.onFrameRate(this.options.picture.fps);
        }
        return;
      case 'looping':
        if (!rests || loop !== this.mode.loop) this.leave(this.mode, sample);
    }
  }

  private enter(loop: IdleLoop): void {
    const total = framesIn(ENTER, this.options.picture.fps);
    const entry = loop.entries[(this.options.seed + this.timesEntered++) % loop.entries.length] ?? 0;
    this.mode = { kind: 'entering', loop, entry, left: total, total };
    this.leaving = undefined;
  }

  private leave({ loop, index }: { loop: IdleLoop; index: number }, sample: number): void {
    this.mode = { kind: 'live' };
    this.leaving = { loop, index, since: sample };
    this.keyframeWanted = true;
    this.keyframeMs = Number.NEGATIVE_INFINITY;
    this.options.onFrameRate(this.ladder.rung.framesPerSecond);
  }

  private sendLoop(mode: Extract<Mode, { kind: 'looping' }>, sample: number): void {
    const frame = mode.loop.frames[mode.index]!;
    mode.index = (mode.index + 1) % mode.loop.frames.length;
    this.counted.frames++;
    this.window.shown++;
    this.options.onFrame(frame.payloads ?? this.options.packetize(frame.data), sample, true);
    if (this.encoder && sample - mode.since > ENCODER_KEPT) {
      this.encoder.close();
      this.encoder = undefined;
    }
  }

  private drawLive(sample: number, nowMs: number): void {
    if (this.encoder?.isBusy || this.isModelBehind) {
      this.counted.skipped++;
      this.window.skipped++;
      return;
    }
    const startMs = performance.now();
    const encoder = this.encoder ?? this.openEncoder();
    const { frame, part } = this.drawPose(sample);
    const drawnMs = performance.now();
    const keyframe = this.keyframeWanted && nowMs - this.keyframeMs >= KEYFRAME_MS;
    if (keyframe) {
      this.keyframeWanted = false;
      this.keyframeMs = nowMs;
    }
    this.counted.drawn++;
    this.counted.drawMs += drawnMs - startMs;
    encoder.encode(frame, { keyframe, part }).then(
      (encoded) => {
        this.counted.encoded++;
        this.counted.encodeMs += performance.now() - drawnMs;
        // An encoder that was replaced meanwhile speaks of another picture size or sequence.
        if (!encoded || !this.open || encoder !== this.encoder) return;
        this.counted.frames++;
        this.window.shown++;
        this.options.onFrame(this.options.packetize(encoded.data), sample, false);
      },
      (error: unknown) => {
        if (!this.open || encoder !== this.encoder) return;
        encoder.close();
        this.encoder = undefined;
        this.keyframeWanted = true;
        this.options.onFailure(error);
      },
    );
  }

  /** Until the first picture is computed the presenter is shown at rest: loading a model takes seconds. */
  private get isModelBehind(): boolean {
    return this.preparing >= MOST_PREPARING && this.computed !== undefined;
  }

  /** A model is asked a picture ahead, and what is shown is the newest of its own pictures that this session has got. */
  private drawPose(sample: number): { readonly frame: YuvFrame; readonly part?: Rect } {
    const { stage } = this;
    if (stage.face) {
      const { pose, part } = this.stillHead.next(this.poseAt(sample), stage.face);
      return { frame: stage.draw(pose, part), ...(part ? { part } : {}) };
    }
    if (!stage.prepare) return { frame: stage.draw(this.poseAt(sample)) };
    const ahead = this.poseAt(sample + SAMPLE_RATE / this.options.picture.fps);
    if (this.preparing < MOST_PREPARING) void this.prepare(stage.prepare(ahead), ahead);
    return { frame: stage.draw(this.computed ?? ahead) };
  }

  private async prepare(work: Promise<void>, pose: Pose): Promise<void> {
    this.preparing++;
    try {
      await work;
      this.computed = pose;
    } catch (error) {
      if (this.open) this.options.onFailure(error);
    } finally {
      this.preparing--;
    }
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

  /** Steps down when too many pictures come too late, and up again after a calm while. */
  private judge(sample: number): void {
    if (sample - this.window.since < WINDOW) return;
    const { shown, skipped } = this.window;
    this.window = { since: sample, shown: 0, skipped: 0 };
    const before = this.ladder.rung;
    if (!this.ladder.onWindow(shown, skipped)) return;
    const { rung } = this.ladder;
    if (rung.framesPerSecond !== before.framesPerSecond && this.mode.kind !== 'looping') {
      this.options.onFrameRate(rung.framesPerSecond);
    }
    if (rung.scale === before.scale) return;
    this.stage.release();
    this.stage = this.acquireStage();
    this.encoder?.close();
    this.encoder = undefined;
    this.keyframeWanted = true;
  }

  private acquireStage(): Stage {
    const { pack, picture, stages } = this.options;
    const { scale } = this.ladder.rung;
    const side = (length: number): number => Math.max(64, 2 * Math.round((length * scale) / 2));
    const { background } = picture;
    return stages.acquire({ pack, width: side(picture.width), height: side(picture.height), background });
  }

  private openEncoder(): LiveVideoEncoder {
    this.stillHead.forget();
    this.encoder = openVideoEncoder({
      codec: this.options.codec,
      width: this.stage.width,
      height: this.stage.height,
      framesPerSecond: this.options.picture.fps,
      bitRate: this.bitRate,
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

function noCounts(): ShowCounts {
  return { frames: 0, skipped: 0, drawn: 0, drawMs: 0, encoded: 0, encodeMs: 0 };
}
