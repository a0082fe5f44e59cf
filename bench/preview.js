// Latency of one frame of a slide (npm run bench:preview), with warm preview processes of the API.
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSpeech, energyOf } from '../packages/media/dist/index.js';
import { PreviewPool } from '../packages/server/dist/features/renders/preview/index.js';

const TAKES = 60;
const PACK = join(dirname(dirname(fileURLToPath(import.meta.url))), 'presenters', 'packs', 'ava');
const TEXT = 'Hello and welcome to our quarterly report. Sales grew by twelve percent.';

const slide = (title) => ({
  id: 1,
  speech: TEXT,
  avatar: { code: 'ava' },
  canvas: {
    background: '#20406a',
    objects: [
      { type: 'textbox', left: 40, top: 40, width: 300, text: title, fontSize: 36, fill: '#fff', fontFamily: 'Inter' },
      { type: 'rect', left: 40, top: 150, width: 250, height: 120, rx: 12, ry: 12, fill: '#ffffff' },
    ],
  },
});

function quantile(times, share) {
  return [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];
}

const speech = createSpeech();
const { samples, marks } = await speech.utter('flite', TEXT, { voice: 'slt' });
const track = { samples: samples.length, marks, energy: energyOf(samples) };
await speech.close();
const pool = new PreviewPool({ processes: 1 });
const assets = { picture: async () => new Uint8Array(), file: async () => '' };
const never = new AbortController().signal;

async function take(title, seconds) {
  const order = {
    source: { slides: [slide(title)], data: { resolution: '1080p' } },
    slide: 0,
    seconds,
    speeches: [track],
    fonts: [],
    packs: { ava: { folder: PACK, version: '1' } },
  };
  const begin = performance.now();
  await pool.paint(order, { workspaceId: 'bench', assets, signal: never });
  return performance.now() - begin;
}

const rows = [
  { what: 'the first, with the start of its process', p50: Math.round(await take('Warm', 0)), p95: '', limit: '' },
];
for (const [what, titleOf] of [
  ['another second of the same slide', () => 'Same'],
  ['another text on the slide', (index) => `Take ${index}`],
]) {
  const times = [];
  for (let index = 0; index < TAKES; index++) times.push(await take(titleOf(index), (index % 20) / 5));
  rows.push({ what, p50: Math.round(quantile(times, 0.5)), p95: Math.round(quantile(times, 0.95)), limit: 300 });
}
await pool.close();
console.log(`ms, ${cpus().length} processors`);
console.table(rows);
if (rows.some(({ p95, limit }) => limit !== '' && p95 > limit)) process.exitCode = 1;
