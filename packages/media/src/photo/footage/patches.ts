import type { PlateBox } from '../../presenter/pack/manifest.js';
import { boxSize } from '../donor.js';
import type { Picture } from '../picture.js';
import type { MeshPoint } from '../shaping/mesh.js';
import { boxInPortrait, type Mouth, type MouthParts } from '../shaping/mouth.js';
import { fitSplines } from '../shaping/spline.js';
import { anchors, carriers, drawFilmedFace, type FilmedFace, placed, plateIndex, STIFFNESS } from './warp.js';

/** Cell and unit of the written motion. */
const FLOW_CELL = 8;
const FLOW_SCALE = 16;

/**
 * Draws the mouths of a pack from pictures of the person's own film: turned into the plate's attitude, moved so that
 * the face around the mouth meets the plate's, and in its light.
 * @param sights one for each patch of the pack; none for the resting mouth, which is the plate's own.
 * @param reference index of a half-open one.
 */
export function drawOwnMouth(parts: MouthParts, sights: readonly (FilmedFace | undefined)[], reference: number): Mouth {
  const { donor, alignment, plate, mesh } = parts;
  const box = boxInPortrait(donor.manifest.mouth.box, alignment, plate);
  // A frame can be the best one for several mouths.
  const draw = memoized((sight: FilmedFace | undefined): { place: readonly MeshPoint[]; patch: Uint8Array } => {
    if (sight === undefined) return { place: mesh.points, patch: cutPlate(plate, box) };
    const place = placed(sight.points, mesh.points, box);
    return { place, patch: drawFilmedFace({ sight, place, plate, rest: mesh.points, box, still: anchors(box) }) };
  });
  const drawn = sights.map(draw);
  const places = drawn.map(({ place }) => place);
  return { box, patches: drawn.map(({ patch }) => patch), ...writeFlow(places, places[reference]!, box) };
}

function memoized<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}

function cutPlate(plate: Picture, box: PlateBox): Uint8Array {
  const { width, height } = boxSize(box);
  return new Uint8Array(width * height * 3).map((_, k) => {
    return plate.data[plateIndex(plate, box, Math.floor(k / 3)) + (k % 3)]!;
  });
}

/** The motion from the reference mouth to each patch (presenters/FORMAT.md 1, `flow.i16`). */
function writeFlow(
  places: readonly (readonly MeshPoint[])[],
  reference: readonly MeshPoint[],
  box: PlateBox,
): Omit<Mouth, 'box' | 'patches'> {
  const { width, height } = boxSize(box);
  const gw = Math.ceil(width / FLOW_CELL) + 1;
  const gh = Math.ceil(height / FLOW_CELL) + 1;
  const flow = Buffer.alloc(places.length * gw * gh * 4);
  const numbers = carriers(reference, box);
  const fixed = anchors(box);
  const from = [...numbers.map((i) => reference[i]!), ...fixed];
  const images = places.map((place) => [...numbers.map((i) => place[i]!), ...fixed]);
  const maps = fitSplines({ from, images }, STIFFNESS);
  for (let j = 0; j < gh; j++) {
    for (let i = 0; i < gw; i++) {
      const at = { x: box[0] + i * FLOW_CELL, y: box[1] + j * FLOW_CELL };
      maps(at).forEach((to, patch) => {
        const index = ((patch * gh + j) * gw + i) * 4;
        flow.writeInt16LE(Math.round((to.x - at.x) * FLOW_SCALE), index);
        flow.writeInt16LE(Math.round((to.y - at.y) * FLOW_SCALE), index + 2);
      });
    }
  }
  return { flow, cell: FLOW_CELL, gw, gh, scale: FLOW_SCALE };
}
