// What it costs to spread a video over workers (`node bench/spread.js [--slides 4,8,16]`): processor time of rendering it in one piece against
// the sum over planning, spans and join, each with threads, shots and media of its own, as workers have them. Ratios within one run count.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSpeech, openFonts, openSegmentCache } from '@figurehead/media';
import { loadConfig } from '../packages/server/dist/config.js';
import { createPresenters } from '../packages/server/dist/features/avatars/index.js';
import { createPipeline } from '../packages/server/dist/features/renders/index.js';

const { values } = parseArgs({ options: { slides: { type: 'string', default: '8,16' } } });

/** About 13 s a slide. */
const SPEECH =
  'Every morning the harbour wakes before the town does. Boats come in with the tide, and the gulls know it. ' +
  'A presenter who speaks to you should sound as if nobody had written the words down.';

const folder = await mkdtemp(join(tmpdir(), 'fh-spread-'));
const avatars = createPresenters({ config: loadConfig({ env: {}, cwd: folder }) });
const speech = createSpeech({ threads: 1 });
const worker = (cache) =>
  createPipeline({
    speech,
    fonts: () => openFonts(),
    resolveVoice: async () => ({ provider: 'flite', voice: 'slt', locale: 'en-US' }),
    resolvePack: (workspaceId, code) => avatars.resolve(workspaceId, code),
    assets: () => ({ picture: async () => Buffer.alloc(0), file: async () => '' }),
    cache: async () => cache,
  });
const context = async () => ({
  folder: await mkdtemp(join(folder, 'run-')),
  signal: new AbortController().signal,
  onProgress: () => undefined,
});
const cpuOf = async (act) => {
  const before = process.cpuUsage();
  const result = await act();
  const { user, system } = process.cpuUsage(before);
  return { result, cpu: (user + system) / 1e6 };
};
const cacheAt = (name) => openSegmentCache(join(folder, name), { maxBytes: 4e9 });

for (const count of values.slides.split(',').map(Number)) {
  const slides = Array.from({ length: count }, (_, n) => ({
    id: n + 1,
    speech: SPEECH,
    avatar: { code: 'nora' },
    voice: 'slt',
    voiceProvider: 'flite',
    canvas: {
      objects: [{ type: 'textbox', left: 40, top: 40, width: 400, fontSize: 40, fill: '#203040', text: `Slide ${n}` }],
      background: '#f4efe6',
      version: '5',
    },
  }));
  const video = {
    workspaceId: 'w',
    videoId: 'v',
    name: 'bench',
    fitTextBox: false,
    slides,
    data: { resolution: '720p' },
  };
  // The voice is spoken once before: both ways find it kept, and what is measured is the rest.
  const whole = await cpuOf(async () => worker(await cacheAt(`whole-${count}`)).render(video, await context()));
  const cache = await cacheAt(`spread-${count}`);
  const plan = await cpuOf(async () => {
    const prepared = await worker(cache).prepare(video, await context());
    return { spans: prepared.spans, files: await prepared.share() };
  });
  const { spans, files } = plan.result;
  const drawn = [];
  for (const span of spans) {
    drawn.push(await cpuOf(async () => worker(cache).renderSpan(video, { score: files.score, span }, await context())));
  }
  const rendered = spans.map((span, n) => ({ ...span, ...drawn[n].result }));
  const joined = await cpuOf(async () => worker(cache).join(video, { ...files, spans: rendered }, await context()));
  const spanCpu = drawn.reduce((sum, { cpu }) => sum + cpu, 0);
  const sum = plan.cpu + spanCpu + joined.cpu;
  // On so many machines of two cores each: spans in turn to whoever is free, while speech, sound and join keep one core.
  const secondsWith = (workers) => {
    const busyUntil = new Array(workers).fill(0);
    for (const { cpu } of drawn) {
      const next = busyUntil.indexOf(Math.min(...busyUntil));
      busyUntil[next] += cpu / 2;
    }
    return plan.cpu + Math.max(...busyUntil) + joined.cpu;
  };
  console.log({
    seconds: whole.result.durationSeconds,
    spans: spans.length,
    wholeCpu: round(whole.cpu),
    planCpu: round(plan.cpu),
    spansCpu: round(spanCpu),
    joinCpu: round(joined.cpu),
    spreadOverWhole: round(sum / whole.cpu),
    notShared: `${Math.round(((plan.cpu + joined.cpu) / sum) * 100)} %`,
    computedSpeedUp: Object.fromEntries([1, 2, 3, 4, 8].map((n) => [n, round(secondsWith(1) / secondsWith(n))])),
    sameFrames: whole.result.contentHash === joined.result.contentHash,
  });
}
await speech.close();
await rm(folder, { recursive: true });

function round(value) {
  return Math.round(value * 100) / 100;
}
