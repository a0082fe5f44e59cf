import { smoothstep } from '@figurehead/presenter/easing';
import type { Picture } from '../picture.js';
import { type FaceMesh, LOWER_LIP, type MeshPoint, UPPER_LIP } from './mesh.js';
import { type Colour, lumaOf, meanAround, sampleSharp } from './sampling.js';

/** Points of the mesh on the lips and between lips, nose and chin, which move when the lips close. */
const ABOVE = [61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 73, 11, 303, 41, 38, 12, 268, 271, 72, 302, 164, 2];
const BELOW = [146, 91, 181, 84, 17, 314, 405, 321, 375, 85, 15, 315, 180, 404, 16, 86, 316, 179, 403, 18, 200];

/** Outer corners of the mouth, left and right in the picture. */
const CORNERS = [61, 291] as const;

/** Share of the mouth's width, in its middle, in which a gap is looked for. */
const MIDDLE = 0.6;

/** Distance from the rims at which lips are certain, in widths of the mouth. */
const ON_LIP = 0.05;

/** Teeth are this much brighter and less red than lips, or far less red and not much darker; the dark between lips has at most `DARKER` of their luma. */
const BRIGHTER = 1.12;
const PALER = 0.75;
const SHADED_TEETH = { luma: 0.7, redness: 0.65 } as const;
/** In a smile the mesh's rims are up to this far from those of the lips, in widths of the mouth; and beside the last teeth. */
const BEYOND = 0.1;
const BEYOND_CORNER = 0.05;
/** Share of the mouth's width at either corner that shows the dark beside the last teeth. */
const BESIDE = 0.18;
/** Height of teeth that must be seen between the rims, in widths of the mouth. */
const TEETH_SEEN = 0.03;
/** Distance over which this correction is smoothed, in widths of the mouth; and from the corners, over which the rims come together. */
const SMOOTH = 0.06;
const MEETING = 0.08;
const DARKER = 0.45;
/** Lips of a grey picture are less red than this: nothing is less red than they. */
const GREY = 0.08;

/** From this height on, in widths of the mouth, there is a gap and not the shadow between closed lips. */
const GAP = 0.04;

/** Teeth of this height, in widths of the mouth, in this share of its middle are a gap too: the front teeth alone, between lips that meet beside them. */
const BARED = { height: 0.015, share: 0.12 } as const;

/** The gap's edge, which is neither lip nor tooth, in widths of the mouth. */
const EDGE = 0.018;

/** Lips move as a whole up to the first distance from where they meet, skin less and less up to the others; in widths of the mouth. */
const LIP = 0.1;
const TO_NOSE = 0.42;
const TO_CHIN = 0.55;

/** Darkness and half width, px, of the line that is drawn where the lips meet. */
const SHADOW = 0.3;
const SHADOW_WIDTH = 0.8;

/** Whether the lips are parted in the picture, with teeth or the dark between them. */
export function areLipsParted(picture: Picture, mesh: FaceMesh): boolean {
  const rims = rimsOf(mesh, picture);
  const wide = rims.x1 - rims.x0;
  const middle = (rims.x0 + rims.x1) / 2;
  const heights: number[] = [];
  let bared = 0;
  for (let x = Math.round(middle - (MIDDLE / 2) * wide); x <= middle + (MIDDLE / 2) * wide; x++) {
    const { upper, lower } = rims.at(x);
    const lip = meanAround(picture, { x, y: upper - ON_LIP * wide }, 1).map(
      (value, c) => (value + meanAround(picture, { x, y: lower + ON_LIP * wide }, 1)[c]!) / 2,
    ) as Colour;
    let [height, teeth] = [0, 0];
    for (let y = Math.ceil(upper); y <= lower; y++) {
      const colour = meanAround(picture, { x, y }, 0);
      if (isGap(colour, lip)) height++;
      if (isTooth(colour, lip)) teeth++;
    }
    heights.push(height);
    // A pale lower lip is not teeth.
    const isPale = isTooth(meanAround(picture, { x, y: lower + ON_LIP * wide }, 1), lip);
    if (!isPale && teeth > BARED.height * wide) bared++;
  }
  const half = heights.sort((a, b) => a - b)[heights.length >> 1] ?? 0;
  return half > GAP * wide || bared > BARED.share * heights.length;
}

function isGap(colour: Colour, lip: Colour): boolean {
  const [luma, around] = [lumaOf(colour), lumaOf(lip)];
  return luma < DARKER * around || isTooth(colour, lip);
}

