import type { Pcm } from '../../audio.js';
import { SAMPLE_RATE } from '../../time.js';
import type { Marks, PhonemeMark } from '../contract.js';
import { levelsOf, pausesOf } from './levels.js';

/** Pauses are shortened to this: a reading voice makes none that are longer, and warping expects about the same. */
export const LONGEST_PAUSE = 0.3 * SAMPLE_RATE;

/** A gap between two sounds that is marked as silence rather than as slack of their times, in samples. */
const SILENCE = 0.03 * SAMPLE_RATE;

/** A sound whose long pauses are shortened. */
export interface Condensed {
  readonly samples: Pcm;
  /** Places in `samples` at which something was taken out, and how much, in order. */
  readonly cuts: readonly { readonly at: number; readonly removed: number }[];
}

/** Shortens the pauses of a recording: people think, turn pages and cough for seconds. */
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

/** Marks of a condensed sound on the clock of the whole one of `length` samples; silence is marked where nothing is said. */
export function expand({ phonemes, words, named }: Marks, { cuts }: Condensed, length: number): Marks {
  const startOf = (sample: number): number =>
    cuts.reduce((sum, { at, removed }) => (at <= sample ? sum + removed : sum), sample);
  const endOf = (sample: number): number =>
    cuts.reduce((sum, { at, removed }) => (at < sample ? sum + removed : sum), sample);
  return {
    phonemes: withSilence(
      // A sound across a cut is in the longer of its two parts: a mouth does not stay closed through a pause.
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
