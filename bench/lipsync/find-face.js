/**
 * Finds a talking head in a video by its movement, without a model: at the mouth the picture changes with the loudness of
 * the voice; the eyes are the two positions above it, at the distance of a face of that size, where the picture changes in
 * short bursts. The position of the lips is then refined to where their gap follows the voice best.
 */
import { decodeAudio, decodeFrames, energyOf, probe } from '../../packages/media/dist/index.js';
import { median } from '../statistics.js';
import { pearson, silentFrames } from './figures.js';
import { calibrate, stripOf } from './mouth-gauge.js';

/** Height of the small pictures for the motion search, side of a block in them, and maximum number of frames. */
const SMALL = 360;
const BLOCK = 6;
const FRAMES = 1000;
/** Candidate distances from the eyes' line to the moving part (lips to jaw), in distances between the eyes. */
const FACE_RATIOS = [0.95, 1.05, 1.15, 1.25, 1.35, 1.45];
/** Radius of an iris in distances between the eyes. */
const IRIS = 0.125;
/** Minimum height of a face (eyes to lips) in blocks. */
const LEAST = 4;
/** Frames and positions of the last search. */
const CLOSE_FRAMES = 300;
const STEPS = { x: [-0.12, 0, 0.12], y: [-0.46, -0.38, -0.3, -0.22, -0.14, -0.06, 0.02, 0.1] };
/** Share of the frames that count as closed in a video without silence. */
const QUIETEST = 0.06;

/** Position of mouth and eyes in px of the video. Throws when nothing moves with the voice. */
export async function findFace(/** @type {string} */ file) {
  const { video } = await probe(file);
  if (video === undefined) throw new Error(`${file}: expected a video, found no pictures`);
  const loudness = energyOf(await decodeAudio(file, { maxSeconds: FRAMES / video.fps }));
  const scale = video.height / SMALL;
  const width = Math.round(video.width / scale / 2) * 2;
  const grid = { columns: Math.floor(width / BLOCK), rows: Math.floor(SMALL / BLOCK) };
  const series = await blockSeries(file, { width, ...grid });
  const heard = Array.from(series[0] ?? [], (_, frame) => loudness[Math.round((frame / video.fps) * 100)] ?? 0);
  const mouth = liveliest(
    series.map((values) => follows(values, heard)),
    grid,
  );
  if (mouth.score <= 0)
    throw new Error(`${file}: nothing in the picture moves with the voice; add a sidecar file with the positions`);
  const rough = eyesAbove(mouth, series.map(burst), grid);
  const px = (/** @type {number} */ block) => (block + 0.5) * BLOCK * scale;
  const half = rough.half * BLOCK * scale;
  const place = { x: px(rough.x), y: px(rough.y), half };
  const lips = await closeSearch(file, place, { fps: video.fps, loudness });
  const eyes = [-0.5, 0.5].map((side) => ({ x: px(rough.x) + side * half, y: px(rough.eyeRow), radius: IRIS * half }));
  return { mouth: lips, eyes };
}

/** Mean luma of each block over time, block by block. */
async function blockSeries(file, { width, columns, rows }) {
  const series = Array.from({ length: columns * rows }, () => /** @type {number[]} */ ([]));
  let count = 0;
  for await (const frame of decodeFrames(file, { width, height: SMALL })) {
    if (count++ === FRAMES) break;
    for (let block = 0; block < series.length; block++) {
      const [left, top] = [(block % columns) * BLOCK, Math.floor(block / columns) * BLOCK];
      let sum = 0;
      for (let y = top; y < top + BLOCK; y++)
        for (let x = left; x < left + BLOCK; x++) sum += frame.y[y * frame.yStride + x];
      series[block]?.push(sum / BLOCK ** 2);
    }
  }
  return series;
}

/** Correlation of a block's distance from its neutral value with the voice. */
function follows(/** @type {number[]} */ values, /** @type {number[]} */ heard) {
  const rest = median(values.filter((_, frame) => (heard[frame] ?? 0) < 0.1));
  const away = values.map((value) => Math.abs(value - rest));
  const size = Math.sqrt(away.reduce((sum, value) => sum + value * value, 0) / away.length);
  return Math.max(0, pearson(away, heard)) ** 2 * size;
}

