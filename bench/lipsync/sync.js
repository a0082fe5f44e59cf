/** Offsets of picture and sound in a finished video against their sources. */
import { createFaceTrack } from '../../packages/media/dist/index.js';
import { pearson } from './figures.js';

/** Lags tried for the picture, ms, and for the sound, samples. */
const PICTURE = { reach: 60, step: 5 };
const SOUND = { reach: 4800, step: 6 };
/** Seconds of sound compared. */
const COMPARED = 2;

/** Delay of the picture against the sound, ms; negative: early. `made` is the source of the video. */
export function offset(
  /** @type {{ fps: number, gaps: readonly number[], pcm: Float32Array }} */ { fps, gaps, pcm },
  /** @type {{ audio: Float32Array, stretches: import('../../packages/media/dist/index.js').SpokenStretch[], seed: number }} */ made,
) {
  const track = createFaceTrack(made);
  const lipsAt = (/** @type {number} */ sample) => {
    const { open, consonants } = track.poseAt(Math.max(0, sample)).mouth;
    return open * Math.max(0, 1 - (consonants.PP ?? 0) - (consonants.FF ?? 0));
  };
  const r = [];
  for (let late = -PICTURE.reach; late <= PICTURE.reach; late += PICTURE.step) {
    r.push(
      pearson(
        gaps,
        gaps.map((_, frame) => lipsAt((frame / fps) * 48_000 - late * 48)),
      ),
    );
  }
  const pictureMs = -PICTURE.reach + PICTURE.step * peak(r);
  return { pictureMs, soundMs: soundLag(pcm, made.audio), agreement: Math.max(...r) };
}

/** Delay of the decoded sound against the original, ms. */
function soundLag(/** @type {Float32Array} */ decoded, /** @type {Float32Array} */ original) {
  const start = original.findIndex((value) => Math.abs(value) > 0.05);
  const products = [];
  for (let lag = -SOUND.reach; lag <= SOUND.reach; lag += SOUND.step) {
    let sum = 0;
    for (let n = start; n < start + COMPARED * 48_000; n++) sum += (original[n] ?? 0) * (decoded[n + lag] ?? 0);
    products.push(sum);
  }
  return (-SOUND.reach + SOUND.step * products.indexOf(Math.max(...products))) / 48;
}

/** Position of the largest value, refined by a parabola. */
function peak(/** @type {number[]} */ values) {
  const best = values.indexOf(Math.max(...values));
  const [before, top, after] = [values[best - 1], values[best], values[best + 1]];
  if (before === undefined || after === undefined) return best;
  const bend = before - 2 * top + after;
  return bend === 0 ? best : best + (0.5 * (before - after)) / bend;
}
