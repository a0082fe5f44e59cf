import { type Donor, type GreyPicture, greyAt } from '../donor.js';
import type { Alignment } from './alignment.js';
import { boxMean } from './box-mean.js';
import { DisplacementField, latticeOver } from './field.js';
import type { FaceMesh } from './mesh.js';
import { fitSpline } from './spline.js';

/**
 * Only every so many points of the mesh carry the coarse map from the portrait to the donor, because depth is smooth.
 */
const SPARSE = 6;

/** Smoothing that keeps the map stable far from the face. */
const STIFFNESS = 0.3;

/** Box, in px of the depth map, and passes that smooth its steps. */
const SOFT = 4;
const SOFT_PASSES = 2;

/** Cell of that map, px. */
const CELL = 24;

/** Draws the depth of a portrait: the donor's depth fitted to the portrait's face, in the donor's units. */
export function drawDepth(
  donor: Donor,
  donorMesh: FaceMesh,
  portrait: { readonly mesh: FaceMesh; readonly width: number; readonly height: number },
): GreyPicture {
  const { scale } = donor.manifest.depth;
  const width = Math.ceil(portrait.width / scale);
  const height = Math.ceil(portrait.height / scale);
  const map = fitSpline(
    portrait.mesh.points.flatMap((from, i) =>
      i % SPARSE === 0 ? [{ from: { x: from.x, y: from.y }, to: donorMesh.points[i]! }] : [],
    ),
    STIFFNESS,
  );
  const toDonor = DisplacementField.of(
    map,
    latticeOver({ x0: 0, y0: 0, x1: portrait.width, y1: portrait.height }, CELL),
  );
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = toDonor.move({ x: x * scale, y: y * scale });
      data[y * width + x] = Math.round(greyAt(donor.depth, { x: at.x / scale, y: at.y / scale }));
    }
  }
  return { width, height, data: softened(data, width, height) };
}

/** The donor's chin and ears are not quite where the portrait's are: a step there would tear the jaw when the head turns. */
function softened(depth: Uint8Array, width: number, height: number): Uint8Array {
  let values: Float32Array = Float32Array.from(depth);
  for (let pass = 0; pass < SOFT_PASSES; pass++) values = boxMean(values, { width, height, radius: SOFT });
  return new Uint8Array(values.map(Math.round));
}

/** The donor's head geometry mapped to the portrait. */
export function headOf(
  { manifest: { head } }: Donor,
  { toPortrait, scale }: Alignment,
  plate: { readonly width: number; readonly height: number; readonly top: number },
): { pivot: [number, number]; chinY: number; neckY: number; camDist: number; topY: number } {
  const pivot = toPortrait({ x: head.pivotX, y: head.pivotY });
  const chinY = Math.min(toPortrait({ x: head.pivotX, y: head.chinY }).y, plate.height - 40);
  const neckY = Math.min(chinY + (head.neckY - head.chinY) * scale, plate.height - 8);
  return {
    pivot: [pivot.x, pivot.y],
    chinY,
    neckY,
    camDist: head.camDist,
    topY: Math.min(plate.top, chinY - 1),
  };
}
