import { concatPcm, type Pcm, silence } from '../audio.js';
import type { Utterance } from '../speech/contract.js';
import { secondsToSamples } from '../time.js';

/** A stretch of a slide's speech: words to speak, `start` their UTF-16 offset in the speech, or silence. */
export type ScriptPart =
  | { readonly kind: 'text'; readonly text: string; readonly start: number }
  | { readonly kind: 'pause'; readonly samples: number };

/** The one tag that speech understands (SSML 1.1, clause 3.2.3); all else is spoken as it stands. */
const BREAK =
  /<break(?:\s+(?:time\s*=\s*["']?(\d+(?:\.\d+)?)\s*(ms|s)["']?|strength\s*=\s*["']?([a-z-]+)["']?))?\s*\/?>(?:\s*<\/break>)?/gi;
const LONGEST_PAUSE_SECONDS = 30;
const STRENGTHS: Readonly<Record<string, number>> = {
  none: 0,
  'x-weak': 0.1,
  weak: 0.25,
  medium: 0.5,
  strong: 0.8,
  'x-strong': 1.2,
};

/** Cuts a slide's speech at its `<break time="1s"/>` tags. Parts without letters or digits are left out. */
export function parseScript(speech: string): ScriptPart[] {
  const parts: ScriptPart[] = [];
  const add = (start: number, end: number): void => {
    const text = speech.slice(start, end);
    if (/[\p{L}\p{N}]/u.test(text)) parts.push({ kind: 'text', text, start });
  };
  let at = 0;
  for (const match of speech.matchAll(BREAK)) {
    add(at, match.index);
    parts.push({ kind: 'pause', samples: secondsToSamples(pauseSeconds(match)) });
    at = match.index + match[0].length;
  }
  add(at, speech.length);
  return parts;
}

function pauseSeconds([, amount, unit, strength]: RegExpMatchArray): number {
  if (amount === undefined) return STRENGTHS[strength?.toLowerCase() ?? 'medium'] ?? 0.5;
  return Math.min(LONGEST_PAUSE_SECONDS, Number(amount) / (unit?.toLowerCase() === 'ms' ? 1000 : 1));
}

/** `speech` with its tags blanked out, every other character at its old offset. */
export function withoutBreaks(speech: string): string {
  return speech.replace(BREAK, (tag) => ' '.repeat(tag.length));
}

/**
 * One utterance out of a script's parts. `spoken` has an entry for each text part in order; word offsets of the result
 * count in the whole speech.
 */
export function joinScript(parts: readonly ScriptPart[], spoken: readonly Utterance[]): Utterance {
  const pieces: Pcm[] = [];
  const words: Utterance['marks']['words'][number][] = [];
  const phonemes: Utterance['marks']['phonemes'][number][] = [];
  const rest = [...spoken];
  let at = 0;
  for (const part of parts) {
    const utterance = part.kind === 'text' ? rest.shift() : undefined;
    const samples = part.kind === 'pause' ? silence(part.samples) : utterance?.samples;
    if (samples === undefined) throw new RangeError(`a script of ${parts.length} parts lacks speech for one of them`);
    const shift = at;
    if (part.kind === 'text' && utterance !== undefined) {
      const { marks } = utterance;
      phonemes.push(...marks.phonemes.map((mark) => ({ ...mark, start: mark.start + shift, end: mark.end + shift })));
      for (const mark of marks.words) {
        words.push({
          ...mark,
          textStart: mark.textStart + part.start,
          textEnd: mark.textEnd + part.start,
          start: mark.start + shift,
          end: mark.end + shift,
        });
      }
    } else phonemes.push({ phone: '', stress: 0, start: shift, end: shift + samples.length });
    pieces.push(samples);
    at += samples.length;
  }
  return { samples: concatPcm(pieces), marks: { phonemes, words } };
}
