import type { Expression, Pose, PresenterState } from '@figurehead/presenter/face';
import { createLiveFace } from '@figurehead/presenter/face';
import type { FrameRate } from '@figurehead/presenter/time';
import { samplesPerFrame } from '@figurehead/presenter/time';
import { packetizeH264 } from '../rtp/h264.js';
import { LiveVideoEncoder, type VideoCodec } from './encoders.js';
import { ease, mixPoses } from './pose-mix.js';
import type { SurfacePool, SurfaceSettings } from './surface.js';

/** Long enough that the repetition is not noticed, short enough to be encoded within seconds. */
const LOOP_SECONDS = 16;
/** Seconds between two keyframes, at which a session can enter. Several entries keep sessions from breathing in unison. */
const GOP_SECONDS = 4;
/** The end of a loop blends into its beginning over this time. */
const SEAM_SECONDS = 1.5;
/** Poses before the beginning of the loop, which the seam blends towards. */
const RUN_UP_SECONDS = 3;
/** Unused loops in the cache, for the next session that looks the same. */
const MAX_UNUSED = 8;
/** Share of the bit rate for VP8: libvpx uses all of it, and an idle face needs less. */
const VP8_SHARE = 0.5;

export interface LoopSettings extends SurfaceSettings {
  readonly codec: VideoCodec;
  readonly fps: FrameRate;
  readonly expression: Expression;
  readonly state: Exclude<PresenterState, 'speaking'>;
  /** Maximum bits per second. */
  readonly bitRate: number;
}

/** A compressed picture of a loop. */
export interface LoopFrame {
  readonly pose: Pose;
  readonly data: Uint8Array;
  readonly keyframe: boolean;
  /** RTP payloads, shared by all sessions; `undefined` for VP8, which numbers pictures per session. */
  readonly payloads: readonly Uint8Array[] | undefined;
}

/** The encoded pictures of an idle presenter; the last one leads to the first. */
export interface IdleLoop {
  readonly frames: readonly LoopFrame[];
  /** Indexes of keyframes, at which playback can start. */
  readonly entries: readonly number[];
  /** Mean over the loop. */
  readonly bitsPerSecond: number;
}

/** A session's lease on a loop. */
export interface LoopLease {
  /** `undefined` until it has been encoded. */
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

/** Encodes idle loops one after another in the background and shares them between sessions. The creator closes it. */
export class IdleLoops {
  /** In order of last use, the oldest first. */
  private readonly loops = new Map<string, SharedLoop>();
  private making: Promise<void> | undefined;
  private open = true;

  constructor(
    private readonly surfaces: SurfacePool,
    private readonly onWarning: (doing: string, error: unknown) => void,
  ) {}

  /** Leases a loop; the first lease starts its encoding. */
  acquire(settings: LoopSettings): LoopLease {
    const { codec, fps, state, expression } = settings;
    const key = `${this.surfaces.keyOf(settings)} ${codec} ${fps} ${state} ${expression}`;
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
        this.evictUnused();
      },
    };
  }

  /** Resolves when encoding has stopped. */
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

  /** Never rejects: a session without a loop continues to draw its own pictures. */
  private async make(shared: SharedLoop): Promise<void> {
    try {
      shared.loop = await encodeLoop(shared.settings, this.surfaces, () => this.open && shared.users > 0);
    } catch (error) {
      shared.failed = true;
      this.onWarning('making an idle loop', error);
    }
  }

  private evictUnused(): void {
    const unused = [...this.loops].filter(([, shared]) => shared.users === 0);
    for (const [key] of unused.slice(0, Math.max(0, unused.length - MAX_UNUSED))) this.loops.delete(key);
  }
}

/** Draws and encodes a loop, one picture at a time so that it does not block sessions. `undefined` when it is no longer needed. */
async function encodeLoop(
  settings: LoopSettings,
  surfaces: SurfacePool,
  isWanted: () => boolean,
): Promise<IdleLoop | undefined> {
  const { codec, fps } = settings;
  const bitRate = codec === 'VP8' ? settings.bitRate * VP8_SHARE : settings.bitRate;
  const surface = surfaces.acquire(settings);
  const encoder = new LiveVideoEncoder({
    codec,
    width: surface.width,
    height: surface.height,
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
      const encoded = await encoder.encode(surface.draw(pose), { keyframe });
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
    surface.release();
  }
}

/** Poses of a loop, of which the last ones blend into the first. */
export function loopPoses(settings: Pick<LoopSettings, 'pack' | 'fps' | 'expression' | 'state'>): Pose[] {
  const face = createLiveFace(hash(settings.pack.name), settings.expression, settings.pack.motion);
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

/** FNV-1a: a 32-bit hash of a name. */
export function hash(name: string): number {
  let value = 0x811c9dc5;
  for (const unit of Buffer.from(name, 'utf8')) value = Math.imul(value ^ unit, 0x01000193);
  return value | 0;
}
