import { boxSize, type PlateBox } from '@figurehead/presenter';
import { smoothstep } from '@figurehead/presenter/easing';
import type { Picture, Point } from '../picture.js';
import { type Eyes, through } from '../shaping/lids.js';
import { EYES, type MeshPoint } from '../shaping/mesh.js';
import type { MouthParts } from '../shaping/mouth.js';
import { plateIndex } from '../shaping/sampling.js';
import { drawFilmedFace, type FilmedFace, placed } from './warp.js';

/** How far above the open eye skin moves with the lid, in widths of the eye; and around it, where nothing moves any more. */
const FOLD = 0.3;
const AROUND = { across: 0.3, above: 0.62, below: 0.34 } as const;

/** Height of the lid's edge with its lashes, in widths of the eye, and px over which it passes into the eye. */
const LASHES = 0.1;
const SOFT = 1.5;

/**
 * Draws closing lids from a picture of the film in which the eyes are closed: its lids slide down over the plate's eyes.
 * @param eyes as drawn from the donor, of which all but the lids stay.
 * @param closed share of closing of each stage.
 */
export function drawOwnLids(
  { plate, mesh }: MouthParts,
  { eyes, filmed, closed }: { readonly eyes: Eyes; readonly filmed: FilmedFace; readonly closed: readonly number[] },
): Eyes {
  const { box } = eyes;
  const place = placed(filmed.points, mesh.points, grown(box));
  const shut = drawFilmedFace({ filmed, place, plate, rest: mesh.points, box });
  const lids = EYES.map((numbers) => lidOf(numbers, mesh.points, place));
  return { ...eyes, stages: closed.map((share) => drawStage({ plate, box, shut, lids, share })) };
}

/** Edges of an eye on the plate, as heights by column. */
interface Lid {
  readonly left: number;
  readonly right: number;
  /** Rims of the open eye, and the line at which the closed lids meet in the picture with closed eyes. */
  readonly upper: (x: number) => number;
  readonly lower: (x: number) => number;
  readonly line: (x: number) => number;
}

function lidOf({ lower, upper }: (typeof EYES)[number], rest: readonly MeshPoint[], place: readonly MeshPoint[]): Lid {
  const [a, b] = [rest[lower[0]!]!, rest[lower.at(-1)!]!];
  const corners = [lower[0]!, lower.at(-1)!];
  const rims = [...upper.map((i) => place[i]!), ...lower.map((i) => place[i]!)];
  return {
    left: Math.min(a.x, b.x),
    right: Math.max(a.x, b.x),
    upper: through([...corners, ...upper].map((i) => rest[i]!)),
    lower: through(lower.map((i) => rest[i]!)),
    line: fitted(rims),
  };
}

function drawStage({
  plate,
  box,
  shut,
  lids,
  share,
}: {
  readonly plate: Picture;
  readonly box: PlateBox;
  readonly shut: Uint8Array;
  readonly lids: readonly Lid[];
  readonly share: number;
}): Uint8Array {
  const { width, height } = boxSize(box);
  const out = new Uint8Array(width * height * 3);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const i = row * width + column;
      const [x, y] = [box[0] + column, box[1] + row];
      const { weight, from } = lidAt(lids, { x, y }, share);
      const at = plateIndex(plate, box, i);
      const source = Math.min(Math.max(from - box[1], 0), height - 1.001);
      const top = (Math.floor(source) * width + column) * 3;
      const f = source - Math.floor(source);
      for (let c = 0; c < 3; c++) {
        const lid = weight === 0 ? 0 : shut[top + c]! * (1 - f) + shut[top + width * 3 + c]! * f;
        out[i * 3 + c] = Math.round(plate.data[at + c]! * (1 - weight) + lid * weight);
      }
    }
  }
  return out;
}

/** How much of the lid is seen at a px, and the row of the picture with closed eyes that is there. */
function lidAt(lids: readonly Lid[], { x, y }: Point, share: number): { weight: number; from: number } {
  for (const { left, right, upper, lower, line } of lids) {
    const across = right - left;
    const beside = Math.max(left - x, x - right, 0) / (AROUND.across * across);
    if (beside >= 1) continue;
    const inner = Math.min(Math.max(x, left), right);
    const [top, foot, meeting] = [upper(inner), lower(inner), line(inner)];
    const fold = top - FOLD * across;
    const edge = top + share * (foot - top) + LASHES * across;
    const shutEdge = meeting + LASHES * across;
    // Between the fold and the edge of the lid the skin is stretched as far as the lid has come; above it rests.
    const from = y <= fold ? y : fold + ((y - fold) * (shutEdge - fold)) / Math.max(edge - fold, 1);
    const above = (top - y) / (AROUND.above * across);
    const below = (y - foot) / (AROUND.below * across);
    const near = 1 - smoothstep(0.45, 1, Math.hypot(beside, Math.max(above, below, 0)));
    // The lower lid of the picture with closed eyes belongs to wholly closed ones only.
    const shown = share === 1 ? 1 : 1 - smoothstep(-SOFT, SOFT, y - edge);
    return { weight: near * shown, from: share === 1 && y > edge ? y - edge + shutEdge : from };
  }
  return { weight: 0, from: y };
}

/** Keeps the parabola finite where points do not determine one: they are fewer than three, or in one column. */
const RIDGE = 1e-6;

/** The height of the parabola nearest to points; a flatter curve where there are too few of them. */
export function fitted(points: readonly Point[]): (x: number) => number {
  const middle = points.reduce((sum, { x }) => sum + x, 0) / points.length;
  const powers = (x: number): [number, number, number] => [1, (x - middle) / 10, ((x - middle) / 10) ** 2];
  const rows = [0, 1, 2].map((i) => [
    ...[0, 1, 2].map((j) => points.reduce((sum, { x }) => sum + powers(x)[i]! * powers(x)[j]!, i === j ? RIDGE : 0)),
    points.reduce((sum, { x, y }) => sum + powers(x)[i]! * y, 0),
  ]);
  for (let k = 0; k < 3; k++) {
    for (let i = 0; i < 3; i++) {
      if (i === k) continue;
      const factor = rows[i]![k]! / rows[k]![k]!;
      rows[i] = rows[i]!.map((value, j) => value - factor * rows[k]![j]!);
    }
  }
  const [a, b, c] = rows.map((row, i) => row[3]! / row[i]!) as [number, number, number];
  return (x) => {
    const [one, first, second] = powers(x);
    return a * one + b * first + c * second;
  };
}

/** A box so much larger that the eyes inside it are wholly the film's. */
function grown([x0, y0, x1, y1]: PlateBox): PlateBox {
  const [across, down] = [(x1 - x0) / 3, (y1 - y0) / 2];
  return [x0 - across, y0 - down, x1 + across, y1 + down];
}
