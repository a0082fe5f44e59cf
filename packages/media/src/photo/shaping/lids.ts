import { smoothstep } from '../../face/easing.js';
import { boxSize, type PlateBox } from '../../presenter/pack/manifest.js';
import { type Donor, type GreyPicture, greyAt } from '../donor.js';
import type { Picture, Point } from '../picture.js';
import { boxMean } from './box-mean.js';
import { DisplacementField, latticeOver } from './field.js';
import { EYES, type MeshPoint } from './mesh.js';
import { boxInPortrait, type MouthParts } from './mouth.js';
import { type Colour, lumaOf, meanAround, sampleSharp } from './sampling.js';

/** The eyes of a pack. */
export interface Eyes {
  /** Plate px, the last two exclusive. */
  readonly box: PlateBox;
  /** RGB, size of the box, in the order of the donor's stages. */
  readonly stages: readonly Uint8Array[];
  /** 0…255 where the eyeball is visible, size of the box. */
  readonly mask: Uint8Array;
  /** Relative to the box, px. */
  readonly irises: readonly { readonly x: number; readonly y: number; readonly r: number }[];
  readonly pxPerDeg: number;
}

/** The lower edges of the brows in the face mesh, left and right in the picture. */
const BROWS = [
  [46, 53, 52, 65, 55],
  [276, 283, 282, 295, 285],
] as const;

/**
 * In widths of the eye: how far above its rim skin follows the lid, at least and at most; distance of that skin from the brow; the strip
 * above the rim that is lashes and not skin; and how far a closed lid covers the lower rim.
 */
const FOLD = { least: 0.16, most: 0.45, belowBrow: 0.1, lashes: 0.07, over: 0.03 } as const;
/** How far beside the eye skin moves, and how far lashes hang below the lid's edge, in its widths. */
const BESIDE = 0.18;
const LASHES = 0.16;
/** Distance from the corner at the nose within which hardly any lashes grow, in its widths. */
const BARE = 0.2;
/** Px over which the lid's edge passes into the eye. */
const SOFT = 1.2;
/** Lashes and hairs on the lid's skin are thinner than this, in widths of the eye. */
const STRAND = 0.06;
/**
 * A lid is made of what is above the eye, and where that is a low brow, a deep shadow or a frame of glasses, of the skin below the eye: up to
 * `share` of it, with `shade` of its light, from luma `dark` relative to it on; none from `light` on. It is mirrored from `away` below the
 * lower rim and further down, and comes in over shares of the lid's height and width, in widths of the eye.
 */
const UNDER_EYE = { away: 0.14, dark: 0.35, light: 0.85, share: 0.85, shade: 0.88, height: 0.7, width: 0.3 } as const;
/** Radius in which the donor's lid is compared with itself, in heights of its box, and limits of its shadows and lights. */
const DETAIL = { radius: 0.08, least: 0.3, most: 1.04 } as const;

/**
 * Draws a portrait's eyes with closing lids. The lids are the portrait's own skin between brow and eye, drawn down over the eye, so that
 * colour, light and make-up are the person's; the donor supplies the relief and the lashes of a closed lid, as a factor.
 */
export function drawEyes(parts: MouthParts): Eyes {
  const { donor, alignment, plate, mesh } = parts;
  const { eye } = donor.manifest;
  const box = boxInPortrait(eye.box, alignment, plate);
  const { width, height } = boxSize(box);
  const lattice = latticeOver({ x0: box[0], y0: box[1], x1: box[2], y1: box[3] }, 4);
  const onDonor = DisplacementField.of((at) => alignment.toDonor(at), lattice);
  const inDonorBox = (at: Point): Point | undefined => {
    const there = onDonor.move(at);
    const [x, y] = [there.x - eye.box[0], there.y - eye.box[1]];
    return x >= 0 && y >= 0 && x <= eye.box[2] - eye.box[0] - 1 && y <= eye.box[3] - eye.box[1] - 1
      ? { x, y }
      : undefined;
  };
  const mask = new Uint8Array(width * height);
  for (let at = 0; at < mask.length; at++) {
    const inBox = inDonorBox({ x: box[0] + (at % width), y: box[1] + Math.floor(at / width) });
    mask[at] = inBox ? Math.round(greyAt({ ...boxSize(eye.box), data: donor.eyeMask }, inBox)) : 0;
  }
  const lines = EYES.map((numbers, side) => lidLines(numbers, BROWS[side]!, mesh.points));
  const columns = Array.from({ length: width }, (_, i) => lines.flatMap((eye) => columnOf(eye, box[0] + i)));
  const detail = detailOf(donor);
  const detailAt = (at: Point): number => {
    const inBox = inDonorBox(at);
    return inBox === undefined ? 1 : greyAt(detail, inBox) / 128;
  };
  const stages = eye.stages.map(({ closed }) => drawStage({ plate, box, columns, detailAt, closed }));
  const r = ((eye.eyes[0].r + eye.eyes[1].r) / 2) * alignment.scale;
  // The format lists the irises in the donor's order.
  const irises = eye.eyes.map((of) => {
    const [left, right] = mesh.irises;
    const isLeft = of.x < (eye.eyes[0].x + eye.eyes[1].x) / 2;
    const iris = isLeft ? left : right;
    return { x: iris.x - box[0], y: iris.y - box[1], r };
  });
  return { box, stages, mask, irises, pxPerDeg: eye.pxPerDeg * alignment.scale };
}

