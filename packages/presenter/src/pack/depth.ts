import { allocate } from '../frame.js';

/** Depths on a grid. */
export interface DepthMap {
  readonly width: number;
  readonly height: number;
  /** 0…255 */
  readonly data: Uint8Array;
}

/**
 * Deviation of the blur, px of a plate 1080 px high. Where depth jumps, as from the jaw to the hair behind it, a turned head would be torn:
 * its warp must not change by more than the distance between two points. At 15 degrees this width keeps it below two thirds.
 */
export const DEPTH_BLUR = 48;

/** Box blurs in a row, which approximate a Gaussian. */
const PASSES = 3;

/** The map blurred, in shared memory. `sigma` in cells of the grid. */
export function blurDepth({ width, height, data }: DepthMap, sigma: number): DepthMap {
  // The variance of a box of 2r + 1 samples is ((2r + 1)² − 1) / 12.
  const radius = Math.round((Math.sqrt((12 * sigma * sigma) / PASSES + 1) - 1) / 2);
  const from = Float32Array.from(data);
  const to = new Float32Array(data.length);
  for (let pass = 0; pass < PASSES; pass++) {
    for (let y = 0; y < height; y++) blurLine(from, to, { start: y * width, step: 1, length: width, radius });
    for (let x = 0; x < width; x++) blurLine(to, from, { start: x, step: width, length: height, radius });
  }
  const blurred = new Uint8Array(allocate(data.length));
  for (let i = 0; i < data.length; i++) blurred[i] = Math.round(from[i]!);
  return { width, height, data: blurred };
}

interface Line {
  readonly start: number;
  readonly step: number;
  readonly length: number;
  readonly radius: number;
}

/** Running means along a line; beyond its ends it repeats its last samples. */
function blurLine(from: Float32Array, to: Float32Array, { start, step, length, radius }: Line): void {
  const at = (i: number): number => from[start + Math.min(Math.max(i, 0), length - 1) * step]!;
  let sum = 0;
  for (let i = -radius; i <= radius; i++) sum += at(i);
  for (let i = 0; i < length; i++) {
    to[start + i * step] = sum / (2 * radius + 1);
    sum += at(i + radius + 1) - at(i - radius);
  }
}
