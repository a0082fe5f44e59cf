// A whole render from document to file, compared with x264 alone on the same frames in the same run (npm run bench:whole [-- --runs 3]). Five
// slides with five presenters, about 49 s at 1080p25. Cold: `figurehead render` in its own process, with all its children. Warm: in this process
// after another render, like a worker, with nothing of the video in the cache. Then the stages one after the other. Decoded presenters are cached, as
// after a user's first render.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import {
  createPackLoader,
  createSpeech,
  createStoredPackLoader,
  createThreadCache,
  loadPack,
  openFolderStore,
  openFonts,
  parseDocument,
  planShots,
  planTimeline,
  renderDocument,
} from '../packages/media/dist/index.js';
import { renderSegments } from '../packages/media/dist/render/segments/segments.js';
import { settingsOf } from '../packages/media/dist/render/settings.js';
import { encodeSound } from '../packages/media/dist/render/stages/encode-sound.js';
import { mux } from '../packages/media/dist/render/stages/mux.js';
import { speakSlides, tracksOf } from '../packages/media/dist/render/stages/speak-slides.js';
import { muxJobOf, writeFiles } from '../packages/media/dist/render/stages/write-files.js';
import { commandSigner, signRendered } from '../packages/server/dist/features/renders/credentials/offline.js';
import { encodeAlone, measured } from './encoder-alone.js';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PACKS = join(ROOT, 'presenters', 'packs');
const PROGRAM = join(ROOT, 'packages', 'server', 'bin', 'figurehead.js');
const THREADS = Math.min(2, availableParallelism());
/** Limit of the processor time relative to the encoder alone. */
const MAX_ALONE = 1.35;
const MIN_REAL_TIME = 4.6;
const MAX_MEGABYTES = 600;
/** Limit of a warm render with content credentials relative to one without. */
const MAX_SIGNED = 1.02;

const TALKS = [
  'Welcome to this short tour. In less than a minute you will see how a few lines of text become a film, with a presenter who speaks them aloud.',
  'First you write what is to be said. Every slide has a speech, a picture and a presenter, and each of them can be changed at any time, even after the film was made.',
  'Then the voice is made, on this computer and without any service. The marks of its sounds move the lips, the eyes and the head of the presenter.',
  'Pictures are drawn once and stay as they are. Only the person moves, and so most of the work of a frame should be the work of the encoder.',
  'At the end sound and pictures come together in one file, which plays in every browser. That is all there is to it. Thank you for watching.',
];
const PEOPLE = ['ava', 'marcus', 'helen', 'leo', 'mei'];
const GROUNDS = ['#1f3a5f', '#14532d', '#4a1d4f', '#3b2f1e', '#0f3d3e'];

const { values } = parseArgs({ options: { runs: { type: 'string', default: '3' } } });
const runs = Number(values.runs);
const folder = await mkdtemp(join(tmpdir(), 'bench-whole-'));
const file = join(folder, 'five.json');
await writeFile(file, JSON.stringify(talk()));
const { document } = parseDocument(talk());
const settings = settingsOf(document);
const storedPack = createStoredPackLoader(await openFolderStore(join(folder, 'packs'), { maxBytes: 200_000_000 }));
for (const code of PEOPLE) await storedPack(join(PACKS, code));
const speech = createSpeech({ threads: THREADS });
const kept = { loadPack: createPackLoader(), threadCache: createThreadCache() };
const resources = {
  speech,
  fonts: () => openFonts(),
  resolveVoice: async ({ voice }) => ({ provider: 'flite', voice, locale: 'en-US' }),
  resolvePack: async (code) => ({ folder: join(PACKS, code), version: '1' }),
  assets: { picture: async () => Buffer.alloc(0), file: async () => '' },
  threads: THREADS,
};
const signal = new AbortController().signal;

try {
  const best = {};
  for (let run = 0; run < runs; run++) {
    // Alternating runs; the minimum counts, because other load only adds time.
    storeBest(best, 'cold', await programOf(['render', file, '--json', '-o', join(folder, 'cold.mp4')]));
    storeBest(best, 'warm', await warm());
    const stages = await inStages();
    for (const [stage, figures] of Object.entries(stages.figures)) storeBest(best, stage, figures);
    storeBest(best, 'encoder alone', await encodeAlone(stages.shots, settings, { threads: THREADS, loadPack }));
  }
  report(best);
} finally {
  await kept.threadCache.close();
  await speech.close();
  await rm(folder, { recursive: true, force: true });
}

function talk() {
  const slides = TALKS.map((text, index) => ({
    id: index + 1,
    speech: text,
    voice: ['slt', 'rms'][index % 2],
    voiceProvider: 'flite',
    avatar: { code: PEOPLE[index] },
    canvas: {
      background: GROUNDS[index],
      objects: [
        {
          type: 'textbox',
          left: 36,
          top: 60,
          width: 320,
          text: `Part ${index + 1} of five`,
          fontSize: 40,
          fill: '#fff',
        },
        { type: 'textbox', left: 36, top: 150, width: 300, text, fontSize: 18, fill: '#c9d8ea' },
        { type: 'avatar', left: 300, top: 30, width: 380, height: 330 },
      ],
    },
  }));
  return { slides, data: { resolution: 'FullHD', fps: 25, subtitlesEnabled: true } };
}

