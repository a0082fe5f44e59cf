// Cost of drawing relative to encoding: whole renders against encoding the same raw frames, in one run (npm run bench:render).
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCanvas } from '@napi-rs/canvas';
import { loadPack } from '../packages/media/dist/presenter/index.js';
import {
  createThreadCache,
  openSegmentCache,
  renderSegments,
  renderVideo,
} from '../packages/media/dist/render/index.js';
import { planSegments } from '../packages/media/dist/render/plan.js';
import { rgbToYuv } from '../packages/presenter/dist/colour.js';
import { encodeAlone, measured } from './encoder-alone.js';

const FPS = 25;
const GOP = 50;
const THREADS = Math.min(2, availableParallelism());
const PACK = join(dirname(dirname(fileURLToPath(import.meta.url))), 'presenters', 'packs', 'marcus');

/** Like a worker, reuses packs and drawing threads between renders. */
const threadCache = createThreadCache();
const kept = new Map();
function keptPack(folder) {
  if (!kept.has(folder)) kept.set(folder, loadPack(folder));
  return kept.get(folder);
}

/** A typical slide: a soft gradient, a panel and text. */
function slide(width, height, title) {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const unit = height / 1080;
  const gradient = context.createLinearGradient(0, 0, width, height);
  gradient.addColorStop(0, '#12355b');
  gradient.addColorStop(1, '#3f88c5');
  context.fillStyle = gradient;
  context.fillRect(0, 0, width, height);
  context.fillStyle = '#ffffff';
  context.fillRect(120 * unit, 260 * unit, 980 * unit, 640 * unit);
  context.font = `${90 * unit}px sans-serif`;
  context.fillText(title, 120 * unit, 180 * unit);
  context.fillStyle = '#222222';
  context.font = `${44 * unit}px sans-serif`;
  for (let line = 0; line < 9; line++) {
    context.fillText(`${line + 1}. What the slide says about this point`, 160 * unit, (330 + line * 64) * unit);
  }
  return canvas;
}

function baseOf(canvas) {
  const { width, height } = canvas;
  return rgbToYuv({ data: canvas.getContext('2d').getImageData(0, 0, width, height).data, channels: 4, width, height });
}

/** Speech without a voice: a syllable of two sounds every 180 ms. */
function speech(samples) {
  const phones = ['p', 'ɑ', 't', 'i', 'm', 'u', 's', 'e', 'l', 'o', 'f', 'ɪ'];
  const length = 4320;
  const count = Math.floor(samples / length);
  const phonemes = Array.from({ length: count }, (_, index) => ({
    phone: phones[index % phones.length],
    stress: index % 6 === 1 ? 1 : 0,
    start: index * length,
    end: (index + 1) * length,
  }));
  const energy = Float32Array.from({ length: Math.ceil(samples / 480) }, (_, hop) => 0.5 + 0.4 * Math.sin(hop / 5));
  return { start: 0, samples, marks: { phonemes, words: [] }, energy };
}

function shotOf(settings, frames, { presenter = true, key = 'shot', startFrame = 0, title = 'A talking slide' } = {}) {
  const { width, height, fps } = settings;
  const unit = height / 1080;
  const even = (value) => Math.round((value * unit) / 2) * 2;
  const layer = {
    kind: 'presenter',
    pack: PACK,
    placement: { x: even(1220), y: even(280), width: even(600), height: even(800), crop: 'bust' },
    face: { seed: 11, stretches: [speech(frames * (48_000 / fps))] },
    motions: [],
  };
  const base = baseOf(slide(width, height, title));
  return { key, format: { width, height, fps }, startFrame, frames, base, layers: presenter ? [layer] : [] };
}

function job(folder, shots, settings, more = {}) {
  const frames = shots.reduce((sum, shot) => sum + shot.frames, 0);
  const audio = new Float32Array((frames * 48_000) / settings.fps);
  for (let i = 0; i < audio.length; i++) audio[i] = 0.2 * Math.sin(i / 40) * Math.sin(i / 9000);
  return {
    shots,
    audio,
    timeline: { cues: [], chapters: [], language: 'en' },
    subtitleTrack: false,
    settings,
    out: join(folder, 'bench.mp4'),
    threads: THREADS,
    loadPack: keptPack,
    threadCache,
    ...more,
  };
}

