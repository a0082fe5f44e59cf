/**
 * Makes the pictures of the presenters for the documentation with the engine's own compositor: each speaking the same
 * sentence (docs/images/presenters/NAME.jpg) and all of them together (docs/images/presenters.jpg).
 *
 *     node scripts/contact-sheets.js
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import {
  allocateYuv,
  CONSONANT_SHAPES,
  createCompositor,
  createFaceTrack,
  createSpeech,
  energyOf,
  loadPack,
  yuvToRgba,
} from '../packages/media/dist/index.js';
import { BUILT_IN_PEOPLE } from '../packages/server/dist/features/avatars/built-in.js';
import { root } from './paths.js';

const SENTENCE = 'Hello! My name is on the board, and I am happy to show you how we build a video from a few words.';
const PACKS = join(root, 'presenters/packs');
const IMAGES = join(root, 'docs/images');
const FRAME = 1920;
/** Cells of a sheet, side of a cell in px, and enlargement of the face relative to the whole bust. */
const SHEET = { columns: 4, rows: 3, side: 250, zoom: 1.5 };
const GALLERY = { columns: 7, side: 240 };
/** Maximum bytes of a sheet and of the gallery. */
const LIMITS = { sheet: 100_000, gallery: 260_000 };
/** Silence before the sentence, samples. */
const LEAD = 24_000;

const names = Object.keys(BUILT_IN_PEOPLE);
const stretch = await speak();
await mkdir(join(IMAGES, 'presenters'), { recursive: true });
const portraits = [];
for (const name of names) {
  const cells = await draw(name, { side: 500, zoom: SHEET.zoom, samples: moments(SHEET.columns * SHEET.rows) });
  await writeFile(join(IMAGES, 'presenters', `${name}.jpg`), await tile(cells, SHEET, LIMITS.sheet));
  portraits.push(...(await draw(name, { side: 680, samples: [portraitMoment(names.indexOf(name))] })));
}
await writeFile(join(IMAGES, 'presenters.jpg'), await tile(portraits, GALLERY, LIMITS.gallery));

async function speak() {
  const speech = createSpeech({ threads: 1 });
  try {
    const { samples, marks } = await speech.utter('flite', SENTENCE, { voice: 'slt' });
    return { start: LEAD, samples: samples.length, marks, energy: energyOf(samples) };
  } finally {
    await speech.close();
  }
}

function trackOf(seed = 12) {
  return createFaceTrack({ seed, stretches: [stretch], expression: 'friendly' });
}

/** Frames with the least similar mouths and open eyes, in order of time. */
function moments(count) {
  const track = trackOf();
  const last = LEAD + stretch.samples;
  const frames = Array.from({ length: Math.floor(last / FRAME) }, (_, i) => i * FRAME)
    .map((sample) => ({ sample, pose: track.poseAt(sample) }))
    .filter(({ pose }) => pose.lids < 0.1);
  const looks = ({ mouth }) => [
    mouth.open,
    mouth.width / 2,
    ...CONSONANT_SHAPES.map((shape) => mouth.consonants[shape] ?? 0),
  ];
  const apart = (a, b) => {
    const other = looks(b.pose);
    return Math.hypot(...looks(a.pose).map((value, i) => value - other[i]));
  };
  const chosen = frames.slice(0, 1);
  while (chosen.length < count) {
    const nearest = (frame) => Math.min(...chosen.map((other) => apart(frame, other)));
    chosen.push(frames.reduce((best, frame) => (nearest(frame) > nearest(best) ? frame : best)));
  }
  return chosen.map(({ sample }) => sample).sort((a, b) => a - b);
}

/** A frame with open eyes that look at the viewer; half of the presenters speak. */
function portraitMoment(index) {
  const track = trackOf();
  const wanted = index % 2 === 0 ? 0 : 0.3;
  const candidates = Array.from({ length: Math.floor((LEAD + stretch.samples) / FRAME) }, (_, i) => i * FRAME);
  const unrest = (sample) => {
    const { lids, gaze, mouth } = track.poseAt(sample);
    return 5 * lids + 0.4 * Math.hypot(gaze.x, gaze.y) + 4 * Math.abs(mouth.open - wanted) + Math.abs(mouth.width);
  };
  return candidates.sort((a, b) => unrest(a) - unrest(b))[0];
}

/** Busts of one presenter at these samples, RGB. */
async function draw(name, { side, samples, zoom = 1 }) {
  const compositor = await createCompositor();
  try {
    const ground = softGround(side);
    const target = compositor.createFrame(side, side);
    const whole = { x: 0, y: 0, width: side, height: side };
    const [x, y] = [even((side - zoom * side) / 2), even(-0.34 * (zoom - 1) * side)];
    const placement = { x, y, width: even(zoom * side), height: even(zoom * side), crop: 'bust' };
    const placed = compositor.place(await loadPack(join(PACKS, name)), placement, target);
    const track = trackOf();
    return samples.map((sample) => {
      compositor.restore(ground, target, whole);
      placed.draw(track.poseAt(sample), target);
      return { width: side, height: side, data: Buffer.from(yuvToRgba(target).data) };
    });
  } finally {
    compositor.close();
  }
}

function even(value) {
  return 2 * Math.round(value / 2);
}

/** A blue-grey background, lighter behind the head. */
function softGround(side) {
  const frame = allocateYuv(side, side);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const far = Math.hypot(x / side - 0.5, y / side - 0.42);
      frame.y[y * frame.yStride + x] = Math.round(168 - 92 * Math.min(1, far / 0.75) ** 1.5);
    }
  }
  frame.u.fill(134);
  frame.v.fill(122);
  return frame;
}

/** One JPEG of all cells, in the best quality that `limit` bytes allow. */
async function tile(cells, { columns, side }, limit) {
  const rows = Math.ceil(cells.length / columns);
  const parts = await Promise.all(
    cells.map(async ({ data, width, height }, i) => ({
      input: await sharp(data, { raw: { width, height, channels: 4 } })
        .resize(side, side)
        .png()
        .toBuffer(),
      left: (i % columns) * side,
      top: Math.floor(i / columns) * side,
    })),
  );
  const whole = sharp({ create: { width: columns * side, height: rows * side, channels: 3, background: '#000' } });
  const picture = await whole.composite(parts).png().toBuffer();
  for (let quality = 90; quality >= 40; quality -= 4) {
    const jpeg = await sharp(picture).jpeg({ quality, mozjpeg: true }).toBuffer();
    if (jpeg.length <= limit) return jpeg;
  }
  throw new Error(`expected a picture of at most ${limit} bytes`);
}
