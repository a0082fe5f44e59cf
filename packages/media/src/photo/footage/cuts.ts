import type { Picture } from '../picture.js';
import type { MeshPoint } from '../shaping/mesh.js';
import { lumaOf } from '../shaping/sampling.js';

/** Columns and rows of the coarse picture that is compared from frame to frame. */
const COARSE = { columns: 24, rows: 18 } as const;

/** Mean change of the coarse picture that is a cut in any case, and with a jump of the face; 0…255. */
const CUT = 34;
const CUT_WITH_JUMP = 7;

/**
 * A change between two frames is a cut if it is `SPIKE` times as large as the changes before and after it, because people accelerate over
 * several frames. It must also exceed `LEAST_SPIKE`, plus `SPIKE_PER_SECOND` for the time between the frames: at a low rate a quick turn takes one step.
 */
const SPIKE = 3;
const LEAST_SPIKE = 8;
const SPIKE_PER_SECOND = 55;

/** Speed of a face that people do not reach, in widths of the face at the eyes per second. */
const JUMP_PER_SECOND = 5.6;

/** Time between two frames of a film of a minute, seconds. */
const USUAL_INTERVAL = 0.08;

/** A moment of the film. */
export interface FilmMoment {
  readonly seconds: number;
  readonly picture: Picture;
  /** The face, if one is seen. */
  readonly points: readonly MeshPoint[] | undefined;
}

/** Finds cuts from frame to frame. */
export class CutWatch {
  private before: { seconds: number; coarse: Float32Array; points: readonly MeshPoint[] | undefined } | undefined;
  private changes: { seconds: number; change: number; interval: number }[] = [];
  /** Greatest change so far, 0…255. */
  greatest = 0;

  /** Takes the next moment. @returns the second of a cut at it or just before it. */
  cutAt({ seconds, picture, points }: FilmMoment): number | undefined {
    const { before } = this;
    const coarse = coarsened(picture);
    this.before = { seconds, coarse, points };
    if (before === undefined) return undefined;
    const change = coarse.reduce((sum, value, i) => sum + Math.abs(value - before.coarse[i]!), 0) / coarse.length;
    const interval = seconds - before.seconds;
    this.greatest = Math.max(this.greatest, change);
    this.changes = [...this.changes.slice(-2), { seconds, change, interval }];
    const isJump = hasJumped(before.points, points, interval);
    if (change > CUT || (isJump && change > CUT_WITH_JUMP)) return seconds;
    return this.spike();
  }

  /** The time of the last change but one, if it is a spike. */
  private spike(): number | undefined {
    const [first, middle, last] = this.changes;
    if (first === undefined || middle === undefined || last === undefined) return undefined;
    const least = LEAST_SPIKE + SPIKE_PER_SECOND * Math.max(0, middle.interval - USUAL_INTERVAL);
    const isSpike = middle.change > Math.max(least, SPIKE * first.change, SPIKE * last.change);
    return isSpike ? middle.seconds : undefined;
  }
}

function hasJumped(
  before: readonly MeshPoint[] | undefined,
  now: readonly MeshPoint[] | undefined,
  interval: number,
): boolean {
  if (before === undefined || now === undefined) return false;
  const width = (points: readonly MeshPoint[]): number =>
    Math.hypot(points[33]!.x - points[263]!.x, points[33]!.y - points[263]!.y);
  const shift = Math.hypot(now[1]!.x - before[1]!.x, now[1]!.y - before[1]!.y) / width(before);
  return shift > JUMP_PER_SECOND * Math.max(interval, USUAL_INTERVAL);
}

/** Mean luma of the cells of a coarse grid. */
function coarsened({ width, height, data }: Picture): Float32Array {
  const { columns, rows } = COARSE;
  const sums = new Float32Array(columns * rows);
  const counts = new Float32Array(columns * rows);
  const step = Math.max(1, Math.floor(width / (columns * 4)));
  for (let y = 0; y < height; y += step) {
    const row = Math.floor((y * rows) / height) * columns;
    for (let x = 0; x < width; x += step) {
      const cell = row + Math.floor((x * columns) / width);
      sums[cell] = sums[cell]! + lumaOf(data, (y * width + x) * 4);
      counts[cell] = counts[cell]! + 1;
    }
  }
  return sums.map((sum, cell) => sum / Math.max(1, counts[cell]!));
}
