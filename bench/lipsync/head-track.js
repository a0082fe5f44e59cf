/**
 * Tracks a head by its nose, which expressions do not move: the shift of the area between eyes and lips since the video's
 * first frame. Mouth and eyes are measured at the shifted position.
 *
 * The search is two-dimensional: when the head turns, the nose moves sideways, and a vertical search alone finds a wrong
 * height (9 px off, half a lip, on a face with highlights).
 */

/** Maximum shift: a head turns farther than it nods. Lengths are in halves of the mouth region's width. */
const REACH = { x: 0.26, y: 0.16 };
/** Half width of the tracked area (without the eyes), and its distance from eyes and lips. */
const PLACE = { half: 0.32, belowEyes: 0.04, aboveLips: 0.3 };
/** Points of the area and initial steps of the search per such length. */
const POINTS = 34;
const STEPS = 26;
/** Minimum correlation; below it the last shift is kept. */
const LIKE = 0.5;

/**
 * @typedef {{ x: number, y: number }} Shift px to the right and down
 * @typedef {import('../../packages/media/dist/index.js').YuvFrame} YuvFrame
 * @typedef {{ left: number, top: number, columns: number, rows: number, step: number }} Grid points of a frame, px
 */

/** A tracker for one video; each call returns the shift of its frame against the first, always zero without eyes. */
export function trackHead(/** @type {import('./observe.js').Places} */ { mouth, eyes }) {
  const grid = gridBetween(mouth, eyes);
  const step = Math.max(1, Math.round(mouth.half / STEPS));
  const steps = { x: Math.ceil((REACH.x * mouth.half) / step), y: Math.ceil((REACH.y * mouth.half) / step) };
  /** @type {Float64Array | undefined} */
  let reference;
  /** @type {Shift} */
  let last = { x: 0, y: 0 };
  return (/** @type {YuvFrame} */ frame) => {
    if (eyes.length === 0 || grid.rows < 4) return last;
    reference ??= standardised(pointsOf(frame, grid, last));
    const search = (/** @type {Shift} */ around, /** @type {Shift} */ reach, /** @type {number} */ stride) =>
      mostLike({ frame, grid, reference }, { around, reach, stride });
    const coarse = search({ x: 0, y: 0 }, steps, step);
    const fine = search(coarse.shift, { x: step - 1, y: step - 1 }, 1);
    if (fine.likeness >= LIKE) last = fine.shift;
    return last;
  };
}

/** The points of the nose: between the eyes, from below their line to above the lips. */
function gridBetween(
  /** @type {import('./mouth-gauge.js').MouthPlace} */ { x, y, half },
  /** @type {readonly import('./eye-gauge.js').EyePlace[]} */ eyes,
) {
  const eyeLine = eyes.reduce((sum, eye) => sum + eye.y, 0) / Math.max(1, eyes.length);
  const step = Math.max(1, half / POINTS);
  const top = eyeLine + PLACE.belowEyes * half;
  return {
    left: x - PLACE.half * half,
    top,
    columns: Math.floor((2 * PLACE.half * half) / step),
    rows: Math.floor((y - PLACE.aboveLips * half - top) / step),
    step,
  };
}

/** The shift of a lattice around `around` at which the nose looks most like the reference. */
function mostLike(
  /** @type {{ frame: YuvFrame, grid: Grid, reference: Float64Array }} */ { frame, grid, reference },
  /** @type {{ around: Shift, reach: Shift, stride: number }} */ { around, reach, stride },
) {
  const points = new Float64Array(reference.length);
  let best = { shift: around, likeness: -Infinity };
  for (let row = -reach.y; row <= reach.y; row++) {
    for (let column = -reach.x; column <= reach.x; column++) {
      const shift = { x: around.x + stride * column, y: around.y + stride * row };
      const likeness = correlation(pointsOf(frame, grid, shift, points), reference);
      if (likeness > best.likeness) best = { shift, likeness };
    }
  }
  return best;
}

/** Luma at the grid's points, each the sum of four pixels, written to `points`. */
function pointsOf(
  /** @type {YuvFrame} */ frame,
  /** @type {Grid} */ grid,
  /** @type {Shift} */ shift,
  points = new Float64Array(grid.columns * grid.rows),
) {
  const { columns, rows, step } = grid;
  const within = (/** @type {number} */ value, /** @type {number} */ size) =>
    Math.min(size - 2, Math.max(0, Math.round(value)));
  for (let row = 0; row < rows; row++) {
    const y = within(grid.top + row * step + shift.y, frame.height);
    for (let column = 0; column < columns; column++) {
      const at = y * frame.yStride + within(grid.left + column * step + shift.x, frame.width);
      const below = at + frame.yStride;
      points[row * columns + column] = frame.y[at] + frame.y[at + 1] + frame.y[below] + frame.y[below + 1];
    }
  }
  return points;
}

/** Values minus their mean, scaled to length 1. Constant values become zeros. */
function standardised(/** @type {Float64Array} */ values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const length = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0));
  return values.map((value) => (length === 0 ? 0 : (value - mean) / length));
}

/** Pearson's correlation of values with a standardised reference. */
function correlation(/** @type {Float64Array} */ values, /** @type {Float64Array} */ reference) {
  let sum = 0;
  let squares = 0;
  let product = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    sum += value;
    squares += value * value;
    product += value * (reference[i] ?? 0);
  }
  const spread = squares - (sum * sum) / values.length;
  return spread <= 0 ? 0 : product / Math.sqrt(spread);
}
