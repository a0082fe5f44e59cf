/**
 * Measures the opening of a mouth from pixels: the height of the area between the lips, in a strip through the middle of
 * the mouth. Open lips show the cavity, tongue and teeth, whose colours closed lips and chin do not have. The colours of the
 * closed mouth are learnt from frames of the same video, so that the gauge works for every skin without weights. All pixels of
 * a column between the first and the last one with a foreign colour count as mouth, because tongues are as red as lips, and the
 * lips of dark skin as dark as a cavity. Gaps measured in packs match their motion fields.
 */

/** Half width of the strip and its reach above and below the lips, in halves of the mouth region's width. */
const STRIP = { half: 0.17, above: 0.16, below: 0.56 };
/** Cells of the table of colours: 4 levels of luma, 2 of each chroma (whose differences in a face are small). */
const LUMA_STEP = 4;
const CHROMA_STEP = 2;
const CELLS = 64;
/** Chroma values covered: 64 … 191. */
const CHROMA_FROM = 64;
/** A colour at least `FAR` cells from every colour of the closed mouth is not lip or skin; nearer than `NEAR` it is. */
const NEAR = 1.2;
const FAR = 2.4;
/** Share of the closed mouth's rarest pixels that is not learnt: noise. */
const RARE = 0.04;
/**
 * The line between closed lips is as dark and red as the cavity and is not learnt either. It is the darkest pixel of a column within
 * `reach` of the lips' centre and its neighbours within `half`, both in halves of the mouth region's width.
 */
const SEAM = { reach: 0.08, half: 0.04 };

/** Rows of a column that may be noise, and the factor by which gaps between detected pixels may be bridged. */
const SPECKS = 2;
const BRIDGED = 0.75;

/**
 * @typedef {{ x: number, y: number, half: number }} MouthPlace centre of the closed lips and half the mouth region's
 *   width (about the distance between the eyes), px of the frame
 * @typedef {import('../../packages/media/dist/index.js').YuvFrame} YuvFrame
 * @typedef {{ columns: number, rows: number, colours: Int32Array, lips: number, half: number }} Strip cells of the colour table, one a
 *   chroma sample; the row of the lips' centre; and half the mouth region's width in rows
 */

/** The strip's colours in one frame, at chroma resolution: luma is the mean of four. */
export function stripOf(/** @type {YuvFrame} */ frame, /** @type {MouthPlace} */ place, halfWidth = STRIP.half) {
  const left = Math.round((place.x - halfWidth * place.half) / 2);
  const right = Math.round((place.x + halfWidth * place.half) / 2);
  const top = Math.max(0, Math.round((place.y - STRIP.above * place.half) / 2));
  const bottom = Math.min(frame.height / 2 - 1, Math.round((place.y + STRIP.below * place.half) / 2));
  const columns = right - left + 1;
  const rows = bottom - top + 1;
  const colours = new Int32Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = 2 * (top + row) * frame.yStride + 2 * (left + column);
      const chroma = (top + row) * frame.uvStride + left + column;
      const sum = frame.y[at] + frame.y[at + 1] + frame.y[at + frame.yStride] + frame.y[at + frame.yStride + 1];
      const luma = Math.min(CELLS - 1, Math.floor(sum / 4 / LUMA_STEP));
      colours[row * columns + column] = (luma * CELLS + cellOf(frame.u[chroma])) * CELLS + cellOf(frame.v[chroma]);
    }
  }
  return { columns, rows, colours, lips: place.y / 2 - top, half: place.half / 2 };
}

/** Luma and redness (Cr) in the middle of a cell of the colour table. */
export function colourOf(/** @type {number} */ cell) {
  return {
    luma: (Math.floor(cell / CELLS ** 2) + 0.5) * LUMA_STEP,
    v: CHROMA_FROM + ((cell % CELLS) + 0.5) * CHROMA_STEP,
  };
}

function cellOf(/** @type {number} */ chroma) {
  return Math.min(CELLS - 1, Math.max(0, Math.floor((chroma - CHROMA_FROM) / CHROMA_STEP)));
}

