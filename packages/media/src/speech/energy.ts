import { concatPcm } from '../audio.js';
import type { Marks, SpeechChunk, SpokenText } from './contract.js';

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
