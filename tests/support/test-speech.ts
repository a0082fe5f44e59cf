import { SAMPLE_RATE } from '@figurehead/presenter/time';
import type { Speak } from '../../packages/media/src/live/contract.js';
import type { PhonemeMark, SpeechChunk } from '../../packages/media/src/speech/contract.js';

/** One syllable of test speech is an open vowel and then a closed pause, each this long. */
export const SYLLABLE_SECONDS = 0.4;

/**
 * Speech without a synthesizer, with known timing: open vowels (a buzz of 150 Hz with overtones) alternate with silences. Yields a
 * chunk of `chunkSyllables` syllables every `delayMs`.
 */
export function testSpeech(options: {
  syllables: number;
  chunkSyllables?: number;
  delayMs?: number;
  onAbort?: () => void;
}): Speak {
  const perChunk = options.chunkSyllables ?? options.syllables;
  return async function* (signal) {
    signal.addEventListener('abort', () => options.onAbort?.(), { once: true });
    for (let first = 0; first < options.syllables; first += perChunk) {
      await new Promise((resolve) => setTimeout(resolve, options.delayMs ?? 5));
      signal.throwIfAborted();
      yield chunk(first, Math.min(perChunk, options.syllables - first));
    }
  };
}

function chunk(first: number, count: number): SpeechChunk {
  const length = 2 * SYLLABLE_SECONDS * SAMPLE_RATE;
  const half = length / 2;
  const samples = new Float32Array(count * length);
  const phonemes: PhonemeMark[] = [];
  const words: { text: string; textStart: number; textEnd: number; start: number; end: number }[] = [];
  for (let index = 0; index < count; index++) {
    const from = index * length;
    for (let n = 0; n < half; n++) {
      const edge = Math.min(1, n / 480, (half - n) / 480);
      const t = (2 * Math.PI * 150 * n) / SAMPLE_RATE;
      samples[from + n] = 0.25 * edge * (Math.sin(t) + 0.5 * Math.sin(2 * t) + 0.3 * Math.sin(5 * t));
    }
    const start = (first + index) * length;
    phonemes.push({ phone: 'a', stress: 1, start, end: start + half });
    phonemes.push({ phone: 'm', stress: 0, start: start + half, end: start + length });
    const at = 3 * (first + index);
    words.push({ text: 'am', textStart: at, textEnd: at + 2, start, end: start + half });
  }
  return { start: first * length, samples, marks: { phonemes, words } };
}
