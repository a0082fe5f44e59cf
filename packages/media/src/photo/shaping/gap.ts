import type { Donor } from '../donor.js';
import { RESTING_PATCH } from '../donor.js';
import type { Point } from '../picture.js';
import type { Field } from './field.js';
import type { FaceMesh } from './mesh.js';

/**
 * The opening between the lips of the reference mouth, derived from the motion to closed lips, which collapses it to a
 * line.
 */
export interface LipGap {
  /** Reference px: the gap's corners are at x0 and x1. */
  readonly x0: number;
  readonly x1: number;
  /** Upper and lower edge at a column, reference px; they meet in the corners. */
  edgesAt(x: number): { readonly upper: number; readonly lower: number };
  /** Depth of a point inside the gap, px; negative outside. */
  depthAt(point: Point): number;
  /** The line of the closed lips at a column of the plate; `undefined` next to the mouth. */
  lineAt(x: number): number | undefined;
}

/** Where closing the lips compresses rows below this share, hardly any skin was visible: this is the gap. */
const PRESSED = 0.7;

/** A shorter run of rows is a fold of the skin, not a gap, px. */
const MIN_RUN = 6;

/** Part of the mouth box, from its top, that is searched for lips. */
const SEARCHED = 0.75;

/** Share of the mouth's width, in its middle, in which the motion shows the gap's edges; the corners are too narrow for its lattice. */
const CLEAR = 0.34;

/** Inner corners of the mouth in the face mesh, and how far the gap reaches beyond them, px. */
const CORNERS = [78, 308] as const;
const BEYOND = 3;

/**
 * Finds the gap in a donor's motion: its height in the middle, and from there an ellipse on each side of the line
 * between the corners.
 */
export function findLipGap({ manifest, motions }: Donor, mesh: FaceMesh): LipGap {
  const closing = closingMotion(manifest, motions);
  const [left, right] = CORNERS.map((i) => closing.invert(mesh.points[i]!)) as [Point, Point];
  const [x0, x1] = [left.x - BEYOND, right.x + BEYOND];
  const middle = (x0 + x1) / 2;
  const [, boxY, , boxBottom] = manifest.mouth.box;
  const rows = { from: boxY, to: boxY + SEARCHED * (boxBottom - boxY) };
  const runs: { upper: number; lower: number }[] = [];
  for (let x = Math.round(middle - (CLEAR / 2) * (x1 - x0)); x < middle + (CLEAR / 2) * (x1 - x0); x++) {
    const run = longestRun(closing, x, rows);
    if (run !== undefined) runs.push(run);
  }
  if (runs.length === 0) throw new Error(`presenter ${manifest.name}: expected a mouth that opens, found none`);
  const [upper, lower] = [median(runs.map((run) => run.upper)), median(runs.map((run) => run.lower))];
  const edgesAt = (x: number) => {
    const t = Math.min(Math.max((x - x0) / (x1 - x0), 0), 1);
    const line = left.y + t * (right.y - left.y);
    const round = Math.sqrt(1 - (2 * t - 1) ** 2);
    return { upper: line + round * (upper - line), lower: line + round * (lower - line) };
  };
  const line: Point[] = [];
  for (let x = Math.ceil(x0); x <= x1; x++) {
    const edges = edgesAt(x);
    line.push(closing.move({ x, y: (edges.upper + edges.lower) / 2 }));
  }
  return {
    x0,
    x1,
    edgesAt,
    depthAt({ x, y }) {
      const edges = edgesAt(x);
      return Math.min(y - edges.upper, edges.lower - y, x - x0, x1 - x);
    },
    lineAt(x) {
      const at = line.findIndex((point) => point.x >= x);
      if (at <= 0) return undefined;
      const [a, b] = [line[at - 1]!, line[at]!];
      return a.y + ((b.y - a.y) * (x - a.x)) / (b.x - a.x);
    },
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
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
  rows: { from: number; to: number },
): { upper: number; lower: number } | undefined {
  let best = { upper: 0, lower: -1 };
  let start: number | undefined;
  let before = closing.move({ x, y: rows.from }).y;
  for (let y = rows.from + 1; y < rows.to; y++) {
    const now = closing.move({ x, y }).y;
    if (now - before < PRESSED) {
      start ??= y - 1;
      if (y - start > best.lower - best.upper) best = { upper: start, lower: y };
    } else start = undefined;
    before = now;
  }
  return best.lower - best.upper < MIN_RUN ? undefined : best;
}
