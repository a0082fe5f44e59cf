import { SAMPLE_RATE } from '@figurehead/presenter/time';
import type { Pcm } from '../../audio.js';

/** Samples of one level: 10 ms. */
export const LEVEL_HOP = 480;

/** RMS that counts as silence in every recording, dBFS. */
const SILENT_DB = -60;

/** Speech is audible from this level: dB below its loud parts, or dB above the background noise. */
const UNDER_LOUD_DB = 35;
const OVER_NOISE_DB = 8;
/** Minimum distance of the background from the loud parts, dB: with louder noise nothing counts as silence. */
const NOISE_UNDER_LOUD_DB = 20;

/**
 * Margin before the first and after the last sound, in samples, because breaths and final consonants are below the
 * threshold.
 */
const LEAD = 0.05 * SAMPLE_RATE;
const TAIL = 0.12 * SAMPLE_RATE;

/** A part of a sound, in samples. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Level of each {@link LEVEL_HOP} samples, dBFS RMS. */
export function levelsOf(samples: Pcm): Float32Array {
  const levels = new Float32Array(Math.ceil(samples.length / LEVEL_HOP));
  for (let index = 0; index < levels.length; index++) {
    const [from, to] = [index * LEVEL_HOP, Math.min(samples.length, (index + 1) * LEVEL_HOP)];
    let sum = 0;
    for (let n = from; n < to; n++) sum += samples[n]! * samples[n]!;
    levels[index] = 10 * Math.log10(sum / (to - from) + 1e-12);
  }
  return levels;
}

/** The level above which a recording counts as audible, dBFS; `undefined` for a silent one. */
export function hearingThreshold(levels: Float32Array): number | undefined {
  const sorted = levels.toSorted();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? -120;
  // Uses the loudest parts instead of a share of the whole, because a short word in a long silence is still speech.
  const loud = sorted[Math.max(0, sorted.length - 20)] ?? -120;
  if (loud < SILENT_DB) return undefined;
  return Math.max(SILENT_DB, loud - UNDER_LOUD_DB, Math.min(at(0.1) + OVER_NOISE_DB, loud - NOISE_UNDER_LOUD_DB));
}

/** From just before the first to just after the last audible sound; `undefined` for silence. */
export function heardSpan(levels: Float32Array, samples: number): Span | undefined {
  const threshold = hearingThreshold(levels);
  if (threshold === undefined) return undefined;
  const first = levels.findIndex((level) => level > threshold);
  const last = levels.findLastIndex((level) => level > threshold);
  return {
    from: Math.max(0, first * LEVEL_HOP - LEAD),
    to: Math.min(samples, (last + 1) * LEVEL_HOP + TAIL),
  };
}

/** Silent ranges of at least `samples`. */
export function pausesOf(levels: Float32Array, samples: number): Span[] {
  const threshold = hearingThreshold(levels);
  if (threshold === undefined) return [];
  const pauses: Span[] = [];
  let from = 0;
  for (let index = 0; index <= levels.length; index++) {
    if (index < levels.length && levels[index]! <= threshold) continue;
    if ((index - from) * LEVEL_HOP >= samples) pauses.push({ from: from * LEVEL_HOP, to: index * LEVEL_HOP });
    from = index + 1;
  }
  return pauses;
}