/** Lines around an eye, as heights by column. */
interface LidLines {
  readonly left: number;
  readonly right: number;
  /** Whether the corner at the nose is the right one. */
  readonly isRightInner: boolean;
  /** Rims of the open eye, and the line above which skin does not follow the lid. */
  readonly upper: (x: number) => number;
  readonly lower: (x: number) => number;
  readonly fold: (x: number) => number;
}

function lidLines(
  { lower, upper }: (typeof EYES)[number],
  brow: readonly number[],
  points: readonly MeshPoint[],
): LidLines {
  const corners = [lower[0]!, lower.at(-1)!];
  const [a, b] = corners.map((i) => points[i]!.x) as [number, number];
  const across = Math.abs(b - a);
  const top = through([...corners, ...upper].map((i) => points[i]!));
  const browLine = through(brow.map((i) => points[i]!));
  return {
    left: Math.min(a, b),
    right: Math.max(a, b),
    isRightInner: b > a,
    upper: top,
    lower: through(lower.map((i) => points[i]!)),
    fold: (x) => {
      const below = Math.max(browLine(x) + FOLD.belowBrow * across, top(x) - FOLD.most * across);
      return Math.min(below, top(x) - FOLD.least * across);
    },
  };
}

/** Rows of an eye's lines at a column, and how far the column is from its corners. */
interface LidColumn {
  readonly across: number;
  /** 1 at the eye, 0 where skin does not move any more. */
  readonly near: number;
  readonly top: number;
  readonly foot: number;
  readonly still: number;
  /** Lower rim. */
  readonly rim: number;
  /** Distances to the nearer corner and to the one at the nose; negative beside the eye. */
  readonly inside: number;
  readonly fromNose: number;
}

/** Nothing beside the eye. */
function columnOf({ left, right, isRightInner, upper, lower, fold }: LidLines, x: number): LidColumn[] {
  const across = right - left;
  const beside = Math.max(left - x, x - right, 0) / (BESIDE * across);
  if (beside >= 1) return [];
  const inner = Math.min(Math.max(x, left), right);
  const rim = lower(inner);
  return [
    {
      across,
      near: 1 - smoothstep(0, 1, beside),
      top: upper(inner),
      foot: rim + FOLD.over * across,
      still: fold(inner),
      rim,
      inside: Math.min(x - left, right - x),
      fromNose: isRightInner ? right - x : x - left,
    },
  ];
}

function drawStage({
  plate,
  box,
  columns,
  detailAt,
  closed,
}: {
  readonly plate: Picture;
  readonly box: PlateBox;
  readonly columns: readonly (readonly LidColumn[])[];
  readonly detailAt: (at: Point) => number;
  readonly closed: number;
}): Uint8Array {
  const { width, height } = boxSize(box);
  const out = new Uint8Array(width * height * 3);
  const skin: Colour = [0, 0, 0];
  const below: Colour = [0, 0, 0];
  for (let at = 0; at < width * height; at++) {
    const [x, y] = [box[0] + (at % width), box[1] + Math.floor(at / width)];
    const own = (y * plate.width + x) * 4;
    const place = lidAt(columns[at % width]!, y, closed);
    if (place === undefined) {
      for (let c = 0; c < 3; c++) out[at * 3 + c] = plate.data[own + c]!;
      continue;
    }
    const { covered } = place;
    if (covered > 0) {
      sampleSkin(plate, { x, y: place.from }, { radius: place.strand, into: skin });
      sampleSkin(plate, { x, y: place.under }, { radius: place.strand, into: below });
      brighten(skin, below, place.lit);
    }
    const factor = 1 + place.relief * (detailAt({ x, y: place.onClosed }) - 1);
    for (let c = 0; c < 3; c++) {
      const value = plate.data[own + c]! * (1 - covered) + (covered === 0 ? 0 : skin[c]! * covered);
      out[at * 3 + c] = Math.round(Math.min(Math.max(value * factor, 0), 255));
    }
  }
  return out;
}

