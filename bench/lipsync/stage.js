/** Renders presenters' faces through the public pipeline at the size they have on a 720p slide. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allocateYuv, energyOf, loadPack, renderVideo } from '../../packages/media/dist/index.js';
import { layOut } from '../../packages/presenter/dist/drawing/crop.js';

/** Measured packs: the built-in ones, or those of the server's configured folder. */
export const PACKS =
  process.env.FIGUREHEAD_PRESENTERS ?? fileURLToPath(new URL('../../presenters/packs/', import.meta.url));
/** Height of the bust in px, and side of the drawn and encoded square around the face. */
const BUST = 720;
const WINDOW = 368;
/** The mouth's height in its box, in halves of the box's width (presenters/studio: how boxes are made). */
const MOUTH_DROP = 0.62;

export const FPS = 25;

/** Placement of a presenter in the benchmark, and the positions of mouth and eyes. */
export async function standFor(/** @type {string} */ name) {
  const folder = join(PACKS, name);
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  const { mouth, eye, head } = manifest;
  const frame = { width: WINDOW, height: WINDOW };
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const placement = { x, y, width: BUST, height: BUST, crop: /** @type {const} */ ('bust') };
    const shown = { ...manifest, head: { ...head, pivotX: head.pivot[0], pivotY: head.pivot[1] } };
    return { placement, layout: layOut(shown, placement, frame) };
  };
  const trial = at(0, 0).layout;
  const top = eye.box[1] * trial.scale + trial.originY;
  const middle = ((mouth.box[0] + mouth.box[2]) / 2) * trial.scale + trial.originX;
  const { placement, layout } = at(Math.round((WINDOW / 2 - middle) / 2) * 2, Math.round((8 - top) / 2) * 2);
  const half = ((mouth.box[2] - mouth.box[0]) / 2) * layout.scale;
  return {
    folder,
    frame,
    placement,
    mouth: {
      x: ((mouth.box[0] + mouth.box[2]) / 2) * layout.scale + layout.originX,
      y: mouth.box[1] * layout.scale + layout.originY + MOUTH_DROP * half,
      half,
    },
    eyes: eye.eyes.map((/** @type {{ x: number, y: number, r: number }} */ iris) => ({
      x: (eye.box[0] + iris.x) * layout.scale + layout.originX,
      y: (eye.box[1] + iris.y) * layout.scale + layout.originY,
      radius: iris.r * layout.scale,
    })),
  };
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
