/**
 * CPU time of drawing a presenter, in ms per frame on one core, as a ratio to its target (at most 1 meets it).
 *
 *     node bench/compose.js [presenter] [frames]
 *
 * Every frame has a different pose (mouth, lids, gaze and head move), so that no cached picture is used.
 */
import { fileURLToPath } from 'node:url';
import { createCompositor, framedFolder, loadPack } from '../packages/media/dist/presenter/index.js';

const name = process.argv[2] ?? 'ava';
const frames = Number(process.argv[3] ?? 200);
const dir = fileURLToPath(new URL(`../presenters/packs/${name}`, import.meta.url));

/** Targets in ms. */
const CASES = [
  { label: '512×512, bust', width: 512, height: 512, box: [0, 0, 512, 512], crop: 'bust', targetMs: 0.8 },
  {
    label: '1920×1080, bust in 600×800 (head of 370 px)',
    width: 1920,
    height: 1080,
    box: [1200, 280, 600, 800],
    crop: 'bust',
    targetMs: 3,
  },
  {
    label: '1920×1080, head of 640 px, whole plate',
    width: 1920,
    height: 1080,
    box: [210, 0, 1500, 1080],
    crop: 'full',
    targetMs: 3,
  },
  {
    label: '512×512, waist, arms move',
    framing: 'waist',
    width: 512,
    height: 512,
    box: [0, 0, 512, 512],
    crop: 'full',
    targetMs: 0.8,
  },
  {
    label: '1920×1080, waist, arms move',
    framing: 'waist',
    width: 1920,
    height: 1080,
    box: [420, 0, 1080, 1080],
    crop: 'full',
    targetMs: 3,
  },
];

/** @param {number} i frame number */
function poseAt(i) {
  const swing = (/** @type {number} */ period) => Math.sin((2 * Math.PI * i) / period);
  return {
    mouth: { open: 0.5 + 0.5 * swing(7.3), width: swing(11.7), consonants: { SS: 0.2 + 0.2 * swing(5) }, smile: 0 },
    lids: 0.5 + 0.5 * swing(19.1),
    gaze: { x: 4 * swing(31), y: 3 * swing(23) },
    head: {
      yaw: 0.07 * swing(101),
      pitch: 0.03 * swing(83),
      roll: 0.02 * swing(67),
      x: 5 * swing(250),
      y: 2 * swing(131),
    },
    breath: 2.6 * swing(100),
    sway: 3 * swing(277),
    brow: 0.3 + 0.3 * swing(43),
    arms: {
      left: { motion: 'beat', amount: 0.5 + 0.5 * swing(37) },
      right: { motion: 'open', amount: 0.5 + 0.5 * swing(53) },
    },
  };
}

/** The minimum of several passes, which other load has disturbed least. */
const least = (/** @type {number[]} */ values) => Math.min(...values);

const loads = [];
for (let i = 0; i < 5; i++) {
  const start = performance.now();
  await loadPack(dir);
  loads.push(performance.now() - start);
}
const loadMs = least(loads);
console.log(
  `load ${name}: first ${loads[0]?.toFixed(0)} ms, least ${loadMs.toFixed(0)} ms, ratio ${(loadMs / 150).toFixed(2)}`,
);

const pack = await loadPack(dir);
const body = await loadPack(framedFolder(dir, 'waist'));
for (const { label, framing, width, height, box, crop, targetMs } of CASES) {
  // A presenter without a body would be measured twice.
  if (framing !== undefined && body.height === pack.height) continue;
  const compositor = await createCompositor();
  const background = compositor.createFrame(width, height);
  const target = compositor.createFrame(width, height);
  const [x, y, w, h] = box;
  const start = performance.now();
  const placed = compositor.place(framing === undefined ? pack : body, { x, y, width: w, height: h, crop }, target);
  const placeMs = performance.now() - start;
  /** CPU time of one pass over all frames, in ms per frame; does not include other load. */
  const pass = (/** @type {(i: number) => void} */ frame) => {
    const before = process.cpuUsage();
    for (let i = 0; i < frames; i++) frame(i);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / frames;
  };
  const draw = (/** @type {number} */ i) => placed.draw(poseAt(i), target);
  pass(draw);
  const drawMs = least([1, 2, 3, 4, 5, 6, 7, 8, 9].map(() => pass(draw)));
  const restoreMs = least([1, 2, 3, 4, 5].map(() => pass(() => compositor.restore(background, target, placed.bounds))));
  const ratio = (drawMs + restoreMs) / targetMs;
  console.log(
    `${label}: draw ${drawMs.toFixed(2)} ms + restore ${restoreMs.toFixed(2)} ms, ratio ${ratio.toFixed(2)} (place ${placeMs.toFixed(0)} ms)`,
  );
  compositor.close();
}
