import type { Pose } from '@figurehead/presenter/face';
import { createLiveFace } from '@figurehead/presenter/face';
import { samplesPerFrame } from '@figurehead/presenter/time';
import { createCompositor, type PresenterPack } from '../../presenter/index.js';
import type { LivePicture } from '../contract.js';
import { LiveVideoEncoder } from './encoders.js';
import { SurfacePool } from './surface.js';

/** Processor time of one frame of a speaking presenter on this machine, ms. */
export interface FrameCost {
  /** On the thread that all sessions share. */
  readonly drawMs: number;
  /** On any thread. */
  readonly encodeMs: number;
}

/** Three seconds: enough for a mean, short enough to run at every start. */
const FRAMES = 75;
/** Frames before the measurement, during which code is compiled and memory allocated. */
const WARM_UP = 10;
/** Ceiling during the measurement, which the encoder does not reach. */
const BIT_RATE = 2_000_000;

/**
 * Draws and encodes a speaking presenter as fast as possible, so that a host can compute its capacity. Measures processor time,
 * so that other load on the machine does not change the result.
 */
export async function measureFrameCost(pack: PresenterPack, picture: LivePicture): Promise<FrameCost> {
  const compositor = await createCompositor();
  const surface = new SurfacePool(compositor).acquire({ pack, ...picture });
  const { width, height, fps } = picture;
  const encoder = new LiveVideoEncoder({ codec: 'H264', width, height, framesPerSecond: fps, bitRate: BIT_RATE });
  try {
    let drawn = 0;
    let before = process.cpuUsage();
    for (const [index, pose] of talkingPoses(WARM_UP + FRAMES, samplesPerFrame(fps)).entries()) {
      if (index === WARM_UP) {
        before = process.cpuUsage();
        drawn = 0;
      }
      const start = process.cpuUsage();
      const frame = surface.draw(pose);
      drawn += cpuMs(start);
      await encoder.encode(frame, { keyframe: index === 0 });
    }
    const drawMs = drawn / FRAMES;
    return { drawMs, encodeMs: Math.max(0, cpuMs(before) / FRAMES - drawMs) };
  } finally {
    encoder.close();
    surface.release();
    compositor.close();
  }
}

/** A face with idle movements whose mouth opens and closes four times per second, about the rate of syllables. */
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
