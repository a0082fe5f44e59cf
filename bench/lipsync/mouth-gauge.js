/**
 * Measures the opening of a mouth from pixels: the height of the area between the lips, in a strip through the middle of
 * the mouth. Open lips show the cavity, tongue and teeth, whose colours closed lips and chin do not have. The colours of the
 * closed mouth are learnt from frames of the same video, so that the gauge works for every skin without weights. How foreign a
 * colour must be depends on the contrast of lips and cavity: the shades of pressed pale lips are not yet open. Measured in the 24
 * shapes of twelve packs, the gap differs from the opening of their motion fields by 3 % of the unit (root mean square).
 */
import { quantile } from '../statistics.js';

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

/** A colour is surely foreign at this share of the distance between the closed mouth's colours and the inside's … */
const CONTRAST = 0.22;
/** … which is that of this share of all columns of the frames; and at this share of the former distance it counts as foreign. */
const OPEN_SHARE = 0.95;
const FOREIGN = 0.75;
/**
 * Colours of teeth between narrowly open lips blend with the lips', but are still brighter and less red than what is above and below
 * them within `reach`, in halves of the mouth region's width: by `chroma`, and by more than the closed mouth shows but for the share
 * `rare`, at least `luma`.
 */
const RIDGE = { reach: 0.08, luma: 12, chroma: 4, rare: 0.005 };
/** Height between two bands of foreign colours that is bridged: a share of their heights, at least some of the mouth region's half width. */
const BRIDGED = { share: 0.3, least: 0.08 };

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

/**
 * Learns from strips of the closed mouth, and from all strips how far the inside's colours are from them; returns a function that
 * measures the gap between the lips in any strip, in px of the frame.
 */
export function calibrate(/** @type {readonly Strip[]} */ closed, /** @type {readonly Strip[]} */ seen) {
  const distance = distances(closed);
  const far = Math.max(FAR, CONTRAST * depth(seen, distance));
  const ridge = Math.max(RIDGE.luma, quantile(closed.flatMap(ridgesOf), 1 - RIDGE.rare));
  const gapOf = (/** @type {Strip} */ strip) => {
    const { columns, rows, colours, half } = strip;
    const ridges = ridgesOf(strip);
    let sum = 0;
    for (let column = 0; column < columns; column++) {
      const foreign = Array.from({ length: rows }, (_, row) => {
        const i = row * columns + column;
        return Math.max((distance[colours[i] ?? 0] ?? 0) / far, (FOREIGN * (ridges[i] ?? 0)) / ridge);
      });
      sum += openRows(foreign, BRIDGED.least * half);
    }
    return (2 * sum) / columns;
  };
  const floor = quantile(closed.map(gapOf), 0.5);
  return (/** @type {Strip} */ strip) => {
    // The line between closed lips counts as a gap of `floor`, and is part of the gap once the lips have parted.
    const parted = Math.max(0, gapOf(strip) - floor);
    return Math.min(2 * parted, parted + floor);
  };
}

/** How much brighter each less red pixel is than the darkest ones above and below it. */
function ridgesOf(/** @type {Strip} */ { columns, colours, half }) {
  const reach = Math.round(RIDGE.reach * half);
  const seen = Array.from(colours, colourOf);
  return seen.map((own, i) => {
    const [above, below] = [-columns, columns].map((step) => {
      const side = { luma: own.luma, v: own.v };
      for (let k = 1; k <= reach; k++) {
        const near = seen[i + k * step] ?? own;
        side.luma = Math.min(side.luma, near.luma);
        side.v = Math.max(side.v, near.v);
      }
      return side;
    });
    const isPaler = Math.min(above.v, below.v) - own.v >= RIDGE.chroma;
    return isPaler ? own.luma - Math.max(above.luma, below.luma) : 0;
  });
}

/** Greatest distance of a column's colours from the closed mouth's, in frames with an open mouth. */
function depth(/** @type {readonly Strip[]} */ strips, /** @type {Float32Array} */ distance) {
  const peaks = strips.flatMap(({ columns, colours }) => {
    const peak = new Array(columns).fill(0);
    colours.forEach((colour, i) => {
      peak[i % columns] = Math.max(peak[i % columns], distance[colour] ?? 0);
    });
    return peak;
  });
  return quantile(peaks, OPEN_SHARE);
}

/**
 * Rows of a column between the lips: the band of foreign colours that differs most, with those that are near it. Others are not
 * part of the gap, like the shade below a pushed out lower lip. `distances` are 1 where a colour is surely foreign.
 */
function openRows(/** @type {readonly number[]} */ distances, /** @type {number} */ least) {
  /** @type {{ from: number, to: number, rows: number, sum: number }[]} */
  const bands = [];
  for (const [row, distance] of distances.entries()) {
    if (distance < FOREIGN) continue;
    const last = bands.at(-1);
    if (last?.to === row - 1) Object.assign(last, { to: row, rows: last.rows + 1, sum: last.sum + distance });
    else bands.push({ from: row, to: row, rows: 1, sum: distance });
  }
  if (bands.length === 0) return 0;
  const gap = { ...bands.reduce((most, band) => (band.sum > most.sum ? band : most)) };
  const others = bands.filter(({ from }) => from !== gap.from);
  const wayTo = (/** @type {{ from: number, to: number }} */ band) =>
    Math.max(band.from - gap.to, gap.from - band.to) - 1;
  for (;;) {
    others.sort((a, b) => wayTo(b) - wayTo(a));
    const next = others.pop();
    if (next === undefined || wayTo(next) > Math.max(least, BRIDGED.share * gap.rows)) break;
    Object.assign(gap, {
      from: Math.min(gap.from, next.from),
      to: Math.max(gap.to, next.to),
      rows: gap.rows + next.rows,
    });
  }
  return gap.to - gap.from + 1;
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
