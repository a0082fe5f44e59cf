import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VideoDocument } from '@figurehead/contract/document';
import type { ByteStore } from '../../folder-store.js';
import type { SpeechTrack } from '../../scene/timeline/timeline.js';
import { SpeechError } from '../../speech/contract.js';
import { energyOf } from '../../speech/energy.js';
import { DocumentError, type RenderJob } from '../contract.js';
import { wishOf } from '../document-check.js';
import { type KeptUtterance, utterKept } from './kept-speech.js';

/** A slide that is spoken. Its sound is in a file: an hour of it would take 700 MB of memory. */
export interface SpokenSlide {
  readonly track: SpeechTrack;
  /** It had been kept. */
  readonly reused: boolean;
  /** File of 32-bit floats, 48 kHz mono. */
  readonly samples: string;
}

/** What is spoken, and into which folder. */
export interface SpeakJob extends Pick<RenderJob, 'resources' | 'signal'> {
  readonly document: VideoDocument;
  readonly folder: string;
  /** Has what was spoken before. */
  readonly store: ByteStore | undefined;
  /** Hears the share that is done, 0 to 1. */
  onProgress(share: number): void;
}

/**
 * Slides that are spoken at once: one for each of the two threads that the engines of this machine have, and one more that waits for them;
 * services of the network mostly make their callers wait.
 */
const AT_ONCE = 3;

/**
 * Speaks every slide, some at once; a silent slide gives null. Of several slides that cannot be spoken the first one is named, by a
 * {@link DocumentError}. A slide that a service refuses for too many requests is asked again alone.
 */
export async function speakSlides(job: SpeakJob): Promise<(SpokenSlide | null)[]> {
  const { onProgress } = job;
  const { slides } = job.document;
  const speeches: (SpokenSlide | null)[] = slides.map(() => null);
  const crowdedOut: number[] = [];
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
      // Slides before this one have begun: the failure that is told is theirs.
      if (failures.size > 0) return;
      try {
        await speak(index);
      } catch (error) {
        if (error instanceof SpeechError && error.code === 'rate_limited') crowdedOut.push(index);
        else failures.set(index, error);
      }
    }
  };
  onProgress(0);
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, slides.length) }, speaker));
  for (const index of failures.size > 0 ? [] : crowdedOut.sort((a, b) => a - b)) {
    await speak(index).catch((error: unknown) => failures.set(index, error));
    if (failures.size > 0) break;
  }
  const [first] = [...failures].sort(([a], [b]) => a - b);
  if (first === undefined) return speeches;
  const [index, error] = first;
  if (!(error instanceof SpeechError)) throw error;
  const problem = { path: `slides[${index}].speech`, message: error.message, level: 'error' } as const;
  throw new DocumentError([problem], { cause: error });
}

/** The tracks of spoken slides: what timing and faces need of them. */
export function tracksOf(speech: readonly (SpokenSlide | null)[]): (SpeechTrack | null)[] {
  return speech.map((slide) => slide?.track ?? null);
}

async function speakSlide(job: SpeakJob, index: number): Promise<SpokenSlide | null> {
  const { document, resources, folder, store, signal } = job;
  const slide = document.slides[index];
  if (slide === undefined || slide.speech.trim() === '') return null;
  const voice = await resources.resolveVoice(wishOf(slide));
  const spoken = await utterKept({ speech: resources.speech, store }, voice, { text: slide.speech, signal });
  return writeSamples(spoken, join(folder, `speech-${index}`));
}

async function writeSamples({ utterance, reused }: KeptUtterance, file: string): Promise<SpokenSlide> {
  const { samples, marks } = utterance;
  await writeFile(file, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  return { track: { samples: samples.length, marks, energy: energyOf(samples) }, reused, samples: file };
}
