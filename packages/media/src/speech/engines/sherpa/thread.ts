import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { LRUCache } from 'lru-cache';
import { resampled } from '../../resample.js';
import { CLOUD_RATE } from '../cloud/rate.js';
import { serveJobs } from '../thread-jobs.js';
import { placesOf } from './model.js';
import type { NaturalVoiceModel } from './natural-voice.js';
import { loadSherpa, type SherpaTts } from './runtime.js';

/** A sentence for a model. */
export interface SherpaJob extends Pick<NaturalVoiceModel, 'engine' | 'files'> {
  /** Folder of the voice. */
  readonly folder: string;
  /** Module of sherpa-onnx. */
  readonly runtime: string;
  readonly speaker: number;
  /** 48 kHz mono sound for a model that imitates it. */
  readonly reference?: Int16Array;
  readonly text: string;
  readonly speed: number;
}

/** Mono sound at `CLOUD_RATE`. */
export interface SherpaAnswer {
  readonly pcm: Int16Array;
}

/** Maximum models in memory, up to 350 MB each. */
const MODELS = 2;

const models = new LRUCache<string, SherpaTts>({ max: MODELS });

/** Steps from noise to speech, as the model's authors use them; it would accept any number. */
const STEPS = 5;

function speak(job: SherpaJob): SherpaAnswer {
  const { speaker, reference, text, speed } = job;
  const model = models.get(job.folder) ?? load(job);
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
  const { samples, sampleRate } = model.generate({
    ...{ text, sid: speaker, speed, enableExternalBuffer: false },
    ...imitated,
  });
  const sound = resampled(samples, sampleRate, CLOUD_RATE);
  return { pcm: new Int16Array(sound.map((sample) => Math.round(32_767 * Math.max(-1, Math.min(1, sample))))) };
}

function load({ folder, runtime, engine, files }: SherpaJob): SherpaTts {
  const model = loadSherpa(runtime, {
    model: { [engine]: placesOf(folder, files), numThreads: 2, provider: 'cpu', debug: false },
    maxNumSentences: 1,
  });
  models.set(folder, model);
  return model;
}

serveJobs(speak, ({ pcm }) => [pcm.buffer as ArrayBuffer]);
