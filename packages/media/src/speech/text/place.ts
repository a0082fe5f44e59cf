import type { Language } from './language.js';

/** A place in a text where something may be written that is not said as it is spelt. */
export interface Place {
  /** The text from there on, at most {@link WINDOW} characters. */
  readonly rest: string;
  /** The token before it, as written; `undefined` at the beginning of a sentence. */
  readonly before: string | undefined;
  /** The character before it; `''` at the beginning of the text. */
  readonly previous: string;
  readonly language: Language;
}

/** How something is said. */
export interface Reading {
  readonly words: string;
  /** Characters of {@link Place.rest} that this says. */
  readonly length: number;
  /** Whether it is an abbreviation whose full stop may end the sentence as well. */
  readonly closes?: boolean;
}

/** Characters that rules look at: longer constructs are addresses, which have their own limit. */
export const WINDOW = 80;

/** Whether one of the words of a list, with spaces between, is the token (`in` for `In`). */
export function isListed(words: string, token: string | undefined): boolean {
  return token !== undefined && words.split(' ').includes(token.toLowerCase().replace(/[,:]$/u, ''));
}