function isTooth(colour: Colour, lip: Colour): boolean {
  const [luma, around] = [lumaOf(colour), lumaOf(lip)];
  const [red, usual] = [rednessOf(colour), rednessOf(lip)];
  if (luma > BRIGHTER * around && red <= PALER * usual) return true;
  return usual > GREY && luma > SHADED_TEETH.luma * around && red <= SHADED_TEETH.redness * usual;
}

function rednessOf([red, green]: Colour): number {
  return Math.max(0, red - green) / Math.max(red, 24);
}

/**
 * Closes lips that are slightly parted: they meet in the middle of the gap, and the skin up to nose and chin follows.
 * From closed lips every shape of the mouth can be made.
 */
export function closeLips(picture: Picture, mesh: FaceMesh): { picture: Picture; mesh: FaceMesh } {
  const { width, height } = picture;
  const rims = rimsOf(mesh, picture);
  const wide = rims.x1 - rims.x0;
  const data = Uint8Array.from(picture.data);
  const colour: Colour = [0, 0, 0];
  for (let x = Math.max(0, Math.ceil(rims.x0)); x <= Math.min(width - 1, rims.x1); x++) {
    const { upper, lower, seam } = seamOf(rims, x);
    const [from, until] = [Math.max(0, Math.ceil(seam - TO_NOSE * wide)), Math.min(height - 1, seam + TO_CHIN * wide)];
    for (let y = from; y <= until; y++) {
      const isAbove = y < seam;
      const by = (isAbove ? upper - seam : lower - seam) * shareAt(Math.abs(y - seam) / wide, isAbove);
      sampleSharp(picture, x, y + by, colour);
      const deep = Math.min(1, (lower - upper) / (GAP * wide));
      const light = 1 - SHADOW * deep * Math.exp(-(((y - seam) / SHADOW_WIDTH) ** 2));
      for (let c = 0; c < 3; c++) {
        data[(y * width + x) * 4 + c] = Math.round(Math.min(Math.max(colour[c]! * light, 0), 255));
      }
    }
  }
  return { picture: { width, height, data }, mesh: closedMesh(mesh, rims) };
}

/** Share of the movement at a distance from the seam, in widths of the mouth. */
function shareAt(distance: number, isAbove: boolean): number {
  return 1 - smoothstep(LIP, isAbove ? TO_NOSE : TO_CHIN, distance);
}

function seamOf(rims: Rims, x: number): { upper: number; lower: number; seam: number } {
  const { upper, lower } = rims.at(x);
  // The edge narrows with the gap towards the corners, so that the skin beside them does not jump.
  const wide = rims.x1 - rims.x0;
  const edge = EDGE * wide * Math.min(1, Math.min(x - rims.x0, rims.x1 - x) / (0.15 * wide));
  return { upper: upper - edge, lower: lower + edge, seam: (upper + lower) / 2 };
}

function closedMesh(mesh: FaceMesh, rims: Rims): FaceMesh {
  const wide = rims.x1 - rims.x0;
  const inner = new Set([...UPPER_LIP, ...LOWER_LIP]);
  const [above, below] = [new Set(ABOVE), new Set(BELOW)];
  const points = mesh.points.map((point, i) => {
    if (point.x <= rims.x0 || point.x >= rims.x1 || !(inner.has(i) || above.has(i) || below.has(i))) return point;
    const { upper, lower, seam } = seamOf(rims, point.x);
    if (inner.has(i)) return { ...point, y: seam };
    const rim = above.has(i) ? upper : lower;
    return { ...point, y: point.y + (seam - rim) * shareAt(Math.abs(point.y - rim) / wide, above.has(i)) };
  });
  return { ...mesh, points };
}

/** The inner rims of the lips as rows over columns; they meet at the corners. */
interface Rims {
  readonly x0: number;
  readonly x1: number;
  at(x: number): { readonly upper: number; readonly lower: number };
}

/**
 * The rims of the mesh, put right by what is seen between the lips: in a smile they are up to {@link BEYOND} off, and end before the dark
 * beside the last teeth does.
 */
