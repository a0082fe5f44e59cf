/**
 * Detects from pixels whether eyes are open: white, iris and pupil have a high contrast, a lid has little. A contrast well below
 * that of the surrounding second is a blink; gaze and head turns change it less and more slowly.
 */

/** Share of the usual contrast below which an eye counts as shut, and the seconds to both sides that define the usual contrast. */
const SHUT = 0.76;
const AROUND = 0.8;
/** Half size of the window around the iris, in its radii. */
const WINDOW = { x: 1.5, y: 0.75 };

/** @typedef {{ x: number, y: number, radius: number }} EyePlace centre and radius of the iris, px of the frame */

/** Standard deviation of luma over the windows of all eyes. */
export function contrastOf(
  /** @type {import('../../packages/media/dist/index.js').YuvFrame} */ frame,
  /** @type {readonly EyePlace[]} */ eyes,
) {
  let sum = 0;
  for (const { x, y, radius } of eyes) {
    let count = 0;
    let total = 0;
    let squares = 0;
    for (let row = Math.round(y - WINDOW.y * radius); row <= y + WINDOW.y * radius; row++) {
      for (let column = Math.round(x - WINDOW.x * radius); column <= x + WINDOW.x * radius; column++) {
        const luma = frame.y[row * frame.yStride + column] ?? 0;
        count++;
        total += luma;
        squares += luma * luma;
      }
    }
    sum += Math.sqrt(Math.max(0, squares / count - (total / count) ** 2));
  }
  return sum / eyes.length;
}

/** Number of blinks in a series of contrasts: runs of shut frames of a blink's length; a gap of one frame does not end a run. */
export function countBlinks(/** @type {readonly number[]} */ contrasts, /** @type {number} */ fps) {
  const reach = Math.round(AROUND * fps);
  const isShut = contrasts.map((contrast, frame) => {
    const near = contrasts.slice(Math.max(0, frame - reach), frame + reach + 1).sort((a, b) => a - b);
    return contrast < SHUT * (near[Math.floor(near.length * 0.8)] ?? 0);
  });
  let blinks = 0;
  let since = 2;
  for (const shut of isShut) {
    if (shut && since >= 2) blinks++;
    since = shut ? 0 : since + 1;
  }
  return blinks;
}