/** Size of a block's largest short changes, minus its usual changes. */
function burst(/** @type {number[]} */ values) {
  const swings = values.map((value, frame) => {
    const [before, after] = [values[frame - 7] ?? value, values[frame + 7] ?? value];
    return Math.min(Math.abs(value - before), Math.abs(value - after));
  });
  swings.sort((a, b) => a - b);
  return Math.max(
    0,
    (swings[Math.floor(swings.length * 0.985)] ?? 0) - 2 * (swings[Math.floor(swings.length * 0.85)] ?? 0),
  );
}

/** The position with the highest total score around it. */
function liveliest(/** @type {number[]} */ scores, { columns, rows }) {
  let best = { x: 0, y: 0, score: 0 };
  for (let y = 1; y < rows - 1; y++) {
    for (let x = 2; x < columns - 2; x++) {
      const score = around(scores, { x, y, columns }, { x: 2, y: 1 });
      if (score > best.score) best = { x, y, score };
    }
  }
  return best;
}

/** Eyes above a mouth: both sides must blink, at a distance that fits their height above the mouth. */
function eyesAbove(mouth, bursts, { columns, rows }) {
  let best = { score: -1, x: mouth.x, y: mouth.y, half: LEAST, eyeRow: mouth.y - LEAST };
  for (let eyeRow = 1; eyeRow < mouth.y - LEAST; eyeRow++) {
    for (const ratio of FACE_RATIOS) {
      const half = (mouth.y - eyeRow) / ratio;
      for (let shift = -2; shift <= 2; shift++) {
        const sides = [-0.5, 0.5].map((side) => Math.round(mouth.x + shift + side * half));
        if (sides.some((x) => x < 1 || x >= columns - 1) || eyeRow >= rows - 1) continue;
        const score = Math.min(...sides.map((x) => around(bursts, { x, y: eyeRow, columns }, { x: 1, y: 0 })));
        if (score > best.score) best = { score, x: mouth.x + shift, y: mouth.y, half, eyeRow };
      }
    }
  }
  return best;
}

function around(scores, { x, y, columns }, reach) {
  let sum = 0;
  for (let dy = -reach.y; dy <= reach.y; dy++) {
    for (let dx = -reach.x; dx <= reach.x; dx++) sum += scores[(y + dy) * columns + x + dx] ?? 0;
  }
  return sum;
}

/** The position near `rough` whose gap follows the voice best. */
async function closeSearch(file, rough, { fps, loudness }) {
  const places = STEPS.x.flatMap((dx) =>
    STEPS.y.map((dy) => ({ ...rough, x: rough.x + dx * rough.half, y: rough.y + dy * rough.half })),
  );
  const strips = places.map(() => /** @type {import('./mouth-gauge.js').Strip[]} */ ([]));
  let count = 0;
  for await (const frame of decodeFrames(file)) {
    if (count++ === CLOSE_FRAMES) break;
    for (const [i, place] of places.entries()) strips[i]?.push(stripOf(frame, place));
  }
  const frames = strips[0]?.length ?? 0;
  const heard = Array.from({ length: frames }, (_, frame) => loudness[Math.round((frame / fps) * 100)] ?? 0);
  const silent = silentFrames({ fps, gaps: heard, loudness });
  const quiet = [...heard.keys()].sort((a, b) => (heard[a] ?? 0) - (heard[b] ?? 0));
  const closed = silent.length >= 10 ? silent : quiet.slice(0, Math.ceil(frames * QUIETEST));
  const fits = strips.map((column) => {
    const gapOf = calibrate(
      closed.map((frame) => column[frame]).filter((strip) => strip !== undefined),
      column,
    );
    return pearson(column.map(gapOf), heard);
  });
  return places[fits.indexOf(Math.max(...fits))] ?? rough;
}
