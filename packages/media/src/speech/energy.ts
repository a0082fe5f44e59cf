import { concatPcm, type Pcm } from '../audio.js';
import { ENERGY_HOP, type Marks, type SpeechChunk, type SpokenText } from './contract.js';

/** RMS level that counts as no energy, and the span above it that reaches 1, in dB: speech at −18 LUFS fills the range. */
const FLOOR_DB = -46;
const RANGE_DB = 34;

/**
 * Loudness of speech, 0 (silent) … 1 (a stressed vowel), one value every {@link ENERGY_HOP} samples from sample 0: the RMS
 * of two hops around that sample on a decibel scale.
 */
export function energyOf(samples: Pcm): Float32Array {
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

/** Joins consecutive chunks; marks need no shift, because they are relative to the utterance. */
export function joinChunks(chunks: readonly SpeechChunk[]): SpokenText {
  return { samples: concatPcm(chunks.map((chunk) => chunk.samples)), marks: joinMarks(chunks) };
}

/** The marks of consecutive chunks, in order. */
export function joinMarks(chunks: readonly Pick<SpeechChunk, 'marks'>[]): Marks {
  const named = chunks.flatMap((chunk) => chunk.marks.named ?? []);
  return {
    phonemes: chunks.flatMap((chunk) => chunk.marks.phonemes),
    words: chunks.flatMap((chunk) => chunk.marks.words),
    ...(named.length > 0 && { named }),
  };
}
