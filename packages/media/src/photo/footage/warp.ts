import { boxSize, type PlateBox } from '@figurehead/presenter';
import { chessboardDistance } from '@figurehead/presenter/distance';
import { smoothstep } from '@figurehead/presenter/easing';
import { fillUnknown } from '../fill.js';
import type { Picture, Point } from '../picture.js';
import { boxMean } from '../shaping/box-mean.js';
import { DisplacementField, latticeOver } from '../shaping/field.js';
import { EYES, LIPS, LOWER_LIP, type MeshPoint, UPPER_LIP } from '../shaping/mesh.js';
import { type Colour, plateIndex, sampleSharp } from '../shaping/sampling.js';
import { fitSpline, type Pair } from '../shaping/spline.js';
import { alignSkull } from './rigid.js';
import { eyesApart } from './tracking.js';

/** A picture of the film, and the face in it. */
export interface FilmedFace {
  readonly picture: Picture;
  /** Points of the face, px of the picture. */
  readonly points: readonly MeshPoint[];
}

/** Cell on which a picture is warped, px. */
const CELL = 4;

/** Smoothing of the network's errors; see `fitSpline`. */
export const STIFFNESS = 0.004;

/** Shares of a box over which a patch passes from the plate's face to its own. */
const SIDES = 0.22;
const TOP = 0.2;
const FOOT = 0.3;

/** Every so many points of the mesh away from lips and eyes are used; skin between them is smooth. */
const SPARSE = 3;

/** Points of lips, chin and eyes, all of which are used. */
const FEATURES = new Set([
  ...EYES.flatMap(({ lower, upper }) => [...lower, ...upper]),
  ...LIPS,
  ...UPPER_LIP,
  ...LOWER_LIP,
  ...[152, 148, 377, 176, 400, 18, 200, 199, 164, 2],
]);

/** Px from the edge of a box where its colours are compared with the plate's, and over which they are averaged. */
const RIM = { from: 3, to: 20, radius: 7 } as const;

/** Greatest difference of light that is evened out, 0…255. */
const MOST_LIGHT = 26;

/** The lower outline of the face from ear to ear, and the forehead. */
const OUTLINE = [
  ...[234, 93, 132, 58, 172, 136, 150, 149, 176, 148, 152, 377, 400, 378, 379, 365, 397, 288, 361, 323, 454],
  ...[356, 389, 251, 284, 332, 297, 338, 10, 109, 67, 103, 54, 21, 162, 127],
];

/** Distances from the outline of the face over which a patch passes into the plate, px. */
const BESIDE = { from: 4, to: 26 } as const;

/** Most samples averaged along a side of one px where a face is larger in the film than on the plate. */
const MAX_AVERAGED = 3;

/**
 * Where the points of a frame are on the plate: its own features in the plate's attitude inside the box, the plate's face
 * around it.
 */
export function placed(points: readonly MeshPoint[], rest: readonly MeshPoint[], box: PlateBox): MeshPoint[] {
  const turn = alignSkull(points, rest);
  return points.map((point, i) => {
    const [own, there] = [turn(point), rest[i]!];
    const share = shareOf(there, box);
    const mix = (axis: 'x' | 'y' | 'z'): number => there[axis] + share * (own[axis] - there[axis]);
    return { x: mix('x'), y: mix('y'), z: mix('z') };
  });
}

/** 1 at the mouth and the chin, 0 from the edge of the box on. */
function shareOf({ x, y }: Point, [x0, y0, x1, y1]: PlateBox): number {
  const [across, down] = [(x - x0) / (x1 - x0), (y - y0) / (y1 - y0)];
  return smoothstep(0, SIDES, Math.min(across, 1 - across)) * smoothstep(0, TOP, down) * smoothstep(0, FOOT, 1 - down);
}

/** Numbers of the mesh's points that carry the motion in a box. */
export function movingPoints(points: readonly MeshPoint[], [x0, y0, x1, y1]: PlateBox): number[] {
  const [beyondX, beyondY] = [(x1 - x0) / 4, (y1 - y0) / 4];
  const isNear = ({ x, y }: Point): boolean =>
    x > x0 - beyondX && x < x1 + beyondX && y > y0 - beyondY && y < y1 + beyondY;
  return points.flatMap((point, i) => (isNear(point) && (FEATURES.has(i) || i % SPARSE === 0) ? [i] : []));
}

/** Points at the foot and the lower sides of the mouth's box, where the mesh has none. */
export function fixedPoints([x0, y0, x1, y1]: PlateBox): Point[] {
  const along = [0, 0.25, 0.5, 0.75, 1];
  return [
    ...along.map((t) => ({ x: x0 + t * (x1 - x0), y: y1 })),
    ...along.map((t) => ({ x: x0 + t * (x1 - x0), y: y1 + (y1 - y0) / 5 })),
    ...[x0, x1].map((x) => ({ x, y: y0 + 0.75 * (y1 - y0) })),
  ];
}

/**
 * Draws a box of the plate from a picture of the film, in the plate's light.
 * @param place where the points of the picture's face are on the plate.
 * @param rest the points of the plate's face.
 * @returns RGB, size of the box.
 */
