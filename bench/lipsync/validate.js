/**
 * Validates the mouth gauge with known openings: the packs drawn by the compositor in still poses. The openings of a pack's pictures
 * are known from its motion fields, which say where the skin above and below the lips moves to.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allocateYuv, createCompositor, loadPack } from '../../packages/media/dist/index.js';
import { CLOSED } from './figures.js';
import { calibrate, stripOf } from './mouth-gauge.js';
import { standFor } from './stage.js';

const STILL = { lids: 0, gaze: { x: 0, y: 0 }, breath: 0, sway: 0, brow: 0 };
const HEAD = { yaw: 0, pitch: 0, roll: 0, x: 0, y: 0 };
const OPENINGS = [0, 0.1, 0.2, 0.3, 0.45, 0.62, 0.8, 1];
/** Shut mouths that differ from the neutral one, and whether the head is turned. */
const SHUT = [
  { mouth: { consonants: { PP: 1 } }, head: {} },
  { mouth: { consonants: { PP: 0.9 }, open: 0.2 }, head: { yaw: 0.03 } },
  { mouth: { smile: 1 }, head: {} },
  { mouth: { width: 0.5 }, head: { roll: 0.02 } },
];

/** Rows of a motion field between the line of the lips and the skin above or below that moves with them. */
const BESIDE_LIPS = 2;

/**
 * Measured gap at each opening, the largest gap of a shut mouth, and the root mean square of the differences between the gaps and
 * the known openings of the pack's pictures, all in halves of the mouth region's width.
 */
export async function validate(/** @type {string} */ name) {
  const stand = await standFor(name);
  const compositor = await createCompositor();
  try {
    const { width, height } = stand.frame;
    const base = allocateYuv(width, height);
    base.y.fill(96);
    base.u.fill(134);
    base.v.fill(122);
    const target = compositor.createFrame(width, height);
    const placed = compositor.place(await loadPack(stand.folder), stand.placement, stand.frame);
    const strip = (/** @type {object} */ mouth, /** @type {object} */ head) => {
      compositor.restore(base, target, { x: 0, y: 0, width, height });
      const shape = { open: 0, width: 0, consonants: {}, smile: 0, ...mouth };
      placed.draw({ ...STILL, head: { ...HEAD, ...head }, mouth: shape }, target);
      return stripOf(target, stand.mouth);
    };
    const turns = [-0.02, 0, 0.02].flatMap((yaw) => [-0.01, 0, 0.01].map((pitch) => ({ yaw, pitch })));
    const known = await knownOpenings(stand.folder);
    const closed = turns.map((turn) => strip({}, turn));
    const drawn = known.map(({ mouth }) => strip(mouth, {}));
    const gapOf = calibrate(closed, [...closed, ...drawn]);
    const read = (/** @type {object} */ mouth, /** @type {object} */ head) =>
      gapOf(strip(mouth, head)) / stand.mouth.half;
    const gaps = OPENINGS.map((open) => read({ open }, {}));
    const isMonotone = gaps.every((gap, i) => i === 0 || gap >= (gaps[i - 1] ?? 0) - 0.01);
    const shut = Math.max(...SHUT.map(({ mouth, head }) => read(mouth, head)));
    const errors = known.map(({ opening }, i) => gapOf(drawn[i]) / stand.mouth.half - opening);
    const error = Math.sqrt(errors.reduce((sum, each) => sum + each ** 2, 0) / errors.length);
    return { openings: OPENINGS, gaps, isMonotone, shut, isShutRead: shut <= CLOSED, error };
  } finally {
    compositor.close();
  }
}

/** The pictures of a pack without smiles, each with the mouth that shows it alone and its opening in halves of the region's width. */
async function knownOpenings(/** @type {string} */ folder) {
  const { mouth } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  const { file, gw, gh, scale } = mouth.flow;
  const bytes = await readFile(join(folder, file));
  /** Vertical movement of a point of the middle columns in one picture against the resting mouth, px. */
  const movement = (/** @type {number} */ patch, /** @type {number} */ row) => {
    const at = (/** @type {number} */ k) => [-1, 0, 1].reduce((sum, x) => sum + y(k, row, (gw >> 1) + x), 0) / 3;
    return at(patch) - at(indexOf('g02'));
  };
  const y = (/** @type {number} */ patch, /** @type {number} */ row, /** @type {number} */ column) =>
    bytes.readInt16LE(4 * ((patch * gh + row) * gw + column) + 2) / scale;
  const indexOf = (/** @type {string} */ id) =>
    mouth.patches.findIndex((/** @type {{ id: string }} */ patch) => patch.id === id);
  const parting = (/** @type {number} */ patch, /** @type {number} */ row, /** @type {number} */ reach) =>
    movement(patch, row + reach) - movement(patch, row - reach);
  // The widest open mouth parts most at the line of the lips.
  const rows = Array.from({ length: gh - 2 * BESIDE_LIPS }, (_, row) => row + BESIDE_LIPS);
  const wide = indexOf('g32');
  const lips = rows.reduce((best, row) => (parting(wide, row, 1) > parting(wide, best, 1) ? row : best));
  const half = (mouth.box[2] - mouth.box[0]) / 2;
  return mouth.patches.flatMap(
    (/** @type {{ open?: number, width?: number, viseme?: string }} */ shape, /** @type {number} */ i) => {
      const { open, width, viseme } = shape;
      if (viseme === undefined && open === undefined) return [];
      const shown = viseme === undefined ? { open, width } : { consonants: { [viseme]: 1 } };
      return [{ mouth: shown, opening: parting(i, lips, BESIDE_LIPS) / half }];
    },
  );
}
