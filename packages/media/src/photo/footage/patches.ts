import type { PlateBox } from '../../presenter/pack/manifest.js';
import { boxSize } from '../donor.js';
import type { Picture } from '../picture.js';
import type { MeshPoint } from '../shaping/mesh.js';
import { boxInPortrait, type Mouth, type MouthParts } from '../shaping/mouth.js';
import { fitSpline } from '../shaping/spline.js';
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
  const places = sights.map((sight) => (sight === undefined ? mesh.points : placed(sight.points, mesh.points, box)));
  const patches = sights.map((sight, i) =>
    sight === undefined
      ? cutPlate(plate, box)
      : drawFilmedFace({ sight, place: places[i]!, plate, rest: mesh.points, box, still: anchors(box) }),
  );
  return { box, patches, ...writeFlow(places, places[reference]!, box) };
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
  const fixed = anchors(box).map((from) => ({ from, to: from }));
  places.forEach((place, patch) => {
    const map = fitSpline([...numbers.map((i) => ({ from: reference[i]!, to: place[i]! })), ...fixed], STIFFNESS);
    for (let j = 0; j < gh; j++) {
      for (let i = 0; i < gw; i++) {
        const from = { x: box[0] + i * FLOW_CELL, y: box[1] + j * FLOW_CELL };
        const to = map(from);
        const at = ((patch * gh + j) * gw + i) * 4;
        flow.writeInt16LE(Math.round((to.x - from.x) * FLOW_SCALE), at);
        flow.writeInt16LE(Math.round((to.y - from.y) * FLOW_SCALE), at + 2);
      }
    }
  });
  return { flow, cell: FLOW_CELL, gw, gh, scale: FLOW_SCALE };
}
