/**
 * Lip shapes from sound alone (npm run bench:from-sound): share of p, b and m with shut lips and of vowels with open lips, and processor time.
 *
 *     node bench/from-sound.js [--recordings FOLDER] [--baselines node_modules [--profile PROFILE]] [--no-write]
 *
 * Without recordings of people (see `from-sound/recordings.js`) it uses the speech of eSpeak in a language that is not in the training data.
 * Writes the section "Lips from sound" of bench/RESULTS.md.
 */
import { parseArgs } from 'node:util';
import {
  ArrivingSound,
  createFaceTrack,
  createSpeech,
  energyOf,
  marksFromSound,
} from '../packages/media/dist/index.js';
import { openBaselines } from './from-sound/baselines.js';
import { judge, total } from './from-sound/judge.js';
import { readRecordings } from './from-sound/recordings.js';
import { writeSection } from './results.js';

const STEP = 480;
const START = 48_000;
const TEN_MINUTES = 600 * 48_000;
/** In a language that no training hears. */
const ITALIAN = [
  'Benvenuti nella nostra impresa. Il mio nome è sulla lavagna, e mi piace poter spiegare che cosa abbiamo fatto in primavera.',
  'Molti pensano che un buon video abbia bisogno di molto denaro. Ma comincia sempre da una semplice idea e da una bella voce.',
  'Per favore, apra la mappa, prenda un posto e prema il bottone verde. Il pacco parte lunedì mattina.',
];

const { values: options } = parseArgs({
  options: {
    recordings: { type: 'string' },
    baselines: { type: 'string' },
    profile: { type: 'string' },
    'no-write': { type: 'boolean', default: false },
  },
});

const recordings = options.recordings ? await readRecordings(options.recordings) : await spoken();
const cpu = { seconds: 0, sound: 0 };
const methods = [{ name: 'Figurehead', open: ours }];
if (options.baselines) methods.push(...(await openBaselines(options.baselines, options.profile)));
const rows = [];
for (const { name, open } of methods) {
  const curves = [];
  for (const recording of recordings) curves.push(await open(recording.samples));
  rows.push({
    name,
    ...total(recordings, curves),
    each: recordings.map((recording, at) => judge([recording], [curves[at]], 0)),
  });
}
const labelled = recordings.filter(({ withText }) => withText !== undefined);
const texts = labelled.length === 0 ? undefined : withText();
const memory = await memoryOf(TEN_MINUTES);
const arriving = [await arrivingMemory(1), await arrivingMemory(6)];
const text = section();
console.log(text);
for (const [at, { name }] of recordings.entries()) {
  const { shut, closures } = rows[0].each[at];
  console.log(`${name.padEnd(24)} ${shut} of ${closures} shut`);
}
if (!options['no-write']) await writeSection('## Lips from sound', text);

/** Opening of the face's mouth every 10 ms. */
async function ours(/** @type {Float32Array} */ samples) {
  const began = process.cpuUsage();
  const marks = await marksFromSound(samples);
  const { user, system } = process.cpuUsage(began);
  cpu.seconds += (user + system) / 1e6;
  cpu.sound += samples.length / 48_000;
  return curveOf(samples, marks);
}

function curveOf(
  /** @type {Float32Array} */ samples,
  /** @type {import('../packages/media/dist/index.js').Marks} */ marks,
) {
  const stretch = { start: START, samples: samples.length, marks, energy: energyOf(samples) };
  const track = createFaceTrack({ seed: 3, stretches: [stretch] });
  return Float32Array.from({ length: Math.ceil(samples.length / STEP) }, (_, at) => {
    const { open, consonants } = track.poseAt(START + at * STEP).mouth;
    return open * Math.max(0, 1 - (consonants.PP ?? 0) - (consonants.FF ?? 0));
  });
}

/** The recordings whose phones and words a person has labelled, with their words as the script of a slide. */
function withText() {
  const { closures, recall, vowels } = total(
    labelled,
    labelled.map(({ samples, withText: marks }) => curveOf(samples, marks)),
  );
  const errors = labelled
    .flatMap(({ words, withText: { words: found } }) =>
      words.length === found.length ? words.map(({ start }, at) => Math.abs(found[at].start - start) / 48) : [],
    )
    .sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => Math.round(errors[Math.floor(share * (errors.length - 1))] ?? Number.NaN);
  return `With the text, ${labelled.length} recordings with times labelled by people: ${(100 * recall).toFixed(1)} % of ${closures} shut, ${(100 * vowels).toFixed(1)} % of the vowels shut; start of ${errors.length} words: median ${at(0.5)} ms, p95 ${at(0.95)} ms off.`;
}

