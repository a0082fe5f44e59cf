import { LRUCache } from 'lru-cache';
import { Resampler } from '../../resample.js';
import { CLOUD_RATE } from '../cloud/rate.js';
import { serveJobs } from '../thread-jobs.js';
import { placesOf } from './model.js';
import type { NaturalVoiceModel } from './natural-voice.js';
import { loadSherpa, type SherpaTts } from './runtime.js';

/** A sentence for a model. */
export interface SherpaJob extends Pick<NaturalVoiceModel, 'engine' | 'files'> {
  /** Folder of the voice. */
  readonly folder: string;
  readonly speaker: number;
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

function speak({ folder, engine, files, speaker, text, speed }: SherpaJob): SherpaAnswer {
  const model = models.get(folder) ?? load(folder, { engine, files });
  const { samples, sampleRate } = model.generate({ text, sid: speaker, speed, enableExternalBuffer: false });
  const sound = new Resampler(sampleRate, CLOUD_RATE).process(samples);
  return { pcm: Int16Array.from(sound, (sample) => Math.round(32_767 * Math.max(-1, Math.min(1, sample)))) };
}

function load(folder: string, { engine, files }: Pick<SherpaJob, 'engine' | 'files'>): SherpaTts {
  const model = loadSherpa({
    model: { [engine]: placesOf(folder, files), numThreads: 2, provider: 'cpu', debug: false },
    maxNumSentences: 1,
  });
  models.set(folder, model);
  return model;
}

serveJobs(speak, ({ pcm }) => [pcm.buffer as ArrayBuffer]);
