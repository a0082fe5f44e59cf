import type { PlateBox } from '@figurehead/presenter';
import type { Point } from '../picture.js';
import type { MeshPoint } from '../shaping/mesh.js';
import { boxInPortrait, cutBox, type Mouth, type MouthParts, writeFlow } from '../shaping/mouth.js';
import { fitSplines } from '../shaping/spline.js';
import { drawFilmedFace, type FilmedFace, fixedPoints, movingPoints, placed, STIFFNESS } from './warp.js';

/**
 * Draws the mouths of a pack from pictures of the person's own film: turned into the plate's attitude, moved so that
 * the face around the mouth meets the plate's, and in its light.
 * @param filmedFaces one for each patch of the pack; none for the resting mouth, which is the plate's own.
 * @param reference index of a half-open one.
 */
export function drawOwnMouth(
  parts: MouthParts,
  filmedFaces: readonly (FilmedFace | undefined)[],
  reference: number,
): Mouth {
  const { donor, alignment, plate, mesh } = parts;
  const box = boxInPortrait(donor.manifest.mouth.box, alignment, plate);
  // A frame can be the best one for several mouths.
  const draw = memoized((filmed: FilmedFace | undefined): { place: readonly MeshPoint[]; patch: Uint8Array } => {
    if (filmed === undefined) return { place: mesh.points, patch: cutBox(plate, box) };
    const place = placed(filmed.points, mesh.points, box);
    return { place, patch: drawFilmedFace({ filmed, place, plate, rest: mesh.points, box, still: fixedPoints(box) }) };
  });
  const drawn = filmedFaces.map(draw);
  const places = drawn.map(({ place }) => place);
  const flow = writeFlow(box, places.length, motionsOf(places, places[reference]!, box));
  return { box, patches: drawn.map(({ patch }) => patch), ...flow };
}

function memoized<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}

/** How far a point of the reference mouth moves in each patch. */
function motionsOf(
  places: readonly (readonly MeshPoint[])[],
  reference: readonly MeshPoint[],
  box: PlateBox,
): (at: Point) => Point[] {
  const numbers = movingPoints(reference, box);
  const fixed = fixedPoints(box);
  const from = [...numbers.map((i) => reference[i]!), ...fixed];
  const images = places.map((place) => [...numbers.map((i) => place[i]!), ...fixed]);
  const maps = fitSplines({ from, images }, STIFFNESS);
  return (at) => maps(at).map(({ x, y }) => ({ x: x - at.x, y: y - at.y }));
}
