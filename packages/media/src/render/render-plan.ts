import { readFile, writeFile } from 'node:fs/promises';
import type { PlannedShot } from '../scene/shots.js';
import type { SpeechTrack, Timeline } from '../scene/timeline/timeline.js';
import type { SlideSpan } from './spans.js';
import type { SpokenSlide } from './stages/speak-slides.js';

/** A document that is spoken and laid out in time: its pictures and its file are left to make. */
export interface RenderPlan {
  readonly speech: readonly (SpokenSlide | null)[];
  readonly timeline: Timeline;
  /** One: the video is to be rendered in one place. */
  readonly spans: readonly SlideSpan[];
  /** Present where they had to be planned to know how much of the video is new. */
  readonly shots?: readonly PlannedShot[];
}

/**
 * What every worker of a video has to know of its speech. Voices need not speak twice alike, so that a video is spoken once; the samples stay
 * where they were spoken.
 */
export interface SharedPlan {
  /** One a slide, null for a silent one. */
  readonly tracks: readonly (SpeechTrack | null)[];
  /** Of the whole sound, as `watchPeaks` counts them. */
  readonly peaks: readonly number[];
  /** Slides whose speech had been kept. */
  readonly reusedSpeech: readonly number[];
}

interface WrittenTrack extends Omit<SpeechTrack, 'energy'> {
  /** Little-endian 32-bit floats in base64: as numbers they would be ten times as long. */
  readonly energy: string;
}

/** What of a plan its workers share; `peaks` of the encoded sound. */
export function sharedPlanOf({ speech }: Pick<RenderPlan, 'speech'>, peaks: readonly number[]): SharedPlan {
  const tracks = speech.map((slide) => slide?.track ?? null);
  return { tracks, peaks, reusedSpeech: [...speech.keys()].filter((slide) => speech[slide]?.reused === true) };
}

/** Writes a plan for other workers. */
export async function writePlan(file: string, { tracks, ...rest }: SharedPlan): Promise<void> {
  const written = tracks.map((track) => track && { ...track, energy: encodeFloats(track.energy) });
  await writeFile(file, JSON.stringify({ ...rest, tracks: written }));
}

/** Reads what {@link writePlan} wrote. */
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
  // A copy of its own: floats begin at a multiple of four bytes.
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer);
}
