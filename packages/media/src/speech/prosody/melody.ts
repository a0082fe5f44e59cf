import type { SpokenSentence } from '../engines/spoken-sentence.js';
import { trimEnd } from '../text/trim.js';
import type { Shape } from './shape.js';

/** Ratio of the pitch at the end of a question that is answered by yes or no to that at its last stressed vowel: eight semitones, of which the fall of the voices themselves takes some. */
const QUESTION_RISE = 1.6;

/** A statement's last fall begins a little above the voice's own melody. */
const FALL_ONSET = 1.04;

/** Questions that ask for a thing fall like statements. */
const ASKS_FOR = /^(?:who|whom|whose|what|which|when|where|why|how)(?:'\w{1,3})?$/iu;

/** How a sentence ends in pitch. */
interface Ending {
  /** The sentence's tokens as the engine got them. */
  readonly tokens: readonly string[];
  /** Ratio of the pitch at the end of a statement to where the voice would be; 1 for voices that fall by themselves. */
  readonly fall: number;
  /** 1: as said here; 0: not at all. */
  readonly liveliness: number;
}

/** What the last word of an English sentence does: it rises in a question for yes or no, else it falls; a clause is left as it is. */
export function endingOf({ phones, samples }: SpokenSentence, { tokens, fall, liveliness }: Ending): Shape[] {
  const signs = trimEnd(tokens.findLast((token) => token !== '') ?? '', /["'”’)\]]/u);
  const isQuestion = signs.endsWith('?');
  if (!isQuestion && !/[.!…]$/u.test(signs)) return [];
  const rises = isQuestion && !tokens.slice(0, 2).some((token) => ASKS_FOR.test(token));
  if (!rises && fall === 1) return [];
  const last = phones.findLast(({ token }) => token >= 0)?.token;
  const word = phones.filter(({ token }) => token === last);
  const stressed = word.findIndex(({ phone, stress }) => stress === 1 && /^[aeiouæɑɔəɚɛɪʊʌ]/u.test(phone));
  const from = word[Math.max(0, stressed)]?.start;
  if (from === undefined) return [];
  const [first, end] = rises ? [1, QUESTION_RISE] : [FALL_ONSET, fall];
  const pitch = [first ** liveliness, end ** liveliness] as const;
  return [{ from, to: samples.length, pitch, range: 1, rate: 1, volume: 1 }];
}
