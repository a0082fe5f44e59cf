import type { FrameRate } from '@figurehead/contract/document';
import { FRAME_RATES } from '@figurehead/contract/document/output';

/**
 * The engine's time base. Inside `media` time is a whole number of samples (48 kHz) or of video frames;
 * seconds and milliseconds appear only at the edges, with the unit in the name.
 */

/** Samples per second of every PCM buffer in the engine. */
export const SAMPLE_RATE = 48_000;

export { FRAME_RATES, type FrameRate };

/** Samples per frame: 1920, 1600, 960 or 800. */
export function samplesPerFrame(fps: FrameRate): number {
  return SAMPLE_RATE / fps;
}

/** Sample at which frame number `frame` (from 0) begins. */
export function frameToSample(frame: number, fps: FrameRate): number {
  return frame * samplesPerFrame(fps);
}

/** Number of frames needed to show `samples` samples, rounded up. */
export function framesFor(samples: number, fps: FrameRate): number {
  return Math.ceil(samples / samplesPerFrame(fps));
}

/** Seconds (float) to the nearest whole sample. */
export function secondsToSamples(seconds: number): number {
  return Math.round(seconds * SAMPLE_RATE);
}

/** Samples to seconds (float). */
export function samplesToSeconds(samples: number): number {
  return samples / SAMPLE_RATE;
}