function rimsOf({ points }: FaceMesh, picture: Picture): Rims {
  const [left, right] = CORNERS.map((i) => points[i]!) as [MeshPoint, MeshPoint];
  const lineOf = (line: readonly number[]): readonly MeshPoint[] =>
    [left, ...line.map((i) => points[i]!), right].filter(({ x }) => x >= left.x && x <= right.x);
  const [above, below] = [lineOf(UPPER_LIP), lineOf(LOWER_LIP)];
  const [x0, x1] = [left.x, right.x];
  const wide = x1 - x0;
  const lip = lipColour(picture, { above, below, x0, x1 });
  const seen = Array.from({ length: Math.max(1, Math.ceil(wide) + 1) }, (_, i) => {
    const x = x0 + i;
    const isBeside = Math.min(i, wide - i) < BESIDE * wide;
    return gapSeen(picture, { x, upper: rowAt(above, x), lower: rowAt(below, x), wide, isBeside, lip });
  });
  const reach = Math.ceil(SMOOTH * wide);
  const [ups, downs] = [seen.map(([up]) => up), seen.map(([, down]) => down)];
  const [up, down] = [smoothed(ups, reach), smoothed(downs, reach)];
  return {
    x0,
    x1,
    at(x) {
      const i = Math.round(x - x0);
      const [upper, lower] = [rowAt(above, x) + (up[i] ?? 0), rowAt(below, x) + (down[i] ?? 0)];
      const middle = (upper + lower) / 2;
      const half = Math.max(0, lower - upper) / 2;
      // At the corners themselves they meet, so that the skin beside them stays.
      const near = smoothstep(0, MEETING * wide, Math.min(x - x0, x1 - x));
      const seam = near * middle + (1 - near) * rowAt([left, right], x);
      return { upper: seam - near * half, lower: seam + near * half };
    },
  };
}

function rowAt(line: readonly MeshPoint[], x: number): number {
  const next = line.findIndex((point, k) => k > 0 && point.x >= x);
  const [a, b] = [line.at(next - 1 - Number(next < 0))!, line.at(next)!];
  const t = Math.min(Math.max((x - a.x) / Math.max(b.x - a.x, 0.01), 0), 1);
  return a.y + t * (b.y - a.y);
}

/** Distances from the mesh's rims of a column to the first and last row between the lips; 0 where none is seen. */
function gapSeen(
  picture: Picture,
  column: { x: number; upper: number; lower: number; wide: number; isBeside: boolean; lip: Colour },
): readonly [up: number, down: number] {
  const { x, upper, lower, wide, isBeside, lip } = column;
  const is = (y: number, test: (colour: Colour, lip: Colour) => boolean): boolean =>
    test(meanAround(picture, { x, y }, 0), lip);
  let [top, bottom, rows] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (let y = Math.ceil(upper); y <= lower; y++) {
    if (!is(y, isGap)) continue;
    top = Math.min(top, y);
    bottom = y;
    rows++;
  }
  // Without teeth between them a pale lip would be taken for them.
  if (!isBeside && rows < TEETH_SEEN * wide) return [0, 0];
  if (rows === 0) [top, bottom] = [Math.round((upper + lower) / 2) + 1, Math.round((upper + lower) / 2)];
  const test = isBeside ? isGap : isTooth;
  const most = (isBeside ? BEYOND_CORNER : BEYOND) * wide;
  while (upper - top < most && is(top - 1, test)) top--;
  while (bottom - lower < most && is(bottom + 1, test)) bottom++;
  return top > bottom ? [0, 0] : [top - upper, bottom - lower];
}

/** Colour of both lips in the middle of the mouth: the median of the columns. */
function lipColour(
  picture: Picture,
  { above, below, x0, x1 }: { above: readonly MeshPoint[]; below: readonly MeshPoint[]; x0: number; x1: number },
): Colour {
  const wide = x1 - x0;
  const colours: Colour[] = [];
  for (let x = x0 + 0.3 * wide; x <= x0 + 0.7 * wide; x++) {
    colours.push(meanAround(picture, { x, y: rowAt(above, x) - ON_LIP * wide }, 1));
    colours.push(meanAround(picture, { x, y: rowAt(below, x) + ON_LIP * wide }, 1));
  }
  const median = (c: number): number => colours.map((colour) => colour[c]!).sort((a, b) => a - b)[colours.length >> 1]!;
  return [median(0), median(1), median(2)];
}

/** Medians of the neighbourhood, and then their means, so that single columns do not count. */
function smoothed(values: readonly number[], reach: number): number[] {
  const near = (all: readonly number[], i: number): number[] => all.slice(Math.max(0, i - reach), i + reach + 1);
  const medians = values.map((_, i) => {
    const sorted = near(values, i).sort((a, b) => a - b);
    return sorted[sorted.length >> 1]!;
  });
  return medians.map((_, i) => near(medians, i).reduce((sum, value, __, { length }) => sum + value / length, 0));
}