/** Processor and wall seconds of the program with its launcher, and the largest resident size of its processes. */
async function programOf(args) {
  const place = await mkdtemp(join(folder, 'usage-'));
  // `maxRSS` of a program that this process starts begins with the size of this process.
  const tell = `import { readFileSync, writeFileSync } from 'node:fs';
    process.on('exit', () => {
      const largest = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
      writeFileSync(${JSON.stringify(place)} + '/' + process.pid, JSON.stringify({ ...process.resourceUsage(), largest }));
    });`;
  const hook = `--import=data:text/javascript,${encodeURIComponent(tell)}`;
  const begin = performance.now();
  await promisify(execFile)(process.execPath, [hook, PROGRAM, ...args]);
  const wall = (performance.now() - begin) / 1000;
  const used = await Promise.all(
    (await readdir(place)).map((name) => readFile(join(place, name), 'utf8').then(JSON.parse)),
  );
  const cpu = used.reduce((sum, { userCPUTime, systemCPUTime }) => sum + userCPUTime + systemCPUTime, 0) / 1e6;
  return { cpu, wall, megabytes: Math.max(...used.map(({ largest }) => largest)) / 1000 };
}

async function warm() {
  const output = await mkdtemp(join(folder, 'warm-'));
  const job = { document, resources: { ...resources, ...kept }, output, signal };
  const { result, cpu, wall } = await measured(() => renderDocument(job));
  return { cpu, wall, seconds: result.durationSeconds };
}

/** Runs each stage on the result of the previous one. */
async function inStages() {
  const output = await mkdtemp(join(folder, 'stages-'));
  const figures = {};
  const stage = async (name, act) => {
    const { result, ...used } = await measured(act);
    figures[name] = used;
    return result;
  };
  figures.start = await programOf(['render', '--help']);
  await stage('read', async () => parseDocument(JSON.parse(await readFile(file, 'utf8'))));
  const spoken = await stage('speech', async () => {
    // A new instance, whose cache is empty.
    const fresh = createSpeech({ threads: THREADS });
    const speaking = { document, resources: { ...resources, speech: fresh }, folder: output, store: undefined, signal };
    const slides = await speakSlides({ ...speaking, onProgress: () => undefined });
    await fresh.close();
    return slides;
  });
  const packs = await stage('packs', () => Promise.all(PEOPLE.map((code) => storedPack(join(PACKS, code)))));
  const tracks = tracksOf(spoken);
  const timeline = planTimeline(document, tracks);
  const reading = async (path) => packs[PEOPLE.indexOf(path.split(/[\\/]/).at(-1))];
  const shots = await stage('layout', async () => {
    const options = { ...resources, fonts: await resources.fonts(), speeches: tracks, loadPack: reading };
    const planned = await planShots(document, timeline, options);
    return Promise.all(planned.map((shot) => shot.draw()));
  });
  const segments = await stage('drawing and encoding', async () => {
    const made = [];
    for await (const segment of renderSegments(shots, { settings, threads: THREADS, loadPack: reading }))
      made.push(segment);
    return made;
  });
  const soundJob = { document, timeline, speech: spoken, settings, assets: resources.assets };
  const sound = await stage('sound', async () => {
    const { sound: stream } = encodeSound(soundJob);
    const runs = [];
    for await (const packets of stream.packets) runs.push(packets);
    return { ...stream, packets: runs };
  });
  const muxJob = muxJobOf({ document, output, signal }, { timeline, settings });
  const replay = async function* (list) {
    yield* list;
  };
  const audio = { ...sound, packets: replay(sound.packets), close: () => undefined };
  const rendered = await stage('muxing and thumbnail', () => mux({ ...muxJob, segments: replay(segments), audio }));
  const written = {
    job: { document, output },
    video: muxJob.out,
    timeline,
    settings,
    plan: { tracks, peaks: [], reusedSpeech: [] },
    shotKeys: shots.map(({ key }) => key),
    pictures: [],
  };
  const files = await stage('publishing', () => writeFiles(rendered, written));
  const made = { title: 'Five parts', source: 'trainedAlgorithmicMedia', consents: [] };
  // Workers open their signer once.
  const signer = await commandSigner({});
  await stage('content credentials', () => signRendered(files, made, signer));
  return { figures, shots };
}

/** Stores the figures of the run with the least processor time. */
function storeBest(best, name, figures) {
  console.error(`${name}: ${figures.cpu.toFixed(2)} s of processor time`);
  if (best[name] === undefined || figures.cpu < best[name].cpu) best[name] = figures;
}

function report(best) {
  const { cold, warm, 'encoder alone': alone, ...stages } = best;
  const row = ({ cpu, wall }) => ({
    'processor s': cpu.toFixed(2),
    'wall s': wall.toFixed(2),
    '÷ encoder alone': (cpu / alone.cpu).toFixed(2),
  });
  const rows = {
    ...stages,
    'drawing alone': { cpu: alone.drawing, wall: alone.drawing },
    'encoder alone': alone,
    warm,
    cold,
  };
  console.table(Object.fromEntries(Object.entries(rows).map(([name, figures]) => [name, row(figures)])));
  const ratio = cold.cpu / alone.cpu;
  const realTime = warm.seconds / cold.wall;
  const { 'content credentials': signing } = stages;
  const signed = { cpu: 1 + signing.cpu / warm.cpu, wall: 1 + signing.wall / warm.wall };
  console.log(
    `${warm.seconds.toFixed(1)} s of video; cold: ${ratio.toFixed(2)} × the encoder alone (limit ${MAX_ALONE}),`,
  );
  console.log(
    `${realTime.toFixed(1)} × real time (least ${MIN_REAL_TIME}), ${cold.megabytes.toFixed(0)} MB (limit ${MAX_MEGABYTES})`,
  );
  console.log(
    `with content credentials: ${signed.cpu.toFixed(4)} × the processor time, ${signed.wall.toFixed(4)} × the time (limit ${MAX_SIGNED})`,
  );
  if (signed.wall > MAX_SIGNED || ratio > MAX_ALONE || realTime < MIN_REAL_TIME || cold.megabytes > MAX_MEGABYTES)
    process.exitCode = 1;
}
