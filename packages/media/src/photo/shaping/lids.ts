import { boxSize, type PlateBox } from '@figurehead/presenter';
import { smoothstep } from '@figurehead/presenter/easing';
import { type Donor, type GreyPicture, greyAt } from '../donor.js';
import type { Picture, Point } from '../picture.js';
import { boxMean } from './box-mean.js';
import { DisplacementField, latticeOver } from './field.js';
import { blurOf } from './focus.js';
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
 * above the rim that is lashes and not skin; how far a closed lid covers the lower rim; and from which distance from the lower rim on
 * there are no lashes below the eye, and over how much skin is measured there.
 */
const FOLD = {
  least: 0.16,
  most: 0.45,
  belowBrow: 0.1,
  lashes: 0.09,
  over: 0.05,
  below: 0.16,
  measured: 0.16,
} as const;
/**
 * A brow or a frame of glasses is darker than this share of the skin below the eye over at least `thick`, and further above the eye than its
 * lashes reach; a lid begins `away` below it, in widths of the eye.
 */
const DARK = { share: 0.45, thick: 0.05, lashes: 0.17, away: 0.04 } as const;
/**
 * How far beside the eye a lid reaches, towards the temple, where lashes of the open eye end, and towards the nose; the share of that with all
 * of it; and how far lashes hang below the lid's edge, in widths of the eye.
 */
const BESIDE = { temple: 0.32, nose: 0.18, whole: 0.45 } as const;
const LASHES = 0.16;
/**
 * Where lashes grow, in widths of the eye: hardly any within `nose` of that corner, and the donor's end by `temple` beside the other one, at which
 * a portrait's eye is wider than a donor's, so that they would become a block.
 */
const BARE = { nose: 0.2, temple: [-0.08, 0.07] } as const;
/** Share of the skin between a lid's upper end and the lashes of the open eye over which it passes into that skin. */
const UPPER_EDGE = 0.8;
/** Px over which the lid's edge passes into the eye. */
const SOFT = 1.2;
/** Texture of skin, relative to the mean of a square of this radius in widths of the eye; lashes and hairs exceed its limits. */
const TEXTURE = { radius: 0.06, least: 0.975, most: 1.025 } as const;
/** Share of the skin below the eye in the lid's colour at its edge, and radius over which colours of columns are made even, in widths of the eye. */
const LOWER_SHARE = 0.6;
const EVEN = 0.14;
/**
 * Skin above the eye that is darker than `dark` of the skin below it, as under a low brow, has `most` of that skin's colour, in its `shade`;
 * none from `light` on.
 */
const SHADOW = { dark: 0.25, light: 0.6, most: 0.85, shade: 0.88 } as const;
/** Shares of the px of a column, from dark to light, that are skin: without lashes, folds and lights. */
const SKIN = { from: 0.45, until: 0.9 } as const;
/** Radius in which the donor's lid is compared with itself, in heights of its box, and limits of its shadows and lights. */
const DETAIL = { radius: 0.08, least: 0.3, most: 1.04 } as const;

/**
 * Draws a portrait's eyes with closing lids. A lid has the colours of the portrait's skin above the eye and below it, so that light and
 * make-up are the person's, but nothing of the open eye's lashes, folds and liner; its texture is that of the skin below the eye. The donor
 * supplies the relief and the lashes of a closed lid, as a factor.
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
  const eyes = lines.map((eye) => columnsOf(eye, plate, box));
  const columns = Array.from({ length: width }, (_, i) => eyes.flatMap((of) => of[i] ?? []));
  const [a, b] = eye.eyes;
  const detail = detailOf(donor, blurOf(mesh, plate) * Math.hypot(a.x - b.x, a.y - b.y));
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
  /** The highest row of the upper rim. */
  readonly crown: number;
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
    crown: Math.min(...upper.map((i) => points[i]!.y)),
    fold: (x) => {
      const below = Math.max(browLine(x) + FOLD.belowBrow * across, top(x) - FOLD.most * across);
      return Math.min(below, top(x) - FOLD.least * across);
    },
  };
}

