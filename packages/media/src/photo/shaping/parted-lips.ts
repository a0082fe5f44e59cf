import { smoothstep } from '../../face/easing.js';
import type { Picture } from '../picture.js';
import { type FaceMesh, LOWER_LIP, UPPER_LIP } from './mesh.js';
import { type Colour, lumaOf, meanAround, sampleSharp } from './sampling.js';

/** Points of the mesh on the lips and between lips, nose and chin, which move when the lips close. */
const ABOVE = [61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 73, 11, 303, 41, 38, 12, 268, 271, 72, 302, 164, 2];
const BELOW = [146, 91, 181, 84, 17, 314, 405, 321, 375, 85, 15, 315, 180, 404, 16, 86, 316, 179, 403, 18, 200];

/** Share of the mouth's width, in its middle, in which a gap is looked for. */
const MIDDLE = 0.6;

/** Distance from the rims at which lips are certain, in widths of the mouth. */
const ON_LIP = 0.05;

/** Teeth are this much brighter and less red than lips, or far less red and not much darker; the dark between lips has at most `DARKER` of their luma. */
const BRIGHTER = 1.12;
const PALER = 0.75;
const SHADED_TEETH = { luma: 0.7, redness: 0.65 } as const;
/** In a smile the mesh's lower rim is up to this far above the lip's, in widths of the mouth. */
const TEETH_BELOW = 0.1;
/** Height of teeth that must be seen above that rim, in widths of the mouth. */
const TEETH_SEEN = 0.03;
/** Distance over which this correction is smoothed, in widths of the mouth. */
const SMOOTH = 0.04;
const DARKER = 0.45;
/** Lips of a grey picture are less red than this: nothing is less red than they. */
const GREY = 0.08;

/** From this height on, in widths of the mouth, there is a gap and not the shadow between closed lips. */
const GAP = 0.04;

/** The gap's edge, which is neither lip nor tooth, px. */
const EDGE = 2.5;

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
  for (let x = Math.round(middle - (MIDDLE / 2) * wide); x <= middle + (MIDDLE / 2) * wide; x++) {
    const { upper, lower } = rims.at(x);
    const lip = meanAround(picture, { x, y: upper - ON_LIP * wide }, 1).map(
      (value, c) => (value + meanAround(picture, { x, y: lower + ON_LIP * wide }, 1)[c]!) / 2,
    ) as Colour;
    let height = 0;
    for (let y = Math.ceil(upper); y <= lower; y++) if (isGap(meanAround(picture, { x, y }, 0), lip)) height++;
    heights.push(height);
  }
  return (heights.sort((a, b) => a - b)[heights.length >> 1] ?? 0) > GAP * wide;
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
  const edge = EDGE * Math.min(1, Math.min(x - rims.x0, rims.x1 - x) / (0.15 * (rims.x1 - rims.x0)));
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

function rimsOf({ points }: FaceMesh, picture: Picture): Rims {
  const rowAt = (line: readonly number[], x: number): number => {
    const next = line.findIndex((i, k) => k > 0 && points[i]!.x >= x);
    const [a, b] =
      next < 0 ? [points[line.at(-2)!]!, points[line.at(-1)!]!] : [points[line[next - 1]!]!, points[line[next]!]!];
    const t = Math.min(Math.max((x - a.x) / Math.max(b.x - a.x, 0.01), 0), 1);
    return a.y + t * (b.y - a.y);
  };
  const [x0, x1] = [points[UPPER_LIP[0]!]!.x, points[UPPER_LIP.at(-1)!]!.x];
  const teeth = Array.from({ length: Math.max(1, Math.ceil(x1 - x0) + 1) }, (_, i) => {
    const [x, wide] = [x0 + i, x1 - x0];
    const [upper, lower] = [rowAt(UPPER_LIP, x), rowAt(LOWER_LIP, x)];
    const lip = meanAround(picture, { x, y: upper - ON_LIP * wide }, 1);
    const isToothAt = (y: number): boolean => isTooth(meanAround(picture, { x, y }, 0), lip);
    let seen = 0;
    for (let y = Math.ceil(upper); y <= lower; y++) if (isToothAt(y)) seen++;
    // Without teeth above it a pale lower lip would be taken for them.
    if (seen < TEETH_SEEN * wide) return 0;
    let below = 0;
    while (below < TEETH_BELOW * wide && isToothAt(lower + below + 1)) below++;
    return below;
  });
  const reach = Math.ceil(SMOOTH * (x1 - x0));
  const near = (values: readonly number[], i: number): number[] => values.slice(Math.max(0, i - reach), i + reach + 1);
  const medians = teeth.map((_, i) => near(teeth, i).sort((a, b) => a - b)[near(teeth, i).length >> 1]!);
  const teethBelow = medians.map((_, i) =>
    near(medians, i).reduce((sum, value, __, { length }) => sum + value / length, 0),
  );
  return {
    x0,
    x1,
    at(x) {
      const [upper, rim] = [rowAt(UPPER_LIP, x), rowAt(LOWER_LIP, x)];
      const lower = rim + (teethBelow[Math.round(x - x0)] ?? 0);
      return upper < lower ? { upper, lower } : { upper: (upper + lower) / 2, lower: (upper + lower) / 2 };
    },
  };
}
