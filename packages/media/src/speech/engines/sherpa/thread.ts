import { readFile } from 'node:fs/promises';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { LRUCache } from 'lru-cache';
import { resampled } from '../../resample.js';
import { CLOUD_RATE } from '../cloud/rate.js';
import { serveJobs } from '../thread-jobs.js';
import { placesOf } from './model.js';
import type { NaturalVoiceModel } from './natural-voice.js';
import { asText, type PhoneWord } from './phones.js';
import { loadSherpa, type SherpaTts } from './runtime.js';

/** A network of an installed voice. */
export interface SherpaNetwork extends Pick<NaturalVoiceModel, 'engine' | 'files' | 'settings' | 'phones'> {
  /** Folder of the voice. */
  readonly folder: string;
}

/** A sentence for a network. */
export interface SherpaJob extends SherpaNetwork {
  /** Module of sherpa-onnx. */
  readonly runtime: string;
  readonly speaker: number;
  /** 48 kHz mono sound for a model that imitates it. */
  readonly reference?: Int16Array;
  readonly text: string;
  /** The text in phones, for networks that read these. */
  readonly words?: readonly PhoneWord[];
  /** Of the words, BCP 47. */
  readonly locale: string;
  readonly speed: number;
}

/** A network in memory. */
interface Loaded {
  readonly tts: SherpaTts;
  /** Of a network that reads phones. */
  readonly symbols: ReadonlySet<string>;
}

/** Mono sound at `CLOUD_RATE`. */
export interface SherpaAnswer {
  readonly pcm: Int16Array;
  /** Processor seconds for a second of sound; absent where reading the network would count too. */
  readonly load?: number;
}

/** Maximum models in memory, up to 350 MB each. */
const MODELS = 2;

const models = new LRUCache<string, Loaded>({ max: MODELS });

/** Steps from noise to speech, as the model's authors use them; it would accept any number. */
const STEPS = 5;

async function speak(job: SherpaJob): Promise<SherpaAnswer> {
  const { speaker, reference, speed, words, locale, phones: notation } = job;
  const isWarm = models.has(keyOf(job));
  const { tts, symbols } = await loaded(job);
  const text = words && notation ? asText(words, { notation, locale, symbols }) : job.text;
  // Sounds that the network does not have, such as clicks.
  if (text === '') return { pcm: new Int16Array(1) };
  const began = process.cpuUsage();
  // Supertonic is told the language; it would speak English.
  const guided = job.engine === 'supertonic' && {
    generationConfig: { sid: speaker, speed, numSteps: STEPS, extra: { lang: locale.split('-')[0] } },
  };
  const imitated = reference && {
    generationConfig: {
      referenceAudio: resampled(
        new Float32Array(reference).map((sample) => sample / 32_768),
        SAMPLE_RATE,
        CLOUD_RATE,
      ),
      referenceSampleRate: CLOUD_RATE,
      numSteps: STEPS,
      extra: { max_reference_audio_len: reference.length / SAMPLE_RATE },
    },
  };
  const { samples, sampleRate } = tts.generate({
    ...{ text, sid: speaker, speed, enableExternalBuffer: false },
    ...guided,
    ...imitated,
  });
  const { user, system } = process.cpuUsage(began);
  const load = (user + system) / 1e6 / (samples.length / sampleRate);
  const sound = resampled(samples, sampleRate, CLOUD_RATE);
  const pcm = new Int16Array(sound.map((sample) => Math.round(32_767 * Math.max(-1, Math.min(1, sample)))));
  return isWarm ? { pcm, load } : { pcm };
}

/** Changed settings, such as those for `stability`, need another copy. */
function keyOf({ folder, settings }: SherpaJob): string {
  return JSON.stringify([folder, settings]);
}

async function loaded(job: SherpaJob): Promise<Loaded> {
  const { folder, runtime, engine, files, settings, phones } = job;
  const key = keyOf(job);
  const known = models.get(key);
  if (known) return known;
  const places = placesOf(folder, files);
  const tokens = phones && places.tokens ? await readFile(places.tokens, 'utf8') : '';
  const symbols = new Set([...tokens.matchAll(/^(.) \d+$/gmu)].map(([, symbol = '']) => symbol));
  const tts = loadSherpa(runtime, {
    // A second thread mostly waits for the first: 1.25 instead of 0.73 s of processor time for a second of Kokoro.
    model: { [engine]: { ...places, ...settings }, numThreads: 1, provider: 'cpu', debug: false },
    maxNumSentences: 1,
    silenceScale: 1,
  });
  models.set(key, { tts, symbols });
  return { tts, symbols };
}

serveJobs(speak, ({ pcm }) => [pcm.buffer as ArrayBuffer]);
