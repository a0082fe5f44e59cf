import type { Pose } from '../../face/contract.js';
import { createLiveFace } from '../../face/index.js';
import { createCompositor, type PresenterPack } from '../../presenter/index.js';
import { samplesPerFrame } from '../../time.js';
import type { LivePicture } from '../contract.js';
import { openVideoEncoder } from './encoders.js';
import { StageStore } from './stage.js';

/** What one frame of a speaking presenter costs on this machine, in ms of one processor. */
export interface FrameCost {
  /** On the thread that all sessions share. */
  readonly drawMs: number;
  /** On any thread. */
  readonly encodeMs: number;
}

/** Three seconds: long enough for the mean, short enough for a start. */
const FRAMES = 75;
/** The first frames compile and allocate. */
const WARM_UP = 10;
/** Ceiling while it is measured; a quiet face stays below. */
const BIT_RATE = 2_000_000;

/**
 * Draws and encodes a talking presenter as fast as it goes, for a host to find out how many streams it carries. Processor time is
 * counted, not time on the clock: what else runs on the machine at the start does not make it seem slower.
 */
export async function measureFrameCost(pack: PresenterPack, picture: LivePicture): Promise<FrameCost> {
  const compositor = await createCompositor();
  const stage = new StageStore(compositor).acquire({ pack, ...picture });
  const { width, height, fps } = picture;
  const encoder = openVideoEncoder({ codec: 'H264', width, height, framesPerSecond: fps, bitRate: BIT_RATE });
  try {
    let drawn = 0;
    let before = process.cpuUsage();
    for (const [index, pose] of talkingPoses(WARM_UP + FRAMES, samplesPerFrame(fps)).entries()) {
      if (index === WARM_UP) {
        before = process.cpuUsage();
        drawn = 0;
      }
      const start = process.cpuUsage();
      await stage.prepare?.(pose);
      const frame = stage.draw(pose);
      drawn += cpuMs(start);
      await encoder.encode(frame, { keyframe: index === 0 });
    }
    const drawMs = drawn / FRAMES;
    return { drawMs, encodeMs: Math.max(0, cpuMs(before) / FRAMES - drawMs) };
  } finally {
    encoder.close();
    stage.release();
    compositor.close();
  }
}

/** A face that lives, with a mouth that opens and closes four times a second, about as often as syllables do. */
function talkingPoses(count: number, step: number): Pose[] {
  const face = createLiveFace(1);
  return Array.from({ length: count }, (_, index) => {
    const pose = face.poseAt(index * step);
    const open = 0.3 + 0.3 * Math.sin((2 * Math.PI * index) / 6);
    return { ...pose, mouth: { open, width: 0.2, consonants: {}, smile: 0 } };
  });
}

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}
