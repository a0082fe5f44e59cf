import { smoothstep } from '@figurehead/presenter/easing';
import type { Donor } from '../donor.js';
import { RESTING_PATCH } from '../donor.js';
import type { Point } from '../picture.js';
import { DisplacementField } from './field.js';
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

/** How far beyond the gap's edges the motion is that of the lips, px, and over how many px along them it is averaged. */
const ON_LIP = 8;
const ALONG = 8;

/** How far from a lip's edge its own correction of a motion has faded out, px; and from a corner of the mouth, over how many px it comes in. */
const FADED = 32;
const FROM_CORNER = 14;

/** The rounded and the neutral closed mouth, from narrow to wide. */
const CLOSED = ['g00', 'g01', RESTING_PATCH];

/**
 * A donor's motions, so that its closed lips touch. Rounded lips swell towards each other, which the motion of skin beside them does not
 * show: it would leave a gap of a third of an open mouth's. What it leaves in a closed shape is taken from all shapes of that width.
 */
export function closingMotions({ manifest, motions }: Donor, gap: LipGap): DisplacementField[] {
  const even = motions.map((motion) => bridged(motion, gap));
  const closed = CLOSED.map((id) => {
    const motion = even[manifest.mouth.patches.findIndex((patch) => patch.id === id)];
    if (motion === undefined) throw new Error(`presenter ${manifest.name}: expected a patch ${id}, found none`);
    const { upper, lower } = rimsOf(motion, gap);
    return { width: widthOf(upper), excess: smoothed(upper.map((top, i) => (lower[i]!.y - top.y) / 2)) };
  });
  return even.map((motion, patch) => {
    const width = widthOf(rimsOf(motion, gap).upper);
    const wider = closed.findIndex((shape, k) => k > 0 && shape.width >= width);
    const next = wider < 0 ? closed.length - 1 : wider;
    const [a, b] = [closed[next - 1]!, closed[next]!];
    const t = Math.min(Math.max((width - a.width) / (b.width - a.width), 0), 1);
    return bridged(motions[patch]!, gap, (x) => {
      const i = Math.min(Math.max(Math.round(x - gap.x0), 0), a.excess.length - 1);
      const fromCorner = Math.min(Math.max(Math.min(x - gap.x0, gap.x1 - x) / FROM_CORNER, 0), 1);
      return fromCorner * (a.excess[i]! + t * (b.excess[i]! - a.excess[i]!));
    });
  });
}

function widthOf(rim: readonly Point[]): number {
  return rim.at(-1)!.x - rim[0]!.x;
}

/**
 * A donor's motion with an even transition between the lips, where there is no skin. The donor's own jumps there from
 * one lip to the other, raggedly, which would show when shapes are mixed.
 * @param excess how much too far it moves each lip from the other at a column, px.
 */
function bridged(
  motion: DisplacementField,
  { x0, x1, edgesAt }: LipGap,
  excess: (x: number) => number = () => 0,
): DisplacementField {
  const onLip = (x: number, y: number): Point => {
    const places = [x - ALONG, x, x + ALONG].map((column) => motion.at({ x: Math.min(Math.max(column, x0), x1), y }));
    return {
      x: places.reduce((sum, by) => sum + by.x, 0) / places.length,
      y: places.reduce((sum, by) => sum + by.y, 0) / places.length,
    };
  };
  return DisplacementField.of((at) => {
    if (at.x <= x0 || at.x >= x1) return motion.move(at);
    const { upper, lower } = edgesAt(at.x);
    const [from, until] = [upper - ON_LIP, lower + ON_LIP];
    const together = excess(at.x);
    if (at.y <= from || at.y >= until) {
      const far = Math.max(from - at.y, at.y - until);
      const { x, y } = motion.move(at);
      return { x, y: y + (at.y <= from ? 1 : -1) * together * (1 - smoothstep(0, FADED, far)) };
    }
    const t = (at.y - from) / (until - from);
    const [above, below] = [onLip(at.x, from), onLip(at.x, until)];
    return {
      x: at.x + above.x + t * (below.x - above.x),
      y: at.y + above.y + t * (below.y - above.y) + (1 - 2 * t) * together,
    };
  }, motion.lattice);
}

