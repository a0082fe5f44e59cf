// Overhead of spreading a video over workers (`node bench/spread.js [--slides 4,8,16]`): processor time of rendering it in one piece against the
// sum of planning, spans and join, each with separate threads, shots and media, as on separate workers. Only ratios within one run are meaningful.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  createSpeech,
  joinSpans,
  openFonts,
  openSegmentCache,
  parseDocument,
  planDocument,
  renderDocument,
  renderSpan,
  shareDocument,
} from '@figurehead/media';
import { measured } from './encoder-alone.js';

const PACK = join(dirname(dirname(fileURLToPath(import.meta.url))), 'presenters', 'packs', 'nora');

const { values } = parseArgs({ options: { slides: { type: 'string', default: '8,16' } } });

/** About 13 s per slide. */
const SPEECH =
  'Every morning the harbour wakes before the town does. Boats come in with the tide, and the gulls know it. ' +
  'A presenter who speaks to you should sound as if the words had never been written down.';

const folder = await mkdtemp(join(tmpdir(), 'fh-spread-'));
const speech = createSpeech({ threads: 1 });
/** A job in its own folder, as on a separate worker. */
const jobOf = async (document, segments) => ({
  document,
  resources: {
    speech,
    fonts: () => openFonts(),
    resolveVoice: async () => ({ provider: 'flite', voice: 'slt', locale: 'en-US' }),
    resolvePack: async () => ({ folder: PACK, version: '1' }),
    assets: { picture: async () => Buffer.alloc(0), file: async () => '' },
    caches: async () => ({ segments }),
  },
  output: await mkdtemp(join(folder, 'run-')),
  signal: new AbortController().signal,
});
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
  const { document } = parseDocument({ slides, data: { resolution: '720p' } });
  // The speech is synthesized before, so that both measurements find it in the cache.
  const own = await cacheAt(`whole-${count}`);
  const whole = await measured(async () => renderDocument(await jobOf(document, own)));
  const cache = await cacheAt(`spread-${count}`);
  const plan = await measured(async () => {
    const job = await jobOf(document, cache);
    const planned = await planDocument(job);
    return { spans: planned.spans, files: await shareDocument(job, planned) };
  });
  const { spans, files } = plan.result;
  const drawn = [];
  for (const span of spans) {
    drawn.push(await measured(async () => renderSpan(await jobOf(document, cache), { plan: files.plan, span })));
  }
  const rendered = spans.map((span, n) => ({ ...span, ...drawn[n].result }));
  const joined = await measured(async () => joinSpans(await jobOf(document, cache), { ...files, spans: rendered }));
  const spanCpu = drawn.reduce((sum, { cpu }) => sum + cpu, 0);
  const sum = plan.cpu + spanCpu + joined.cpu;
  // Estimate for this number of machines with two cores each: spans go to the next free machine, while speech, sound and join use one core.
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
    sameFrames: whole.result.report.contentHash === joined.result.report.contentHash,
  });
}
await speech.close();
await rm(folder, { recursive: true });

function round(value) {
  return Math.round(value * 100) / 100;
}