/** A column of an eye: rows of its lines, distances, and colours of its skin. */
interface LidColumn {
  readonly across: number;
  /** 1 at the eye, 0 where skin does not move any more. */
  readonly near: number;
  readonly top: number;
  readonly foot: number;
  readonly still: number;
  /** Lower rim. */
  readonly rim: number;
  /** Distance to the corner at the nose; negative beside the eye. */
  readonly fromNose: number;
  /** Colours of the skin above the eye and below it. */
  readonly above: Colour;
  readonly below: Colour;
}

/** The columns of an eye by their place in the box; none where its lid does not reach. */
function columnsOf(eye: LidLines, plate: Picture, box: PlateBox): (LidColumn | undefined)[] {
  const found = Array.from({ length: box[2] - box[0] }, (_, i) => columnOf(eye, plate, box[0] + i));
  const radius = Math.round(EVEN * (eye.right - eye.left));
  const near = <T>(all: readonly (T | undefined)[], i: number): T[] =>
    all.slice(Math.max(0, i - radius), i + radius + 1).filter((one) => one !== undefined);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  // What is dark over a few columns only is a lash or a fold, which the lid replaces.
  const wide = found.map((column, i) => column && Math.min(...near(found, i).map(({ still }) => still)));
  const still = wide.map((row, i) => (row === undefined ? undefined : Math.max(...near(wide, i))));
  return found.map((column, i) => {
    if (column === undefined) return undefined;
    const around = near(found, i);
    const even = (of: 'above' | 'below') => [0, 1, 2].map((c) => mean(around.map((one) => one[of][c]!))) as Colour;
    return { ...column, still: mean(near(still, i)), above: even('above'), below: even('below') };
  });
}

function columnOf(eye: LidLines, plate: Picture, x: number): LidColumn | undefined {
  const { left, right, isRightInner } = eye;
  const across = right - left;
  const fromNose = isRightInner ? right - x : x - left;
  const reach = (fromNose < 0 ? BESIDE.nose : BESIDE.temple) * across;
  const beside = Math.max(left - x, x - right, 0) / reach;
  if (beside >= 1) return undefined;
  const inner = Math.min(Math.max(x, left), right);
  const [top, rim, fold] = [eye.upper(inner), eye.lower(inner), eye.fold(inner)];
  const measured = rim + FOLD.below * across;
  const below = skinOf(plate, x, { from: measured, until: measured + FOLD.measured * across });
  const still = clearOf(plate, x, {
    from: fold,
    until: Math.min(top - FOLD.least * across, eye.crown - DARK.lashes * across),
    skin: lumaOf(below),
    across,
  });
  return {
    across,
    near: 1 - smoothstep(BESIDE.whole, 1, beside),
    top,
    foot: rim + FOLD.over * across,
    still,
    rim,
    fromNose,
    above: lit(skinOf(plate, x, { from: still, until: top - FOLD.lashes * across }), below),
    below,
  };
}

/** Colour of the skin in a part of a column. */
function skinOf(plate: Picture, x: number, { from, until }: { from: number; until: number }): Colour {
  const rows = Math.max(1, Math.round(until - from));
  const px = Array.from({ length: rows }, (_, i) => plateAt(plate, x, Math.round(from) + i));
  px.sort((a, b) => lumaOf(a) - lumaOf(b));
  const skin = px.slice(Math.floor(SKIN.from * rows), Math.max(Math.ceil(SKIN.until * rows), 1));
  return [0, 1, 2].map((c) => skin.reduce((sum, colour) => sum + colour[c]!, 0) / skin.length) as Colour;
}

/** Skin above the eye without the shadow of a low brow. */
function lit(above: Colour, below: Colour): Colour {
  const { dark, light, most, shade } = SHADOW;
  const mixed = most * (1 - smoothstep(dark, light, lumaOf(above) / Math.max(lumaOf(below), 1)));
  return above.map((value, c) => value + mixed * (shade * below[c]! - value)) as Colour;
}

/** The row from which on a part of a column is free of a brow and of a frame of glasses. */
function clearOf(
  plate: Picture,
  x: number,
  { from, until, skin, across }: { from: number; until: number; skin: number; across: number },
): number {
  let dark = 0;
  for (let y = Math.round(until); y > from; y--) {
    dark = lumaOf(plateAt(plate, x, y)) < DARK.share * skin ? dark + 1 : 0;
    if (dark >= DARK.thick * across) return Math.min(y + dark + DARK.away * across, until);
  }
  return from;
}

