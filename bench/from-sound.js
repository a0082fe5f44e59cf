/**
 * Lips from sound alone (npm run bench:from-sound): are they shut on p, b and m, and open on vowels, and what does it cost?
 *
 *     node bench/from-sound.js [--recordings FOLDER] [--baselines node_modules [--profile PROFILE]] [--no-write]
 *
 * Without recordings of people (see `from-sound/recordings.js`) speech of eSpeak in a language that the classifier was not trained with is
 * judged. Writes the section "Lips from sound" of bench/RESULTS.md.
 */
import { parseArgs } from 'node:util';
import { createFaceTrack, createSpeech, energyOf, marksFromSound } from '../packages/media/dist/index.js';
import { openBaselines } from './from-sound/baselines.js';
import { judge, total } from './from-sound/judge.js';
import { readRecordings } from './from-sound/recordings.js';
import { keepSection } from './results.js';

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
const memory = await memoryOf(TEN_MINUTES);
const text = section();
console.log(text);
for (const [at, { name }] of recordings.entries()) {
  const { shut, closures } = rows[0].each[at];
  console.log(`${name.padEnd(24)} ${shut} of ${closures} shut`);
}
if (!options['no-write']) await keepSection('## Lips from sound', text);

/** How open the face's mouth is each 10 ms. */
async function ours(/** @type {Float32Array} */ samples) {
  const began = process.cpuUsage();
  const marks = await marksFromSound(samples);
  const { user, system } = process.cpuUsage(began);
  cpu.seconds += (user + system) / 1e6;
  cpu.sound += samples.length / 48_000;
  const stretch = { start: START, samples: samples.length, marks, energy: energyOf(samples) };
  const track = createFaceTrack({ seed: 3, stretches: [stretch] });
  return Float32Array.from({ length: Math.ceil(samples.length / STEP) }, (_, at) => {
    const { open, consonants } = track.poseAt(START + at * STEP).mouth;
    return open * Math.max(0, 1 - (consonants.PP ?? 0) - (consonants.FF ?? 0));
  });
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
    `${recordings.length} recordings (${minutes.toFixed(1)} min; ${options.recordings ? `of people; times of ${aligned} by the engine's own aligner from the text` : 'of eSpeak in a language that the classifier has not heard'}), \`npm run bench:from-sound\`.`,
    '*Shut*: p, b and m with lips shut within 40 ms of their middle, of the face that the marks drive; *vowels shut*: vowels in whose middle the lips',
    'are shut; *contrast*: the difference of the two; *lag*: the constant delay, in ms, at which a method is best, already taken off. Ratios: Figurehead over the other, shut and contrast.',
    '',
    '| | shut | vowels shut | contrast | lag ms | ratio |',
    '|---|---|---|---|---|---|',
    ...lines,
    '',
    `Cost: ${percent(cpu.seconds / cpu.sound)} of a core, ${(cpu.sound / cpu.seconds).toFixed(0)} × real time. Memory beside a recording of ten minutes: ${percent(memory)} of it.`,
    '',
  ].join('\n');
}
