/** Renders presenters' faces through the public pipeline at the size they have on a 720p slide. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { allocateYuv, energyOf, loadPack, renderVideo } from '../../packages/media/dist/index.js';
import { detectFaces } from '../../packages/media/dist/photo/detector.js';
import { openNetworks } from '../../packages/media/dist/photo/networks.js';
import { decodePortrait } from '../../packages/media/dist/photo/portrait-file.js';
import { readMesh } from '../../packages/media/dist/photo/shaping/mesh.js';
import { layOut } from '../../packages/presenter/dist/drawing/crop.js';

/** Measured packs: the built-in ones, or those of the server's configured folder. */
export const PACKS =
  process.env.FIGUREHEAD_PRESENTERS ?? fileURLToPath(new URL('../../presenters/packs/', import.meta.url));
/** Height of the bust in px, and side of the drawn and encoded square around the face. */
const BUST = 720;
const WINDOW = 368;
/** Corners of the mouth, and the middle of the inner rims of its lips, in the face mesh. */
const CORNERS = [61, 291];
const INNER = [13, 14];

export const FPS = 25;

/** Placement of a presenter in the benchmark, and the positions of mouth and eyes. */
export async function standFor(/** @type {string} */ name) {
  const folder = join(PACKS, name);
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  const { eye, head } = manifest;
  const frame = { width: WINDOW, height: WINDOW };
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const placement = { x, y, width: BUST, height: BUST, crop: /** @type {const} */ ('bust') };
    const shown = { ...manifest, head: { ...head, pivotX: head.pivot[0], pivotY: head.pivot[1] } };
    return { placement, layout: layOut(shown, placement, frame) };
  };
  const lips = await findLips(join(folder, manifest.base));
  const trial = at(0, 0).layout;
  const top = eye.box[1] * trial.scale + trial.originY;
  const middle = lips.x * trial.scale + trial.originX;
  const { placement, layout } = at(Math.round((WINDOW / 2 - middle) / 2) * 2, Math.round((8 - top) / 2) * 2);
  const [a, b] = eye.eyes;
  return {
    folder,
    frame,
    placement,
    mouth: {
      x: lips.x * layout.scale + layout.originX,
      y: lips.y * layout.scale + layout.originY,
      half: Math.hypot(b.x - a.x, b.y - a.y) * layout.scale,
    },
    eyes: eye.eyes.map((/** @type {{ x: number, y: number, r: number }} */ iris) => ({
      x: (eye.box[0] + iris.x) * layout.scale + layout.originX,
      y: (eye.box[1] + iris.y) * layout.scale + layout.originY,
      radius: iris.r * layout.scale,
    })),
  };
}

/** Centre of the closed lips of a plate, px: a portrait's are not always in the same place of the mouth's box. */
async function findLips(/** @type {string} */ plate) {
  const { seen } = await decodePortrait(await sharp(plate).flatten({ background: '#80848a' }).png().toBuffer());
  const networks = await openNetworks();
  const [face] = detectFaces(networks.detector, seen);
  if (face === undefined) throw new Error(`${plate}: expected a face, found none`);
  const { points } = readMesh(networks, seen, face);
  const mean = (/** @type {number[]} */ numbers, /** @type {'x' | 'y'} */ axis) =>
    numbers.reduce((sum, i) => sum + points[i][axis] / numbers.length, 0);
  return { x: mean(CORNERS, 'x'), y: mean(INNER, 'y') };
}

/** Renders one presenter who speaks `audio` with `stretches` into `out`. */
export async function renderFace(
  /** @type {Awaited<ReturnType<typeof standFor>>} */ stand,
  /** @type {{ audio: Float32Array, stretches: import('../../packages/media/dist/index.js').SpokenStretch[], seed: number, out: string }} */ {
    audio,
    stretches,
    seed,
    out,
  },
) {
  const { width, height } = stand.frame;
  const base = allocateYuv(width, height);
  base.y.fill(96);
  base.u.fill(134);
  base.v.fill(122);
  const frames = Math.floor(audio.length / (48_000 / FPS));
  const layer = {
    kind: /** @type {const} */ ('presenter'),
    pack: stand.folder,
    placement: stand.placement,
    face: { seed, stretches },
    motions: [],
  };
  const format = { width, height, fps: /** @type {const} */ (FPS) };
  await renderVideo({
    shots: [{ key: out, format, startFrame: 0, frames, base, layers: [layer] }],
    audio,
    timeline: { cues: [], chapters: [], language: 'en' },
    subtitleTrack: false,
    settings: { ...format, preset: 'veryfast', crf: 23, gopFrames: 50 },
    out,
    threads: 1,
    loadPack,
  });
}

/** Utterances one after another, `pause` samples of silence before each and after the last. */
export function sequence(
  /** @type {readonly import('../../packages/media/dist/index.js').Utterance[]} */ utterances,
  pause = 48_000,
) {
  const length = utterances.reduce((sum, { samples }) => sum + samples.length + pause, pause);
  const audio = new Float32Array(Math.ceil(length / 1920) * 1920);
  const stretches = [];
  const sounds = [];
  let at = pause;
  for (const { samples, marks } of utterances) {
    audio.set(samples, at);
    stretches.push({ start: at, samples: samples.length, marks, energy: energyOf(samples) });
    for (const { phone, start, end } of marks.phonemes) {
      if (phone !== '') sounds.push({ phone, start: (at + start) / 48_000, end: (at + end) / 48_000 });
    }
    at += samples.length + pause;
  }
  return { audio, stretches, sounds };
}