/** Learns from strips of the closed mouth; returns a function that measures the gap between the lips in any strip, in px of the frame. */
export function calibrate(/** @type {readonly Strip[]} */ closed) {
  const strangeness = strangenessOf(closed);
  const gapOf = (/** @type {Strip} */ { columns, rows, colours }) => {
    let sum = 0;
    for (let column = 0; column < columns; column++) {
      const strange = Array.from({ length: rows }, (_, row) => strangeness(colours[row * columns + column]));
      const height = strange.reduce((total, share) => total + share, 0);
      const span = strange.findLastIndex((share) => share >= 0.5) - strange.findIndex((share) => share >= 0.5) + 1;
      // Only if many pixels differ, so that a spot on the chin does not count as an opening.
      sum += Math.max(height, Math.min(span, height + BRIDGED * Math.max(0, height - SPECKS)));
    }
    return (2 * sum) / columns;
  };
  const floor = median(closed.map(gapOf));
  return (/** @type {Strip} */ strip) => {
    // The line between closed lips counts as a gap of `floor`, and is part of the gap once the lips have parted.
    const parted = Math.max(0, gapOf(strip) - floor);
    return Math.min(2 * parted, parted + floor);
  };
}

/** Learns from strips of the closed mouth; returns how certainly a colour is neither lip nor skin, 0…1. */
export function strangenessOf(/** @type {readonly Strip[]} */ closed) {
  const distance = distances(closed);
  return (/** @type {number} */ colour) => Math.min(1, Math.max(0, (distance[colour] - NEAR) / (FAR - NEAR)));
}

/** For each cell of the colour table the distance in cells to the nearest colour of the closed mouth (chamfer 1, √2, √3). */
function distances(/** @type {readonly Strip[]} */ closed) {
  const counts = new Uint32Array(CELLS ** 3);
  let total = 0;
  for (const strip of closed) {
    for (const colour of withoutSeam(strip)) {
      counts[colour]++;
      total++;
    }
  }
  const seen = [...counts.keys()].filter((cell) => counts[cell] > 0).sort((a, b) => counts[a] - counts[b]);
  const distance = new Float32Array(CELLS ** 3).fill(CELLS);
  let dropped = 0;
  for (const cell of seen) {
    dropped += counts[cell];
    if (dropped > RARE * total) distance[cell] = 0;
  }
  sweep(distance, 1);
  sweep(distance, -1);
  return distance;
}

/** The colours of a closed mouth's strip without the line between the lips. */
function withoutSeam(/** @type {Strip} */ { columns, rows, colours, lips, half }) {
  const seam = Array.from({ length: columns }, (_, column) => {
    const reach = SEAM.reach * half;
    const near = Array.from({ length: rows }, (_, row) => row).filter((row) => Math.abs(row - lips) <= reach);
    const lumaAt = (/** @type {number} */ row) => colourOf(colours[row * columns + column]).luma;
    return near.reduce((darkest, row) => (lumaAt(row) < lumaAt(darkest) ? row : darkest), near[0] ?? Number.NaN);
  });
  return colours.filter((_, i) => !(Math.abs(Math.floor(i / columns) - seam[i % columns]) <= SEAM.half * half));
}

function sweep(/** @type {Float32Array} */ distance, /** @type {1 | -1} */ way) {
  /** Neighbours that the sweep has passed, with their offsets. */
  const passed = [];
  for (let l = -1; l <= 1; l++) {
    for (let u = -1; u <= 1; u++) {
      for (let v = -1; v <= 1; v++) {
        if ((l * CELLS + u) * CELLS + v < 0) passed.push({ l, u, v, far: Math.hypot(l, u, v) });
      }
    }
  }
  const within = (/** @type {number} */ value) => value >= 0 && value < CELLS;
  for (let n = 0; n < CELLS ** 3; n++) {
    const cell = way > 0 ? n : CELLS ** 3 - 1 - n;
    const [l0, u0, v0] = [Math.floor(cell / CELLS ** 2), Math.floor(cell / CELLS) % CELLS, cell % CELLS];
    for (const { l, u, v, far } of passed) {
      const [l1, u1, v1] = [l0 + way * l, u0 + way * u, v0 + way * v];
      if (!within(l1) || !within(u1) || !within(v1)) continue;
      distance[cell] = Math.min(distance[cell], distance[(l1 * CELLS + u1) * CELLS + v1] + far);
    }
  }
}

function median(/** @type {number[]} */ values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
