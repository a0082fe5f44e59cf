/** Validates the mouth gauge with known openings: the packs drawn by the compositor in still poses. */
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

/** Measured gap at each opening, and the largest gap of a shut mouth, in halves of the mouth region's width. */
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
    const gapOf = calibrate(turns.map((turn) => strip({}, turn)));
    const read = (/** @type {object} */ mouth, /** @type {object} */ head) =>
      gapOf(strip(mouth, head)) / stand.mouth.half;
    const gaps = OPENINGS.map((open) => read({ open }, {}));
    const isMonotone = gaps.every((gap, i) => i === 0 || gap >= (gaps[i - 1] ?? 0) - 0.01);
    const shut = Math.max(...SHUT.map(({ mouth, head }) => read(mouth, head)));
    return { openings: OPENINGS, gaps, isMonotone, shut, isShutRead: shut <= CLOSED };
  } finally {
    compositor.close();
  }
}
