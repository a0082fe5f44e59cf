import type { Donor } from '../donor.js';
import { RESTING_PATCH } from '../donor.js';
import type { Point } from '../picture.js';
import type { Field } from './field.js';

/**
 * The opening between the lips of the reference mouth, derived from the motion to closed lips, which collapses it to a
 * line.
 */
export interface LipGap {
  /** Reference px: the gap's columns are x0 ≤ x ≤ x1. */
  readonly x0: number;
  readonly x1: number;
  /** Upper and lower edge at a column, reference px; outside, of the nearest column. */
  edgesAt(x: number): { readonly upper: number; readonly lower: number };
  /** Depth of a point inside the gap, px; negative outside. */
  depthAt(point: Point): number;
  /** The line of the closed lips at a column of the plate; `undefined` next to the mouth. */
  lineAt(x: number): number | undefined;
}

/** Where closing the lips compresses rows below this share, there is no skin between them: this locates the mouth. */
const COLLAPSED = 0.35;

/** Where rows are compressed below this share, hardly any skin was visible on closed lips: this is the gap's edge. */
const PRESSED = 0.7;

/** A shorter run of rows is a fold of the skin, not a gap, px. */
const MIN_RUN = 6;

/**
 * The gap's edges are known to one cell of the motion's lattice; they are smoothed over this many columns on each side.
 */
const SMOOTHED = 8;

/** Depth per px inside the gap's corners. */
const CORNER = 0.4;

/** Part of the mouth box, from its top, that is searched for lips. */
const SEARCHED = 0.75;

/** Finds the gap in a donor's motion. */
export function findLipGap({ manifest, motions }: Donor): LipGap {
  const [boxX, boxY, boxRight, boxBottom] = manifest.mouth.box;
  const closing = closingMotion(manifest, motions);
  const runs = new Map<number, { upper: number; lower: number; line: Point }>();
  for (let x = boxX; x < boxRight; x++) {
    const rows = { from: boxY, to: boxY + SEARCHED * (boxBottom - boxY) };
    const run = longestRun(closing, x, { ...rows, share: PRESSED });
    if (run !== undefined && longestRun(closing, x, { ...rows, share: COLLAPSED }) !== undefined)
      runs.set(x, { ...run, line: closing.move({ x, y: (run.upper + run.lower) / 2 }) });
  }
  const [x0, x1] = widestStretch([...runs.keys()]);
  const smooth = (x: number, value: (run: { upper: number; lower: number }) => number): number => {
    let sum = 0;
    let count = 0;
    for (let i = Math.max(x - SMOOTHED, x0); i <= Math.min(x + SMOOTHED, x1); i++) {
      const run = runs.get(i);
      if (run === undefined) continue;
      sum += value(run);
      count++;
    }
    return sum / count;
  };
  const edges = new Map<number, { upper: number; lower: number }>();
  const line: Point[] = [];
  for (let x = x0; x <= x1; x++) {
    edges.set(x, { upper: smooth(x, (run) => run.upper), lower: smooth(x, (run) => run.lower) });
    const run = runs.get(x);
    if (run !== undefined) line.push(run.line);
  }
  const edgesAt = (x: number) => edges.get(Math.min(Math.max(Math.round(x), x0), x1))!;
  return {
    x0,
    x1,
    edgesAt,
    depthAt({ x, y }) {
      const { upper, lower } = edgesAt(x);
      // Softer at the corners, where the donor's lips and the portrait's agree least.
      return Math.min(y - upper, lower - y, CORNER * (x - x0), CORNER * (x1 - x));
    },
    lineAt(x) {
      const at = line.findIndex((point) => point.x >= x);
      if (at <= 0) return undefined;
      const [a, b] = [line[at - 1]!, line[at]!];
      return a.y + ((b.y - a.y) * (x - a.x)) / (b.x - a.x);
    },
  };
}

/** The motion from the reference mouth to closed lips. */
export function closingMotion(manifest: Donor['manifest'], motions: readonly Field[]): Field {
  const closing = motions[manifest.mouth.patches.findIndex(({ id }) => id === RESTING_PATCH)];
  if (closing === undefined)
    throw new Error(`presenter ${manifest.name}: expected a patch ${RESTING_PATCH}, found none`);
  return closing;
}

function longestRun(
  closing: Field,
  x: number,
  rows: { from: number; to: number; share: number },
): { upper: number; lower: number } | undefined {
  let best = { upper: 0, lower: -1 };
  let start: number | undefined;
  let before = closing.move({ x, y: rows.from }).y;
  for (let y = rows.from + 1; y < rows.to; y++) {
    const now = closing.move({ x, y }).y;
    if (now - before < rows.share) {
      start ??= y - 1;
      if (y - start > best.lower - best.upper) best = { upper: start, lower: y };
    } else start = undefined;
    before = now;
  }
  return best.lower - best.upper < MIN_RUN ? undefined : best;
}

/** The longest run of columns without a hole of more than a few px. */
function widestStretch(columns: readonly number[]): [number, number] {
  let best: [number, number] = [0, 0];
  let start = columns[0] ?? 0;
  columns.forEach((x, i) => {
    const before = columns[i - 1] ?? x;
    if (x - before > SMOOTHED) start = x;
    if (x - start > best[1] - best[0]) best = [start, x];
  });
  if (best[1] === best[0]) throw new Error('expected a mouth that opens, found none');
  return best;
}
