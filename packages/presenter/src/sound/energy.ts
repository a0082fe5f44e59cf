import type { SpokenStretch } from '../face/contract.js';
import { ENERGY_HOP } from '../marks.js';
import type { HeardSpeech } from './cutter.js';

/** RMS level that counts as no energy, and the span above it that reaches 1, in dB: speech at −18 LUFS fills the range. */
const FLOOR_DB = -46;
const RANGE_DB = 34;

/**
 * Loudness of speech, 0 (silent) … 1 (a stressed vowel), one value every {@link ENERGY_HOP} samples from sample 0: the RMS
 * of two hops around that sample on a decibel scale.
 */
export function energyOf(samples: Float32Array): Float32Array {
  const out = new Float32Array(Math.ceil(samples.length / ENERGY_HOP));
  for (let index = 0; index < out.length; index++) {
    const from = Math.max(0, (index - 1) * ENERGY_HOP);
    const to = Math.min(samples.length, (index + 1) * ENERGY_HOP);
    let sum = 0;
    for (let n = from; n < to; n++) sum += samples[n]! * samples[n]!;
    const level = 10 * Math.log10(sum / Math.max(1, to - from) + 1e-12);
    out[index] = Math.min(1, Math.max(0, (level - FLOOR_DB) / RANGE_DB));
  }
  return out;
}

/** A chunk of speech on the face's clock, from sample `start` of it. A chunk may have shapes without sound. */
export function placeSpeech(start: number, chunk: HeardSpeech): SpokenStretch {
  const move = <T extends { readonly start: number; readonly end: number }>(mark: T): T => ({
    ...mark,
    start: mark.start - chunk.start,
    end: mark.end - chunk.start,
  });
  const { phonemes, words } = chunk.marks;
  return {
    start,
    samples: chunk.samples.length || (phonemes.at(-1)?.end ?? chunk.start) - chunk.start,
    marks: { phonemes: phonemes.map(move), words: words.map(move) },
    energy: energyOf(chunk.samples),
  };
}