const rows = [];
function report(name, value, limit, aim, unit = '') {
  const verdict = limit === undefined ? '' : value <= limit ? 'ok' : 'MISSED';
  rows.push({ name, value: `${value.toFixed(3)}${unit}`, limit: limit ?? '', aim: aim ?? '', verdict });
  console.log(
    `${name}: ${value.toFixed(3)}${unit}${limit === undefined ? '' : ` (limit ${limit}, aim ${aim}) ${verdict}`}`,
  );
}

/** Largest resident size in MB while `act` runs. */
async function peakMemory(act) {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss() / 1e6);
  }, 50);
  try {
    return { result: await act(), peak };
  } finally {
    clearInterval(timer);
  }
}

async function compare(folder, name, settings, frames, limits) {
  const shot = shotOf(settings, frames);
  const { result: whole, peak } = await peakMemory(() => measured(() => renderVideo(job(folder, [shot], settings))));
  // Only the first render: later ones would include the benchmark's own memory.
  if (rows.length === 0) report(`${name}: largest resident size per drawing thread`, peak / THREADS, 350, 300, ' MB');
  const { cpu: alone } = await encodeAlone([shot], settings, { threads: THREADS, loadPack: keptPack });
  report(`${name}: whole render ÷ encoding alone (CPU)`, whole.cpu / alone, ...limits);
  report(`${name}: both cores busy`, whole.cpu / (whole.wall * THREADS));
  report(`${name}: times real time`, frames / settings.fps / whole.wall, undefined, undefined, '×');
}

async function main() {
  await keptPack(PACK);
  const folder = await mkdtemp(join(tmpdir(), 'bench-render-'));
  const full = { width: 1920, height: 1080, fps: FPS, preset: 'veryfast', crf: 23, gopFrames: GOP };
  const half = { ...full, width: 1280, height: 720 };
  try {
    await compare(folder, '1080p25 veryfast', full, 1500, [1.3, 1.18]);
    await compare(folder, '720p25 veryfast', half, 1500, [1.5, 1.3]);
    await compare(folder, '1080p25 fast', { ...full, preset: 'fast' }, 750, [1.25, 1.15]);

    const still = shotOf(full, 500, { presenter: false });
    const drawn = await measured(async () => {
      for await (const segment of renderSegments([still], { settings: full, threads: THREADS })) segment.packets.at(-1);
    });
    const plans = planSegments({ ...still, layers: shotOf(full, 500).layers }, GOP);
    const each = await encodeAlone([still], full, { threads: THREADS, loadPack: keptPack, plans });
    report('slide without presenter ÷ encoding each frame (CPU)', drawn.cpu / each.cpu, 0.1, 0.04);

    const cache = await openSegmentCache(join(folder, 'kept'), { maxBytes: 1e9 });
    const slides = (changed) =>
      Array.from({ length: 20 }, (_, index) =>
        shotOf(half, 100, {
          key: `slide ${index}${index === changed ? ' changed' : ''}`,
          startFrame: index * 100,
          title: `Slide ${index}`,
        }),
      );
    const first = slides(-1);
    const second = slides(9);
    const cold = await measured(() => renderVideo(job(folder, first, half, { cache })));
    const warm = await measured(() => renderVideo(job(folder, second, half, { cache })));
    report('one slide of twenty changed ÷ all drawn (wall)', warm.wall / cold.wall, 0.15, 0.1);
    // Processor time is less affected by other load.
    report('one slide of twenty changed ÷ all drawn (CPU)', warm.cpu / cold.cpu, 0.15, 0.1);
  } finally {
    await threadCache.close();
    await rm(folder, { recursive: true, force: true });
  }
  console.table(rows);
  if (rows.some((row) => row.verdict === 'MISSED')) process.exitCode = 1;
}

await main();
