// Memory over many slides and frames, which must stay constant (npm run bench:long [slides] [seconds per slide]).
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createPackLoader,
  openFonts,
  parseDocument,
  planShots,
  planTimeline,
  renderVideo,
  silence,
} from '../packages/media/dist/index.js';

const SLIDES = Number(process.argv[2] ?? 100);
const SECONDS = Number(process.argv[3] ?? 2);
const PACK = join(dirname(dirname(fileURLToPath(import.meta.url))), 'presenters', 'packs', 'ava');

/** Maximum ratio of the last quarter to the second; a leak per slide would double it. */
const LIMIT = 1.1;

const slides = Array.from({ length: SLIDES }, (_, index) => ({
  id: index + 1,
  duration: SECONDS,
  avatar: { code: 'ava' },
  transition: index % 3 === 0 ? 'fade' : 'none',
  canvas: {
    background: `hsl(${(index * 37) % 360} 40% 40%)`,
    objects: [
      { type: 'textbox', left: 40, top: 40, width: 300, text: `Slide ${index + 1}`, fontSize: 40, fill: '#fff' },
    ],
  },
}));
const { document } = parseDocument({ slides, data: { resolution: 'HD' } });
const speeches = slides.map(() => null);
const timeline = planTimeline(document, speeches);
const loadPack = createPackLoader();
const shots = await planShots(document, timeline, {
  assets: { picture: async () => Buffer.alloc(0), file: async () => '' },
  fonts: await openFonts(),
  resolvePack: async () => ({ folder: PACK, version: '1' }),
  speeches,
  loadPack,
});
const folder = await mkdtemp(join(tmpdir(), 'bench-long-'));
const samples = [];
const timer = setInterval(() => samples.push(process.memoryUsage.rss() / 1e6), 100);
async function* sound() {
  for (let left = timeline.samples; left > 0; left -= 480_000) yield silence(Math.min(left, 480_000));
}
try {
  const out = join(folder, 'long.mp4');
  const { width, height, fps } = document.data;
  const settings = { width, height, fps, preset: 'veryfast', crf: 23, gopFrames: 2 * fps };
  const begin = performance.now();
  const { frames } = await renderVideo({
    shots,
    audio: sound(),
    timeline: { ...timeline, cues: [] },
    subtitleTrack: false,
    settings,
    out,
    loadPack,
  });
  const wall = (performance.now() - begin) / 1000;
  const quarter = Math.floor(samples.length / 4);
  const peakOf = (from) => Math.max(...samples.slice(from * quarter, (from + 1) * quarter));
  const growth = peakOf(3) / peakOf(1);
  console.table([
    {
      slides: SLIDES,
      frames,
      seconds: wall.toFixed(0),
      'MB of file': ((await stat(out)).size / 1e6).toFixed(1),
      'MB, second quarter': peakOf(1).toFixed(0),
      'MB, last quarter': peakOf(3).toFixed(0),
      growth: growth.toFixed(2),
      verdict: growth <= LIMIT ? 'flat' : 'GROWS',
    },
  ]);
  if (growth > LIMIT) process.exitCode = 1;
} finally {
  clearInterval(timer);
  await rm(folder, { recursive: true, force: true });
}
