import type { Donor } from '../donor.js';
import type { Picture, Point } from '../picture.js';
import { DisplacementField, latticeOver } from './field.js';
import { findLipLine } from './lip-line.js';
import { EYES, type FaceMesh, LIPS, LOWER_LIP, UPPER_LIP } from './mesh.js';
import { fitSpline, type Pair, type PlaneMap } from './spline.js';

/** Maps points of the donor's plate to the same points of a portrait's plate, and back. */
export interface Alignment {
  /** Donor px to portrait px, anywhere. */
  readonly toPortrait: PlaneMap;
  /** The same around the face, fast. */
  readonly face: DisplacementField;
  /** Portrait px to donor px. */
  toDonor(at: Point): Point;
  /** Portrait px per donor px at the face. */
  readonly scale: number;
}

/** Inner rims of the lips. On closed lips they are replaced by the line that the pixels show. */
const INNER_LIPS = new Set([...UPPER_LIP, ...LOWER_LIP]);

/**
 * Points that must fit: outline, lips, eyes and brows. Of the others only some are used, because skin between them is
 * smooth.
 */
const FEATURES = new Set([
  ...[10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149],
  ...[150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109],
  ...LIPS,
  ...[73, 11, 303, 85, 15, 315, 180, 404, 164, 18, 200, 199, 1, 2, 4, 5, 98, 327, 6, 168],
  ...[70, 63, 105, 66, 107, 300, 293, 334, 296, 336, ...EYES.flatMap(({ lower, upper }) => [...lower, ...upper])],
]);
const SPARSE = 4;

/** Number of lip line samples that are matched. */
const LINE_SAMPLES = 13;

/** Smooths out the network's errors of a px or two. */
const STIFFNESS = 0.004;

/** Cell of the map around the face, px. */
const CELL = 8;

/** How far the fast map reaches beyond the boxes of eyes and mouth, donor px. */
const BEYOND = 48;

/** Matches a donor's face with a portrait's. All points in px of their plates. */
export function alignFaces(
  donor: Donor,
  donorMesh: FaceMesh,
  portrait: { readonly plate: Picture; readonly mesh: FaceMesh },
): Alignment {
  const pairs: Pair[] = donorMesh.points.flatMap((from, i) =>
    INNER_LIPS.has(i) || (!FEATURES.has(i) && i % SPARSE !== 0)
      ? []
      : [{ from: { x: from.x, y: from.y }, to: portrait.mesh.points[i]! }],
  );
  const lines = [sampleLine(donor.onGround, donorMesh), sampleLine(portrait.plate, portrait.mesh)];
  lines[0]!.forEach((from, i) => {
    pairs.push({ from, to: lines[1]![i]! });
  });
  donorMesh.irises.forEach((iris, i) => {
    pairs.push({ from: { x: iris.x, y: iris.y }, to: portrait.mesh.irises[i]! });
  });
  const toPortrait = fitSpline(pairs, STIFFNESS);
  const { eye, mouth } = donor.manifest;
  const face = DisplacementField.of(
    toPortrait,
    latticeOver(
      {
        x0: Math.min(eye.box[0], mouth.box[0]) - BEYOND,
        y0: eye.box[1] - BEYOND,
        x1: Math.max(eye.box[2], mouth.box[2]) + BEYOND,
        y1: mouth.box[3] + BEYOND,
      },
      CELL,
    ),
  );
  const middle = donorMesh.points[UPPER_LIP[5]!]!;
  const there = toPortrait(middle);
  const offset = { x: there.x - middle.x, y: there.y - middle.y };
  return {
    toPortrait,
    face,
    toDonor: (at) => face.invert(at, { x: at.x - offset.x, y: at.y - offset.y }, 16),
    scale: spanOf(portrait.mesh) / spanOf(donorMesh),
  };
}

function sampleLine(plate: Picture, mesh: FaceMesh): Point[] {
  const { x0, rows } = findLipLine(
    plate,
    UPPER_LIP.map((i) => mesh.points[i]!),
  );
  return Array.from({ length: LINE_SAMPLES }, (_, i) => {
    const column = Math.round((i / (LINE_SAMPLES - 1)) * (rows.length - 1));
    return { x: x0 + column, y: rows[column]! };
  });
}

function spanOf({ irises: [left, right] }: FaceMesh): number {
  return Math.hypot(right.x - left.x, right.y - left.y);
}
