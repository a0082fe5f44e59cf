import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VideoDocument } from '@figurehead/contract/document';
import { energyOf } from '@figurehead/presenter/sound';
import type { ByteStore } from '../../folder-store.js';
import { reasonOf, SceneError } from '../../scene/assets.js';
import type { SpeechTrack } from '../../scene/timeline/timeline.js';
import { SpeechError } from '../../speech/contract.js';
import { DocumentError, type RenderJob, type RenderResources } from '../contract.js';
import { isSpoken, voiceRequestOf } from '../document-check.js';
import { type CachedUtterance, recordedCached, type SpeechTurn, utterCached } from './cached-speech.js';

/** The speech of a slide. Its sound is in a file, because an hour of it would take 700 MB of memory. */
export interface SpokenSlide {
  readonly track: SpeechTrack;
  /** The speech came from the cache. */
  readonly reused: boolean;
  /** File of 32-bit floats, 48 kHz mono. */
  readonly samples: string;
}

/** Slides to synthesize, and the output folder. */
export interface SpeakJob extends Pick<RenderJob, 'resources' | 'signal'> {
  readonly document: VideoDocument;
  readonly folder: string;
  /** Cache of earlier utterances. */
  readonly store: ByteStore | undefined;
  /** Limits the time of this call; without one, or without a cache, it speaks all slides. */
  readonly turn?: SpeechTurn | undefined;
  /** Receives the progress, 0 to 1. */
  onProgress(share: number): void;
}

/**
 * Slides that are synthesized concurrently: one for each of the two threads of a local engine, and one in the queue. Network services mostly
 * wait.
 */
const AT_ONCE = 3;

/**
 * Synthesizes all slides, some concurrently; null for a silent slide. If several slides cannot be spoken, throws a {@link DocumentError} for the
 * first one. A rate-limited slide is retried alone. At the end of the turn, throws a {@link SpeechError} `interrupted`.
 */
export async function speakSlides(job: SpeakJob): Promise<(SpokenSlide | null)[]> {
  const { onProgress } = job;
  const { slides } = job.document;
  const speeches: (SpokenSlide | null)[] = slides.map(() => null);
  const rateLimited: number[] = [];
  const failures = new Map<number, unknown>();
  let done = 0;
  const speak = async (index: number): Promise<void> => {
    speeches[index] = await speakSlide(job, index);
    done += 1;
    onProgress(done / slides.length);
  };
  const order = slides.keys();
  const speaker = async (): Promise<void> => {
    for (const index of order) {
      // A failure stops later slides only; earlier ones have started and may fail too, and the first failure is reported.
      if (failures.size > 0) return;
      try {
        await speak(index);
      } catch (error) {
        if (error instanceof SpeechError && error.code === 'rate_limited') rateLimited.push(index);
        else failures.set(index, error);
      }
    }
  };
  onProgress(0);
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, slides.length) }, speaker));
  for (const index of failures.size > 0 ? [] : rateLimited.sort((a, b) => a - b)) {
    await speak(index).catch((error: unknown) => failures.set(index, error));
    if (failures.size > 0) break;
  }
  const isInterrupted = (error: unknown) => Number(error instanceof SpeechError && error.code === 'interrupted');
  const [first] = [...failures].sort(([a, x], [b, y]) => isInterrupted(x) - isInterrupted(y) || a - b);
  if (first === undefined) return speeches;
  const [index, error] = first;
  if (!(error instanceof SpeechError) || error.code === 'interrupted') throw error;
  const field = slides[index]?.recording === null ? 'speech' : 'recording';
  const problem = { path: `slides[${index}].${field}`, message: error.message, level: 'error' } as const;
  throw new DocumentError([problem], { cause: error });
}

/** The speech tracks of slides, for timing and faces. */
export function tracksOf(speech: readonly (SpokenSlide | null)[]): (SpeechTrack | null)[] {
  return speech.map((slide) => slide?.track ?? null);
}

async function speakSlide(job: SpeakJob, index: number): Promise<SpokenSlide | null> {
  const { document, resources, folder, store, signal, turn } = job;
  const slide = document.slides[index];
  if (slide === undefined || !isSpoken(slide)) return null;
  const source = { speech: resources.speech, store };
  const { recording, speech: text, language } = slide;
  const out = join(folder, `speech-${index}`);
  if (recording !== null) {
    const file = await fetchRecording(resources, recording, index);
    const spoken = await recordedCached(source, file, { script: text, language, signal });
    return writeSpeech(spoken, language ?? undefined, out);
  }
  const voice = await resources.resolveVoice(voiceRequestOf(slide));
  return writeSpeech(await utterCached(source, voice, { text, signal, turn }), voice.locale, out);
}

async function fetchRecording({ assets }: RenderResources, src: string, index: number): Promise<string> {
  try {
    return await assets.file(src);
  } catch (cause) {
    const message = `the recording cannot be used: ${reasonOf(cause)}`;
    throw new SceneError(`slides[${index}].recording.src`, message, { cause });
  }
}

async function writeSpeech(
  { utterance, reused }: CachedUtterance,
  language: string | undefined,
  file: string,
): Promise<SpokenSlide> {
  const { samples, marks } = utterance;
  await writeFile(file, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  return { track: { samples: samples.length, marks, energy: energyOf(samples), language }, reused, samples: file };
}
