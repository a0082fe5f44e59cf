import type { Language } from './language.js';

/** A position in a text at which a number, a date or another form that is not read letter by letter may begin. */
export interface TextPosition {
  /** The text from this position on, at most {@link WINDOW} characters. */
  readonly rest: string;
  /** The token before it, as written; `undefined` at the beginning of a sentence. */
  readonly before: string | undefined;
  /** The token before {@link before}. */
  readonly earlier?: string | undefined;
  /** The character before it; `''` at the beginning of the text. */
  readonly previous: string;
  /** Whether it is inside straight quotation marks; absent where it makes no difference. */
  readonly isQuoted?: boolean;
  /** Whether a word is right before it; absent where it makes no difference. */
  readonly isAfterWord?: boolean;
  readonly language: Language;
}

/** Spoken words for a part of a text. */
export interface Reading {
  readonly words: string;
  /** Characters of {@link TextPosition.rest} that are covered. */
  readonly length: number;
  /** True for an abbreviation whose full stop may also end the sentence. */
  readonly closes?: boolean;
}

/** Characters that rules read ahead; only addresses are longer, with their own limit. */
export const WINDOW = 80;
