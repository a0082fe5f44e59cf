import { readFile, writeFile } from 'node:fs/promises';
import type { PlannedShot } from '../scene/shots.js';
import type { SpeechTrack, Timeline } from '../scene/timeline/timeline.js';
import type { SlideSpan } from './spans.js';
import type { SpokenSlide } from './stages/speak-slides.js';

/** A document with its speech and timeline, before its pictures and file are created. */
export interface RenderPlan {
  readonly speech: readonly (SpokenSlide | null)[];
  readonly timeline: Timeline;
  /** A single span means that one worker renders the video. */
  readonly spans: readonly SlideSpan[];
  /** Present when shots were planned to determine how much of the video is new. */
  readonly shots?: readonly PlannedShot[];
}

/**
 * Speech data for every worker of a video. A voice may sound different each time, so the speech is synthesized only once; the samples stay on
 * that worker.
 */
export interface SharedPlan {
  /** One per slide, null for a silent one. */
  readonly tracks: readonly (SpeechTrack | null)[];
  /** Peaks of the whole sound, from `watchPeaks`. */
  readonly peaks: readonly number[];
  /** Slides whose speech came from the cache. */
  readonly reusedSpeech: readonly number[];
}

interface WrittenTrack extends Omit<SpeechTrack, 'energy'> {
  /** Little-endian 32-bit floats in base64: as numbers they would be ten times as long. */
  readonly energy: string;
}

/** The part of a plan that its workers share; `peaks` of the encoded sound. */
export function sharedPlanOf({ speech }: Pick<RenderPlan, 'speech'>, peaks: readonly number[]): SharedPlan {
  const tracks = speech.map((slide) => slide?.track ?? null);
  return { tracks, peaks, reusedSpeech: [...speech.keys()].filter((slide) => speech[slide]?.reused === true) };
}

/** Writes a plan for other workers. */
export async function writePlan(file: string, { tracks, ...rest }: SharedPlan): Promise<void> {
  const written = tracks.map((track) => track && { ...track, energy: encodeFloats(track.energy) });
  await writeFile(file, JSON.stringify({ ...rest, tracks: written }));
}

/** Reads the file of {@link writePlan}. */
export async function readPlan(file: string): Promise<SharedPlan> {
  const { tracks, ...rest } = JSON.parse(await readFile(file, 'utf8')) as Omit<SharedPlan, 'tracks'> & {
    readonly tracks: readonly (WrittenTrack | null)[];
  };
  return { ...rest, tracks: tracks.map((track) => track && { ...track, energy: decodeFloats(track.energy) }) };
}

function encodeFloats(floats: Float32Array): string {
  return Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength).toString('base64');
}

function decodeFloats(text: string): Float32Array {
  // Copied, because floats must begin at a multiple of four bytes.
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer);
}