/** What a px near an eye shows: the lid's share, the rows its skin is from, and where it is on a closed lid, whose relief it has. */
function lidAt(columns: readonly LidColumn[], y: number, closed: number) {
  for (const { across, near, top, foot, still, rim, inside, fromNose } of columns) {
    if (y <= still || y > foot + LASHES * across) continue;
    const edge = top + closed * (foot - top);
    // The skin between the fold and the lashes is stretched as far as the lid has come.
    const skinEnd = top - FOLD.lashes * across;
    const from = still + ((y - still) * (skinEnd - still)) / Math.max(edge - still, 1);
    const onClosed = y + foot - edge;
    const lashes = 1 - smoothstep(edge + 0.5 * LASHES * across, edge + LASHES * across, y);
    return {
      covered: near * smoothstep(still, still + 0.1 * across, y) * (1 - smoothstep(-SOFT, SOFT, y - edge)),
      from: Math.min(from, skinEnd),
      under: rim + UNDER_EYE.away * across + Math.max(edge - y, 0),
      lit:
        smoothstep(0, UNDER_EYE.height, (y - still) / Math.max(edge - still, 1)) *
        smoothstep(0, UNDER_EYE.width, inside / across),
      strand: STRAND * across,
      relief:
        near *
        smoothstep(0, BARE, fromNose / across) *
        smoothstep(foot - 0.45 * across, foot - 0.2 * across, onClosed) *
        lashes,
      onClosed,
    };
  }
  return undefined;
}

/** Skin without the lashes and hairs on it: they are darker than the skin around them. */
function sampleSkin(plate: Picture, at: Point, { radius, into }: { radius: number; into: Colour }): void {
  sampleSharp(plate, at.x, at.y, into);
  const around = meanAround(plate, at, radius);
  const lift = lumaOf(around) / Math.max(lumaOf(into), 1);
  if (lift <= 1) return;
  for (let c = 0; c < 3; c++) into[c] = around[c]!;
}

/** Gives what is too dark for a lid the skin below the eye, in its light there, 0…1. */
function brighten(colour: Colour, below: Colour, lit: number): void {
  const { dark, light, share, shade } = UNDER_EYE;
  const mixed = lit * share * (1 - smoothstep(dark, light, lumaOf(colour) / Math.max(lumaOf(below), 1)));
  for (let c = 0; c < 3; c++) colour[c] = colour[c]! + mixed * (shade * below[c]! - colour[c]!);
}

/** Relief and lashes of the donor's closed lid, size of its box: luma relative to that around it, 128 for 1. */
function detailOf({ closed }: Donor): GreyPicture {
  const { width, height } = closed;
  const luma = new Float32Array(width * height).map((_, i) => lumaOf(closed.data, i * 4));
  const radius = Math.max(2, Math.round(DETAIL.radius * height));
  const usual = boxMean(luma, { width, height, radius });
  // A second mean without what is darker, so that lashes do not darken the skin they are compared with.
  const skin = boxMean(
    luma.map((value, i) => Math.max(value, usual[i]!)),
    { width, height, radius },
  );
  const data = new Uint8Array(
    luma.map((value, i) => 128 * Math.min(Math.max(value / Math.max(skin[i]!, 1), DETAIL.least), DETAIL.most)),
  );
  return { width, height, data };
}

/** The height of a line through points, straight between them. */
export function through(points: readonly Point[]): (x: number) => number {
  const sorted = [...points].sort((a, b) => a.x - b.x);
  return (x) => {
    const next = sorted.findIndex((point) => point.x >= x);
    const [a, b] = [
      sorted[Math.max(0, (next < 0 ? sorted.length : next) - 1)]!,
      sorted[next < 0 ? sorted.length - 1 : next]!,
    ];
    return b.x - a.x < 0.01 ? a.y : a.y + ((b.y - a.y) * (x - a.x)) / (b.x - a.x);
  };
}