/** Upper and lower edge of the gap after a motion, one point for each column of the reference mouth. */
function rimsOf(motion: DisplacementField, gap: LipGap): { upper: Point[]; lower: Point[] } {
  const [upper, lower]: [Point[], Point[]] = [[], []];
  for (let x = gap.x0; x <= gap.x1; x++) {
    const edges = gap.edgesAt(x);
    // Between the lips the motion is a bridge, so that of the lips themselves is continued to their edges.
    const over = motion.move({ x, y: edges.upper - ON_LIP });
    const under = motion.move({ x, y: edges.lower + ON_LIP });
    upper.push({ x: over.x, y: over.y + ON_LIP });
    lower.push({ x: under.x, y: under.y - ON_LIP });
  }
  return { upper, lower };
}

/** The opening between the lips in one shape of the mouth, px of the donor. */
export interface Opening {
  /** Upper and lower edge at a column; equal at the corners and beyond. */
  edgesAt(x: number): { readonly upper: number; readonly lower: number };
  /** Centre between the corners. */
  readonly middle: number;
  /** Distance between the corners. */
  readonly width: number;
}

/** The motion's lattice makes edges ragged; they are smoothed over this many columns on each side. */
const SMOOTHED = 6;

/** The opening into which a motion moves the gap. */
export function openingOf(motion: DisplacementField, gap: LipGap): Opening {
  const { upper, lower } = rimsOf(motion, gap);
  const from = Math.round((upper[0]!.x + lower[0]!.x) / 2);
  const until = Math.round((upper.at(-1)!.x + lower.at(-1)!.x) / 2);
  const [above, below] = [rowsOf(upper, from, until), rowsOf(lower, from, until)];
  for (const end of [0, until - from]) above[end] = below[end] = (above[end]! + below[end]!) / 2;
  const rows = [smoothed(above), smoothed(below)] as const;
  return {
    middle: (from + until) / 2,
    width: until - from,
    edgesAt(x) {
      const t = Math.min(Math.max(x - from, 0), until - from);
      const at = Math.min(Math.floor(t), until - from - 1);
      const between = (line: number[]): number => line[at]! + (t - at) * (line[at + 1]! - line[at]!);
      const [first, last] = [between(rows[0]), between(rows[1])];
      return first < last ? { upper: first, lower: last } : { upper: (first + last) / 2, lower: (first + last) / 2 };
    },
  };
}

/** Rows of a line from left to right at whole columns. */
function rowsOf(line: readonly Point[], from: number, until: number): number[] {
  let next = 1;
  return Array.from({ length: until - from + 1 }, (_, i) => {
    while (next < line.length - 1 && line[next]!.x < from + i) next++;
    const [a, b] = [line[next - 1]!, line[next]!];
    const t = Math.min(Math.max((from + i - a.x) / Math.max(b.x - a.x, 0.01), 0), 1);
    return a.y + t * (b.y - a.y);
  });
}

/** Means over the neighbours; fewer towards the ends, which stay. */
function smoothed(rows: readonly number[]): number[] {
  return rows.map((_, i) => {
    const reach = Math.min(SMOOTHED, i, rows.length - 1 - i);
    const part = rows.slice(i - reach, i + reach + 1);
    return part.reduce((sum, row) => sum + row, 0) / part.length;
  });
}

/** The motion from the reference mouth to closed lips. */
export function closingMotion(manifest: Donor['manifest'], motions: readonly DisplacementField[]): DisplacementField {
  const closing = motions[manifest.mouth.patches.findIndex(({ id }) => id === RESTING_PATCH)];
  if (closing === undefined)
    throw new Error(`presenter ${manifest.name}: expected a patch ${RESTING_PATCH}, found none`);
  return closing;
}

function longestRun(
  closing: DisplacementField,
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
