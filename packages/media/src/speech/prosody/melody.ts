import type { SpokenSentence } from '../engines/spoken-sentence.js';
import { trimEnd } from '../text/trim.js';
import type { Shape } from './shape.js';

/** Pitch ratio from the last stressed vowel to the end of a yes/no question: eight semitones, minus the voices' own fall. */
const QUESTION_RISE = 1.6;

/** A statement's last fall begins a little above the voice's own melody. */
const FALL_ONSET = 1.04;

/** Question words: wh-questions have a falling melody, like statements. */
const QUESTION_WORD = /^(?:who|whom|whose|what|which|when|where|why|how)(?:'\w{1,3})?$/iu;

/** Input for the pitch contour at the end of a sentence. */
interface Ending {
  /** The sentence's tokens in the form for the engine. */
  readonly tokens: readonly string[];
  /** Pitch ratio at the end of a statement, relative to the voice's own; 1 for voices that fall by themselves. */
  readonly fall: number;
  /** Strength of the contour, 0 (none) … 1 (full). */
  readonly liveliness: number;
}

/** Pitch contour of the last word of an English sentence: rising in a yes/no question, otherwise falling; none for a clause. */
export function endingOf({ phones, samples }: SpokenSentence, { tokens, fall, liveliness }: Ending): Shape[] {
  const signs = trimEnd(tokens.findLast((token) => token !== '') ?? '', /["'”’)\]]/u);
  const isQuestion = signs.endsWith('?');
  if (!isQuestion && !/[.!…]$/u.test(signs)) return [];
  const rises = isQuestion && !tokens.slice(0, 2).some((token) => QUESTION_WORD.test(token));
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