export function drawFilmedFace({
  filmed: { picture, points },
  place,
  plate,
  rest,
  box,
  still = [],
}: {
  readonly filmed: FilmedFace;
  readonly place: readonly MeshPoint[];
  readonly plate: Picture;
  readonly rest: readonly MeshPoint[];
  readonly box: PlateBox;
  /** Points of the plate beside the face that stay where they are. */
  readonly still?: readonly Point[];
}): Uint8Array {
  const toFilm = alignSkull(rest, points);
  const depth = rest[152]!.z;
  const pairs: Pair[] = [
    ...movingPoints(place, box).map((i) => ({ from: place[i]!, to: points[i]! })),
    ...still.map((from) => ({ from, to: toFilm({ ...from, z: depth }) })),
  ];
  const [x0, y0, x1, y1] = box;
  const source = DisplacementField.of(fitSpline(pairs, STIFFNESS), latticeOver({ x0, y0, x1, y1 }, CELL));
  const { width, height } = boxSize(box);
  const averaged = Math.min(MAX_AVERAGED, Math.max(1, Math.round(eyesApart(points) / eyesApart(rest))));
  const out = new Float32Array(width * height * 3);
  const colour: Colour = [0, 0, 0];
  const by = { x: 0, y: 0 };
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const to = (row * width + column) * 3;
      for (let k = 0; k < averaged ** 2; k++) {
        const x = x0 + column + ((k % averaged) + 0.5) / averaged - 0.5;
        const y = y0 + row + (Math.floor(k / averaged) + 0.5) / averaged - 0.5;
        source.read(x, y, by);
        sampleSharp(picture, x + by.x, y + by.y, colour);
        for (let c = 0; c < 3; c++) out[to + c] = out[to + c]! + colour[c]! / averaged ** 2;
      }
    }
  }
  const lit = inPlatesLight(out, plate, box);
  return aroundFace(lit, { plate, box, outlines: [outlineOf(place), outlineOf(rest)] });
}

/** Adds to a patch what its edge lacks to the plate's colours, continued smoothly over all of it. */
function inPlatesLight(patch: Float32Array, plate: Picture, box: PlateBox): Uint8Array {
  const { width, height } = boxSize(box);
  const count = width * height;
  const missing = new Uint8Array(count * 4);
  const isKnown = new Uint8Array(count);
  const channels = [0, 1, 2].map(() => new Float32Array(count));
  for (let i = 0; i < count; i++) {
    const at = plateIndex(plate, box, i);
    // Beside the person there is no light to compare.
    if (plate.data[at + 3] !== 255) continue;
    const column = i % width;
    const row = Math.floor(i / width);
    const edge = Math.min(column, row, width - 1 - column, height - 1 - row);
    if (edge >= RIM.from && edge <= RIM.to) isKnown[i] = 1;
    for (let c = 0; c < 3; c++) {
      // More than this is not light but something else: the background beside a neck that is turned.
      channels[c]![i] = Math.min(Math.max(plate.data[at + c]! - patch[i * 3 + c]!, -MOST_LIGHT), MOST_LIGHT);
    }
  }
  for (const [c, difference] of channels.entries()) {
    const mean = boxMean(difference, { width, height, radius: RIM.radius });
    for (let i = 0; i < count; i++) missing[i * 4 + c] = Math.min(Math.max(128 + mean[i]! / 2, 0), 255);
  }
  const filled = fillUnknown({ width, height, data: missing }, (i) => isKnown[i] === 1);
  const out = new Uint8Array(patch.length);
  for (let i = 0; i < out.length; i++) {
    out[i] = Math.min(Math.max(Math.round(patch[i]! + 2 * (filled[i]! - 128)), 0), 255);
  }
  return out;
}

function outlineOf(points: readonly MeshPoint[]): Point[] {
  return OUTLINE.map((i) => points[i]!);
}

/** The patch in and close to the face, the plate elsewhere: a turned head shows other neck, hair and background. */
function aroundFace(
  patch: Uint8Array,
  { plate, box, outlines }: { plate: Picture; box: PlateBox; outlines: readonly (readonly Point[])[] },
): Uint8Array {
  const { width, height } = boxSize(box);
  const rows = Array.from({ length: height }, (_, y) => outlines.map((outline) => crossings(box[1] + y, outline)));
  const isFace = (x: number, y: number): boolean => rows[y]!.some((line) => isInside(box[0] + x, line));
  const distance = chessboardDistance(isFace, width, height);
  const out = new Uint8Array(patch.length);
  for (let i = 0; i < width * height; i++) {
    const share = 1 - smoothstep(BESIDE.from, BESIDE.to, distance[i]!);
    const at = plateIndex(plate, box, i);
    for (let c = 0; c < 3; c++) {
      out[i * 3 + c] = Math.round(patch[i * 3 + c]! * share + plate.data[at + c]! * (1 - share));
    }
  }
  return out;
}

/** Where a closed line crosses a row. */
function crossings(row: number, line: readonly Point[]): number[] {
  return line.flatMap((a, i) => {
    const b = line[(i + 1) % line.length]!;
    return a.y > row !== b.y > row ? [a.x + ((b.x - a.x) * (row - a.y)) / (b.y - a.y)] : [];
  });
}

/** Whether a place of a row is inside the closed line that crosses it there. */
function isInside(x: number, crossed: readonly number[]): boolean {
  let inside = false;
  for (const crossing of crossed) if (x < crossing) inside = !inside;
  return inside;
}
