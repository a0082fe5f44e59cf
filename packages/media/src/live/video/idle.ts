import type { Expression, Pose, PresenterState } from '../../face/contract.js';
import { createLiveFace } from '../../face/index.js';
import type { FrameRate } from '../../time.js';
import { SAMPLE_RATE, samplesPerFrame } from '../../time.js';
import { packetizeH264 } from '../rtp/h264.js';
import { openVideoEncoder, type VideoCodec } from './encoders.js';
import { ease, mixPoses } from './pose-mix.js';
import type { StageSettings, StageStore } from './stage.js';

/** A loop is long enough that its return is not noticed, and short enough to be made within seconds. */
const LOOP_SECONDS = 16;
/** At each of these one can step in: a step every few seconds, so that sessions do not breathe in step. */
const GOP_SECONDS = 4;
/** The end of a loop flows into its beginning within this time. */
const SEAM_SECONDS = 1.5;
/** The face is let run this long before the loop begins, so that the seam has a past to mix with. */
const RUN_UP_SECONDS = 3;
/** Loops that nobody shows are kept for the next visitor. */
const KEPT_UNUSED = 8;
/** libvpx fills whatever it is given: a resting face needs less. */
const VP8_SHARE = 0.5;

/** What makes two idle loops the same. */
export interface LoopSettings extends StageSettings {
  readonly codec: VideoCodec;
  readonly fps: FrameRate;
  readonly expression: Expression;
  readonly state: Exclude<PresenterState, 'speaking'>;
  /** Bits a second at most. */
  readonly bitRate: number;
}

/** A compressed picture of a loop. */
export interface LoopFrame {
  readonly pose: Pose;
  readonly data: Uint8Array;
  readonly keyframe: boolean;
  /** Payloads of its packets, the same for every session; VP8 numbers them by session, so it has none. */
  readonly payloads: readonly Uint8Array[] | undefined;
}

/** A presenter who rests, compressed once. Frame after frame without a gap, and round again. */
export interface IdleLoop {
  readonly frames: readonly LoopFrame[];
  /** Frames with which a viewer may begin. */
  readonly entries: readonly number[];
  /** Mean over the loop. */
  readonly bitsPerSecond: number;
}

/** A session's hold on a loop that is being made or is there. */
export interface LoopLease {
  /** `undefined` until it has been made. */
  readonly loop: IdleLoop | undefined;
  /** Idempotent. */
  release(): void;
}

interface SharedLoop {
  readonly settings: LoopSettings;
  loop: IdleLoop | undefined;
  failed: boolean;
  users: number;
}

/** Makes idle loops, one after another in the background, and shares them between sessions. Who creates it closes it. */
export class IdleLoops {
  /** In order of last use, the oldest first. */
  private readonly loops = new Map<string, SharedLoop>();
  private making: Promise<void> | undefined;
  private open = true;

  constructor(
    private readonly stages: StageStore,
    private readonly onWarning: (doing: string, error: unknown) => void,
  ) {}

  /** Asks for a loop; it is made when it is the first to ask. */
  acquire(settings: LoopSettings): LoopLease {
    const { codec, fps, state, expression } = settings;
    const key = `${this.stages.keyOf(settings)} ${codec} ${fps} ${state} ${expression}`;
    const shared = this.loops.get(key) ?? { settings, loop: undefined, failed: false, users: 0 };
    this.loops.delete(key);
    this.loops.set(key, shared);
    shared.users++;
    this.makeNext();
    let held = true;
    return {
      get loop() {
        return shared.loop;
      },
      release: () => {
        if (!held) return;
        held = false;
        shared.users--;
        this.forget();
      },
    };
  }

  /** Resolves when no loop is being made any more. */
  async close(): Promise<void> {
    this.open = false;
    await this.making;
    this.loops.clear();
  }

  private makeNext(): void {
    if (this.making || !this.open) return;
    const next = [...this.loops.values()].find((shared) => !shared.loop && !shared.failed && shared.users > 0);
    if (!next) return;
    this.making = this.make(next).then(() => {
      this.making = undefined;
      this.makeNext();
    });
  }

  /** Never rejects: a session without a loop goes on drawing itself. */
  private async make(shared: SharedLoop): Promise<void> {
    try {
      shared.loop = await encodeLoop(shared.settings, this.stages, () => this.open && shared.users > 0);
    } catch (error) {
      shared.failed = true;
      this.onWarning('making an idle loop', error);
    }
  }

  private forget(): void {
    const unused = [...this.loops].filter(([, shared]) => shared.users === 0);
    for (const [key] of unused.slice(0, Math.max(0, unused.length - KEPT_UNUSED))) this.loops.delete(key);
  }
}

/** Draws and compresses a loop, a picture at a time so that sessions keep their turn. `undefined` when no longer wanted. */
async function encodeLoop(
  settings: LoopSettings,
  stages: StageStore,
  isWanted: () => boolean,
): Promise<IdleLoop | undefined> {
  const { codec, fps } = settings;
  const bitRate = codec === 'VP8' ? settings.bitRate * VP8_SHARE : settings.bitRate;
  const stage = stages.acquire(settings);
  const encoder = openVideoEncoder({
    codec,
    width: settings.width,
    height: settings.height,
    framesPerSecond: fps,
    bitRate: Math.round(bitRate),
    effort: 'once',
  });
  try {
    const poses = loopPoses(settings);
    const frames: LoopFrame[] = [];
    const gop = GOP_SECONDS * fps;
    for (const [index, pose] of poses.entries()) {
      if (!isWanted()) return undefined;
      const keyframe = index % gop === 0;
      await stage.prepare?.(pose);
      const encoded = await encoder.encode(stage.draw(pose), { keyframe });
      if (!encoded) throw new Error(`the encoder dropped picture ${index} of an idle loop`);
      const payloads = codec === 'H264' ? packetizeH264(encoded.data) : undefined;
      frames.push({ ...encoded, pose, payloads });
    }
    const bytes = frames.reduce((sum, { data }) => sum + data.length, 0);
    return {
      frames,
      entries: frames.flatMap(({ keyframe }, index) => (keyframe ? [index] : [])),
      bitsPerSecond: (8 * bytes) / LOOP_SECONDS,
    };
  } finally {
    encoder.close();
    stage.release();
  }
}

/** Poses of a loop: the last of them lead to the first as if there were no seam. */
export function loopPoses(settings: Pick<LoopSettings, 'pack' | 'fps' | 'expression' | 'state'>): Pose[] {
  const face = createLiveFace(hash(settings.pack.name), settings.expression);
  if (settings.state !== 'idle') face.setState(settings.state, 0);
  const step = samplesPerFrame(settings.fps);
  const runUp = RUN_UP_SECONDS * settings.fps;
  const count = LOOP_SECONDS * settings.fps;
  const seam = SEAM_SECONDS * settings.fps;
  const poses: Pose[] = [];
  for (let index = 0; index < runUp + count; index++) poses.push(face.poseAt(index * step));
  return poses.slice(runUp).map((pose, index) => {
    const share = ease((index - (count - seam)) / seam);
    return mixPoses(pose, poses[runUp + index - count] ?? pose, share);
  });
}

/** FNV-1a: a 32-bit number out of a name. */
export function hash(name: string): number {
  let value = 0x811c9dc5;
  for (const unit of Buffer.from(name, 'utf8')) value = Math.imul(value ^ unit, 0x01000193);
  return value | 0;
}

/** Frames of a stretch of time in samples. */
export function framesIn(samples: number, fps: FrameRate): number {
  return Math.round((samples * fps) / SAMPLE_RATE);
}