/** Memory at most beside a recording of so many samples, as a share of it. */
async function memoryOf(/** @type {number} */ length) {
  const sound = new Float32Array(length);
  for (let at = 0, each = 0; at < length; each++) {
    const { samples } = recordings[each % recordings.length];
    sound.set(samples.subarray(0, length - at), at);
    at += samples.length;
  }
  const before = process.memoryUsage.rss();
  let most = before;
  const look = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  await marksFromSound(sound);
  clearInterval(look);
  return (most - before) / sound.byteLength;
}

/** Memory at the end of sound that arrived for so many times ten minutes, in pieces of a second, MB above its first minute. */
async function arrivingMemory(/** @type {number} */ times) {
  const sound = new ArrivingSound(48_000);
  const { samples } = recordings[0];
  const second = Buffer.from(Int16Array.from(samples.subarray(0, 48_000), (sample) => 32_767 * sample).buffer);
  let seconds = 0;
  let first = 0;
  sound.append(second);
  for await (const chunk of sound.chunks(new AbortController().signal)) {
    seconds += chunk.samples.length / 48_000;
    if (seconds < 60) first = process.memoryUsage.rss();
    if (seconds > 600 * times) sound.end();
    else if (sound.waitingSeconds < 1) sound.append(second);
  }
  return (process.memoryUsage.rss() - first) / 1e6;
}

async function spoken() {
  const speech = createSpeech({ threads: 1 });
  try {
    const out = [];
    for (const [at, text] of ITALIAN.entries()) {
      const { samples, marks } = await speech.utter('espeak', text, { voice: 'it' });
      const phones = marks.phonemes.filter(({ phone }) => phone !== '');
      out.push({ name: `Italian ${at + 1}`, samples, phones, isAligned: false });
    }
    return out;
  } finally {
    await speech.close();
  }
}

function section() {
  const percent = (/** @type {number} */ value) => `${(100 * value).toFixed(1)} %`;
  const minutes = recordings.reduce((sum, { samples }) => sum + samples.length, 0) / 48_000 / 60;
  const aligned = recordings.filter(({ isAligned }) => isAligned).length;
  const [own] = rows;
  const lines = rows.map((row) => {
    const ratio =
      row === own ? '' : `${(own.recall / row.recall).toFixed(2)} ×, ${(own.contrast / row.contrast).toFixed(2)} ×`;
    return `| ${row.name} | ${percent(row.recall)} of ${row.closures} | ${percent(row.vowels)} | ${percent(row.contrast)} | ${row.lagMs} | ${ratio} |`;
  });
  return [
    '## Lips from sound',
    '',
    `${recordings.length} recordings (${minutes.toFixed(1)} min; ${options.recordings ? `of people; times of ${aligned} from the engine's alignment with the text` : 'of eSpeak in a language that is not in the training data'}), \`npm run bench:from-sound\`.`,
    '*Shut*: share of p, b and m with shut lips within 40 ms of their middle, in the face animated by the marks; *vowels shut*: share of vowels with shut',
    'lips in their middle; *contrast*: the difference of the two; *lag*: the delay, in ms, with the best result, already compensated. Ratios: Figurehead over the other, for shut and contrast.',
    '',
    '| | shut | vowels shut | contrast | lag ms | ratio |',
    '|---|---|---|---|---|---|',
    ...lines,
    '',
    ...(texts === undefined ? [] : [texts, '']),
    `Cost: ${percent(cpu.seconds / cpu.sound)} of a core, ${(cpu.sound / cpu.seconds).toFixed(0)} × real time. Memory beside a recording of ten minutes: ${percent(memory)} of it. Sound that arrives: ${arriving[0].toFixed(0)} MB more after ten minutes than after one, ${arriving[1].toFixed(0)} MB after an hour.`,
    '',
  ].join('\n');
}
