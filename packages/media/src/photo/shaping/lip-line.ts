import type { Picture, Point } from '../picture.js';
import { lumaOf } from './sampling.js';

/** Search range above and below the guess, in widths of the mouth. */
const REACH = 0.11;

/** Distance of the rows whose brightness is compared with the line, in widths of the mouth. */
const BANK = 0.06;

/** Cost of a step of one row from the guess's course, in luma steps, and of the distance to the guess, per row squared. */
const STEP_COST = 1.5;
const GUESS_COST = 0.06;

/**
 * Finds the line between closed lips: the dark valley from one corner to the other.
 * @param guess approximate points of the line from left to right.
 * @returns one row per whole column between the first and the last point of the guess.
 */
export function findLipLine(picture: Picture, guess: readonly Point[]): { x0: number; rows: Float32Array } {
  const x0 = Math.round(guess[0]!.x);
  const x1 = Math.round(guess.at(-1)!.x);
  const width = x1 - x0;
  const reach = Math.max(3, Math.round(REACH * width));
  const bank = Math.max(3, Math.round(BANK * width));
  const heights = 2 * reach + 1;
  const costs = new Float32Array((width + 1) * heights);
  const from = new Int8Array((width + 1) * heights);
  const guessed = Array.from({ length: width + 1 }, (_, i) => Math.round(rowOf(guess, x0 + i)));
  for (let i = 0; i <= width; i++) {
    for (let k = 0; k < heights; k++) {
      const y = guessed[i]! - reach + k;
      // Darker than both lips: bright skin above a dark lip does not make the lip a valley.
      const depth =
        lightness(picture, x0 + i, y) -
        Math.min(lightness(picture, x0 + i, y - bank), lightness(picture, x0 + i, y + bank));
      // The corners are taken from the guess.
      const near = Math.min(i, width - i) < 0.06 * width ? 6 : 1;
      let least = 0;
      if (i > 0) {
        least = Infinity;
        for (let step = -2; step <= 2; step++) {
          const before = k + step;
          if (before < 0 || before >= heights) continue;
          const cost = costs[(i - 1) * heights + before]! + STEP_COST * Math.abs(step);
          if (cost < least) {
            least = cost;
            from[i * heights + k] = before;
          }
        }
      }
      costs[i * heights + k] = least + depth + near * GUESS_COST * (k - reach) ** 2;
    }
  }
  const rows = new Float32Array(width + 1);
  let k = 0;
  for (let j = 1; j < heights; j++) if (costs[width * heights + j]! < costs[width * heights + k]!) k = j;
  for (let i = width; i >= 0; i--) {
    rows[i] = guessed[i]! - reach + k;
    k = from[i * heights + k]!;
  }
  return { x0, rows: smooth(rows, Math.max(1, Math.round(width / 40))) };
}

/** Row at which a line through points crosses a column. */
function rowOf(line: readonly Point[], x: number): number {
  const next = line.findIndex((point, i) => i > 0 && point.x >= x);
  // The last whole column may be right of the last point.
  const [a, b] = next < 0 ? [line.at(-2)!, line.at(-1)!] : [line[next - 1]!, line[next]!];
  return a.y + ((b.y - a.y) * (x - a.x)) / Math.max(1, b.x - a.x);
}

/** Luma of three neighbouring px. */
function lightness({ width, height, data }: Picture, x: number, y: number): number {
  const row = Math.min(Math.max(y, 0), height - 1) * width;
  let sum = 0;
  for (let i = -1; i <= 1; i++) sum += lumaOf(data, (row + Math.min(Math.max(x + i, 0), width - 1)) * 4);
  return sum / 3;
}

function smooth(values: Float32Array, radius: number): Float32Array {
  return values.map((_, i) => {
    const part = values.subarray(Math.max(0, i - radius), i + radius + 1);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}
