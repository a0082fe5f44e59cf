import { LRUCache } from 'lru-cache';
import { serveJobs } from '../thread-jobs.js';
import { placesOf } from './model.js';
import type { RecogniserModel } from './recogniser-model.js';
import { loadSherpaRecogniser, type SherpaAsr, type SherpaRecogniserConfig } from './runtime.js';

/** An utterance for a model. */
export interface RecogniserJob extends Pick<RecogniserModel, 'engine' | 'files'> {
  /** Folder of the model. */
  readonly folder: string;
  /** Module of sherpa-onnx. */
  readonly runtime: string;
  /** Code that the model knows. */
  readonly language: string;
  readonly samples: Int16Array;
  readonly sampleRate: number;
}

/** The words of an utterance. */
export interface RecogniserAnswer {
  readonly text: string;
}

/** Maximum models in memory, up to 350 MB each. */
const MODELS = 2;
/** What the networks listen to. Other rates are resampled by sherpa-onnx. */
const SOUND = { sampleRate: 16_000, featureDim: 80 };
/** Shorter than any word; some networks fail for less. */
const SHORTEST_SECONDS = 0.1;
/** What Whisper writes for sounds that are not speech: [MUSIC], (coughs), ♪. */
const NO_SPEECH = /\[[^[\]]*\]|\([^()]*\)|♪/gu;

const models = new LRUCache<string, SherpaAsr>({ max: MODELS });

function transcribe(job: RecogniserJob): RecogniserAnswer {
  const { folder, engine, samples, sampleRate } = job;
  const config = configOf(job);
  const model = models.get(folder) ?? loadSherpaRecogniser(job.runtime, config);
  models.set(folder, model);
  if (samples.length < SHORTEST_SECONDS * sampleRate) return { text: '' };
  if (engine === 'whisper') model.setConfig(config);
  const sound = model.createStream();
  sound.acceptWaveform({ samples: new Float32Array(samples).map((sample) => sample / 32_768), sampleRate });
  model.decode(sound);
  return { text: model.getResult(sound).text.replace(NO_SPEECH, '').trim() };
}

function configOf({ folder, engine, files, language }: RecogniserJob): SherpaRecogniserConfig {
  const { tokens, ...network } = placesOf(folder, files);
  const settings = {
    whisper: { language, task: 'transcribe' },
    // Knows one language only.
    moonshine: {},
    // Detects its language itself: it takes another one only when it is loaded.
    senseVoice: { useInverseTextNormalization: 1 },
  };
  return {
    featConfig: SOUND,
    modelConfig: {
      [engine]: { ...network, ...settings[engine] },
      tokens,
      numThreads: 2,
      provider: 'cpu',
      debug: false,
    },
  };
}

serveJobs(transcribe, () => []);
