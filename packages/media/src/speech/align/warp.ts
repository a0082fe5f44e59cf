import type { Spectrum } from '@figurehead/presenter/sound';
import { cepstra, FRAME_HOP } from './mfcc.js';

/** Share of the longer utterance by which the paths may differ from the straight line, at least 40 frames. */
const BAND = 0.2;

/** Cost of a step in only one utterance, in average distances: keeps the path near the diagonal where both are alike. */
const STAY = 0.15;

/** Cost factor of a diagonal step, which replaces two steps and must not be preferred only for that. */
const DIAGONAL = 1.5;

/** Delay of the sounds found in other engines' speech against their true times, in samples (measured with Flite's four voices). */
const LATENESS = 0.4 * FRAME_HOP;

/** Candidate vocal tract lengths of the speaker, relative to the reference. */
const STRETCHES = [0.9, 1, 1.08, 1.16];

/**
 * Dynamic time warping (Sakoe & Chiba 1978) of two renderings of the same words by different speakers: maps a sample of the
 * reference `a` to the sample of `b` with the same sound. Monotone. The reference is normalised to the vocal tract length with the
 * smallest distance.
 */
export function warp(a: readonly Spectrum[], b: readonly Spectrum[]): (sample: number) => number {
  const along = alongPath(warpPath(a, b));
  return (sample) => Math.max(0, Math.round(along(sample / FRAME_HOP) * FRAME_HOP - LATENESS));
}

/** For each frame of `a` the frame of `b`, with a fraction, at which the same sound is heard; as {@link warp}. */
export function warpPath(a: readonly Spectrum[], b: readonly Spectrum[]): Float64Array {
  const heard = cepstra(b);
  const paths = STRETCHES.map((stretch) => cheapestPath(cepstra(a, stretch), heard));
  return paths.reduce((best, next) => (next.cost < best.cost ? next : best)).path;
}

/** Reads a path of {@link warpPath} between its frames. */
export function alongPath(path: Float64Array): (frame: number) => number {
  return (frame) => {
    const at = Math.min(path.length - 1, frame);
    const low = Math.floor(at);
    const from = path[low]!;
    const to = path[Math.min(path.length - 1, low + 1)]!;
    return from + (to - from) * (at - low);
  };
}

/** For each frame of `a` the mean of the frames of `b` that it is paired with, and the total cost. */
function cheapestPath(
  a: readonly Float32Array[],
  b: readonly Float32Array[],
): { readonly path: Float64Array; readonly cost: number } {
  const slope = b.length / a.length;
  const width = Math.ceil(Math.max(40, BAND * Math.max(a.length, b.length)));
  const columns = 2 * width + 1;
  const first = (row: number): number => Math.round(row * slope) - width;
  // Costs of the previous and the current row; for the whole grid only the steps are kept.
  let [before, cost] = [new Float64Array(columns), new Float64Array(columns)];
  const step = new Uint8Array(a.length * columns);
  const at = (costs: Float64Array, row: number, column: number): number => {
    const offset = column - first(row);
    return row < 0 || offset < 0 || offset >= columns ? Number.POSITIVE_INFINITY : costs[offset]!;
  };
  const stay = STAY * meanDistance(a, b);
  for (let row = 0; row < a.length; row++) {
    [before, cost] = [cost, before];
    cost.fill(Number.POSITIVE_INFINITY);
    for (let offset = 0; offset < columns; offset++) {
      const column = first(row) + offset;
      if (column < 0 || column >= b.length) continue;
      const here = distance(a[row]!, b[column]!);
      if (row === 0 && column === 0) {
        cost[offset] = here;
        continue;
      }
      const diagonal = at(before, row - 1, column - 1) + (DIAGONAL - 1) * here;
      const down = at(before, row - 1, column) + stay;
      const right = at(cost, row, column - 1) + stay;
      const best = Math.min(diagonal, down, right);
      cost[offset] = best + here;
      step[row * columns + offset] = best === diagonal ? 0 : best === down ? 1 : 2;
    }
  }
  const path = trace(step, { rows: a.length, last: b.length - 1, columns, first });
  return { path, cost: at(cost, a.length - 1, b.length - 1) };
}

function trace(
  step: Uint8Array,
  grid: { rows: number; last: number; columns: number; first: (row: number) => number },
): Float64Array {
  const sums = new Float64Array(grid.rows);
  const counts = new Float64Array(grid.rows);
  let row = grid.rows - 1;
  let column = grid.last;
  while (row >= 0 && column >= 0) {
    sums[row]! += column;
    counts[row]! += 1;
    const direction = step[row * grid.columns + (column - grid.first(row))];
    if (row === 0 && column === 0) break;
    if (direction !== 2) row--;
    if (direction !== 1) column--;
  }
  return sums.map((sum, index) => sum / Math.max(1, counts[index]!));
}

function distance(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < a.length; n++) {
    const difference = a[n]! - b[n]!;
    sum += difference * difference;
  }
  return Math.sqrt(sum);
}

/** Mean distance along the straight line, for scale. */
function meanDistance(a: readonly Float32Array[], b: readonly Float32Array[]): number {
  let sum = 0;
  for (let row = 0; row < a.length; row++) {
    sum += distance(a[row]!, b[Math.min(b.length - 1, Math.floor((row * b.length) / a.length))]!);
  }
  return sum / a.length;
}