function plateAt({ width, height, data }: Picture, x: number, y: number): Colour {
  const at = (Math.min(Math.max(y, 0), height - 1) * width + Math.min(Math.max(x, 0), width - 1)) * 4;
  return [data[at]!, data[at + 1]!, data[at + 2]!];
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
  const below: Colour = [0, 0, 0];
  for (let at = 0; at < width * height; at++) {
    const [x, y] = [box[0] + (at % width), box[1] + Math.floor(at / width)];
    const own = (y * plate.width + x) * 4;
    const place = lidAt(columns[at % width]!, y, closed);
    if (place === undefined) {
      for (let c = 0; c < 3; c++) out[at * 3 + c] = plate.data[own + c]!;
      continue;
    }
    const { covered, skin } = place;
    const texture = covered === 0 ? 1 : textureAt(plate, { x, y: place.under }, { radius: place.grain, into: below });
    const factor = 1 + place.relief * (detailAt({ x, y: place.onClosed }) - 1);
    for (let c = 0; c < 3; c++) {
      const value = plate.data[own + c]! * (1 - covered) + skin[c]! * texture * covered;
      out[at * 3 + c] = Math.round(Math.min(Math.max(value * factor, 0), 255));
    }
  }
  return out;
}

/** What a px near an eye shows: the lid's share and colour, the row its texture is from, and where it is on a closed lid, whose relief it has. */
function lidAt(columns: readonly LidColumn[], y: number, closed: number) {
  for (const { across, near, top, foot, still, rim, fromNose, above, below } of columns) {
    if (y <= still || y > foot + LASHES * across) continue;
    const edge = top + closed * (foot - top);
    const down = smoothstep(still, Math.max(edge, still + 1), y) * closed * LOWER_SHARE;
    const onClosed = y + foot - edge;
    const lashes = 1 - smoothstep(edge + 0.5 * LASHES * across, edge + LASHES * across, y);
    return {
      covered:
        near *
        smoothstep(still, still + Math.max(0.1 * across, UPPER_EDGE * (top - DARK.lashes * across - still)), y) *
        (1 - smoothstep(-SOFT, SOFT, y - edge)),
      skin: above.map((value, c) => value + down * (below[c]! - value)) as Colour,
      under: rim + FOLD.below * across + Math.max(edge - y, 0),
      grain: TEXTURE.radius * across,
      relief:
        near *
        smoothstep(0, BARE.nose, fromNose / across) *
        (1 - smoothstep(...BARE.temple, fromNose / across - 1)) *
        smoothstep(foot - 0.45 * across, foot - 0.2 * across, onClosed) *
        lashes,
      onClosed,
    };
  }
  return undefined;
}

/** Luma of the skin at a point relative to that around it. */
function textureAt(plate: Picture, at: Point, { radius, into }: { radius: number; into: Colour }): number {
  sampleSharp(plate, at.x, at.y, into);
  const factor = lumaOf(into) / Math.max(lumaOf(meanAround(plate, at, radius)), 1);
  return Math.min(Math.max(factor, TEXTURE.least), TEXTURE.most);
}

/** Relief and lashes of the donor's closed lid, size of its box: luma relative to that around it, 128 for 1; blurred by a radius in px of the donor. */
function detailOf({ closed }: Donor, blur: number): GreyPicture {
  const { width, height } = closed;
  const luma = new Float32Array(width * height).map((_, i) => lumaOf(closed.data, i * 4));
  const radius = Math.max(2, Math.round(DETAIL.radius * height));
  const usual = boxMean(luma, { width, height, radius });
  // A second mean without what is darker, so that lashes do not darken the skin they are compared with.
  const skin = boxMean(
    luma.map((value, i) => Math.max(value, usual[i]!)),
    { width, height, radius },
  );
  const detail = luma.map(
    (value, i) => 128 * Math.min(Math.max(value / Math.max(skin[i]!, 1), DETAIL.least), DETAIL.most),
  );
  const size = { width, height, radius: Math.round(blur) };
  return { width, height, data: new Uint8Array(boxMean(boxMean(detail, size), size)) };
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
