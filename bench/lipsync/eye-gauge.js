/**
 * Detects from pixels whether eyes are open: white, iris and pupil have other colours than skin, a lid has the skin's. A difference well
 * below that of the surrounding second is a blink; gaze and head turns change it less and more slowly. Contrast would not do: closed lids
 * end in lashes, which are as dark as a pupil.
 */
import { median } from '../statistics.js';

/** Share of the usual difference below which an eye counts as shut, and the seconds to both sides that define the usual one. */
const SHUT = 0.6;
const AROUND = 0.8;
/** Half size of the window around the iris, and the place of the skin below it, in its radii. */
const WINDOW = { x: 1.5, y: 0.75 };
const SKIN = { below: 2.4, half: 0.5 };

/** @typedef {{ x: number, y: number, radius: number }} EyePlace centre and radius of the iris, px of the frame */

/** Mean distance of the chroma in the windows of all eyes from that of the skin below them. */
export function colourOfEyes(
  /** @type {import('../../packages/media/dist/index.js').YuvFrame} */ frame,
  /** @type {readonly EyePlace[]} */ eyes,
) {
  let sum = 0;
  for (const { x, y, radius } of eyes) {
    const below = SKIN.half * radius;
    const skin = chromaIn(frame, { x, y: y + SKIN.below * radius, halfX: below, halfY: below });
    const eye = chromaIn(frame, { x, y, halfX: WINDOW.x * radius, halfY: WINDOW.y * radius });
    const [u, v] = [median(skin.map((one) => one.u)), median(skin.map((one) => one.v))];
    sum += eye.reduce((total, one) => total + Math.hypot(one.u - u, one.v - v), 0) / eye.length;
  }
  return sum / eyes.length;
}

/** Chroma samples of a box, px of the frame. */
function chromaIn(frame, { x, y, halfX, halfY }) {
  const samples = [];
  for (let row = Math.round((y - halfY) / 2); row <= (y + halfY) / 2; row++) {
    for (let column = Math.round((x - halfX) / 2); column <= (x + halfX) / 2; column++) {
      const at = row * frame.uvStride + column;
      samples.push({ u: frame.u[at] ?? 128, v: frame.v[at] ?? 128 });
    }
  }
  return samples;
}

/** Number of blinks in a series of these distances: runs of shut frames of a blink's length; a gap of one frame does not end a run. */
export function countBlinks(/** @type {readonly number[]} */ distances, /** @type {number} */ fps) {
  const reach = Math.round(AROUND * fps);
  const isShut = distances.map((distance, frame) => {
    const near = distances.slice(Math.max(0, frame - reach), frame + reach + 1).sort((a, b) => a - b);
    return distance < SHUT * (near[Math.floor(near.length * 0.8)] ?? 0);
  });
  let blinks = 0;
  let since = 2;
  for (const shut of isShut) {
    if (shut && since >= 2) blinks++;
    since = shut ? 0 : since + 1;
  }
  return blinks;
}
