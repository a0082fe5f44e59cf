import { SAMPLE_RATE } from '@figurehead/presenter/time';
import type { Pcm } from '../../audio.js';
import type { Marks, PhonemeMark } from '../contract.js';
import { levelsOf, pausesOf } from './levels.js';

/**
 * Pauses are shortened to this length: synthesised speech has none that are longer, and warping expects similar
 * lengths.
 */
export const LONGEST_PAUSE = 0.3 * SAMPLE_RATE;

/** Minimum gap between two sounds that counts as silence instead of imprecise times, in samples. */
const SILENCE = 0.03 * SAMPLE_RATE;

/** A sound with shortened pauses. */
export interface Condensed {
  readonly samples: Pcm;
  /** Places in `samples` at which silence was removed, and its length, in order. */
  readonly cuts: readonly { readonly at: number; readonly removed: number }[];
}

/** Shortens the pauses of a recording, in which people think, turn pages or cough for seconds. */
export function condense(samples: Pcm): Condensed {
  const cuts: { at: number; removed: number }[] = [];
  const parts: Pcm[] = [];
  let from = 0;
  let length = 0;
  for (const pause of pausesOf(levelsOf(samples), LONGEST_PAUSE)) {
    const to = Math.min(samples.length, pause.from + LONGEST_PAUSE / 2);
    const next = Math.min(samples.length, pause.to) - LONGEST_PAUSE / 2;
    if (next <= to) continue;
    parts.push(samples.subarray(from, to));
    length += to - from;
    cuts.push({ at: length, removed: next - to });
    from = next;
  }
  if (cuts.length === 0) return { samples, cuts };
  parts.push(samples.subarray(from));
  const out = new Float32Array(length + samples.length - from);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return { samples: out, cuts };
}

/**
 * Converts the marks of a condensed sound to the clock of the original one of `length` samples; pauses are marked as
 * silence.
 */
export function expand({ phonemes, words, named }: Marks, { cuts }: Condensed, length: number): Marks {
  const startOf = (sample: number): number =>
    cuts.reduce((sum, { at, removed }) => (at <= sample ? sum + removed : sum), sample);
  const endOf = (sample: number): number =>
    cuts.reduce((sum, { at, removed }) => (at < sample ? sum + removed : sum), sample);
  return {
    phonemes: withSilence(
      // A phone across a cut is placed in the longer of its two parts, because it does not last through a pause.
      phonemes.map((mark) => {
        const cut = cuts.find(({ at }) => at > mark.start && at < mark.end);
        if (cut === undefined) return { ...mark, start: startOf(mark.start), end: endOf(mark.end) };
        const isBefore = cut.at - mark.start > mark.end - cut.at;
        return isBefore
          ? { ...mark, start: startOf(mark.start), end: endOf(cut.at) }
          : { ...mark, start: startOf(cut.at), end: endOf(mark.end) };
      }),
      length,
    ),
    words: words.map((word) => {
      const start = startOf(word.start);
      return { ...word, start, end: Math.max(start, endOf(word.end)) };
    }),
    ...(named && { named: named.map((mark) => ({ ...mark, at: startOf(mark.at) })) }),
  };
}

function withSilence(phonemes: readonly PhonemeMark[], length: number): PhonemeMark[] {
  let last = 0;
  const gap = (to: number): PhonemeMark[] =>
    to - last > SILENCE ? [{ phone: '', stress: 0, start: last, end: to }] : [];
  const out = phonemes.flatMap((mark) => {
    const before = gap(mark.start);
    last = Math.max(last, mark.end);
    return [...before, mark];
  });
  return [...out, ...gap(length)];
}
