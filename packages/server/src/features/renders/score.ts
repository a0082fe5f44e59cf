import { readFile, writeFile } from 'node:fs/promises';
import type { SpeechTrack } from '@figurehead/media';

/*
 * The score of a video: what a worker has to know of its speech to draw any of its slides. Voices need not speak twice alike, so that it is
 * spoken once; the samples stay where they were spoken.
 */

/** The speech of a video without its samples. */
export interface Score {
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

/** Writes the score. */
export async function writeScore(file: string, { tracks, ...rest }: Score): Promise<void> {
  const written = tracks.map((track) => track && { ...track, energy: encodeFloats(track.energy) });
  await writeFile(file, JSON.stringify({ ...rest, tracks: written }));
}

/** Reads what {@link writeScore} wrote. */
export async function readScore(file: string): Promise<Score> {
  const { tracks, ...rest } = JSON.parse(await readFile(file, 'utf8')) as Omit<Score, 'tracks'> & {
    readonly tracks: readonly (WrittenTrack | null)[];
  };
  return { ...rest, tracks: tracks.map((track) => track && { ...track, energy: decodeFloats(track.energy) }) };
}

function encodeFloats(floats: Float32Array): string {
  return Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength).toString('base64');
}

function decodeFloats(text: string): Float32Array {
  // A copy of its own: floats must lie at a multiple of four.
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer);
}
