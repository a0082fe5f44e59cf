import type { Prosody } from './piece.js';

/** A token of a text: a range of it in UTF-16 units, and what is to be read aloud for it. */
export interface Token {
  /** `text.slice(start, end)`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Plain words for an engine; `''` when another token already says it or nothing is to be said. */
  readonly spoken: string;
  /** Sounds in IPA that are said in place of the letters in `spoken`. */
  readonly ipa?: string;
  readonly prosody?: Prosody;
}

/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether there is something in the token that can be read aloud. */
const SPEAKABLE = /[\p{L}\p{N}\p{S}&%#@§‰]/u;

/**
 * The words of a text in order: runs without white space, with their punctuation; in scripts without spaces the words of
 * the platform's dictionary. Punctuation that stands alone belongs to no token.
 */
export function* tokenise(text: string, locale: string): Generator<Token, void, void> {
  for (const match of text.matchAll(/[^\s\p{Cc}]+/gu)) {
    for (const [start, end] of UNSPACED.test(match[0])
      ? dictionaryWords(match[0], locale)
      : [[0, match[0].length] as const]) {
      const word = match[0].slice(start, end);
      if (!SPEAKABLE.test(word)) continue;
      yield { text: word, start: match.index + start, end: match.index + end, spoken: plain(word) };
    }
  }
}

function dictionaryWords(run: string, locale: string): (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const { segment, index, isWordLike } of new Intl.Segmenter(locale, { granularity: 'word' }).segment(run)) {
    const last = ranges.at(-1);
    // Punctuation stays with the word before it, so that the tokens put together give back the text.
    if (!isWordLike && last && !/\p{S}/u.test(segment)) last[1] = index + segment.length;
    else ranges.push([index, index + segment.length]);
  }
  return ranges;
}

/**
 * The token without anything that an engine could take for markup or commands: angle and square brackets, braces, back
 * slashes, control and zero-width characters (joiners inside emoji stay).
 */
export function plain(word: string): string {
  return word
    .replaceAll('&', ' & ')
    .replace(/[<>[\]{}\\|`^~_*=]+/gu, ' ')
    .replace(/[\p{Cc}\u200B\u2060\uFEFF]+/gu, '')
    .trim();
}

/**
 * The text an engine is given for the spoken tokens: joined by spaces, except between tokens of scripts that have none.
 * `starts` holds each token's position in it, in UTF-16 units.
 */
export function joinSpoken(tokens: readonly string[]): { readonly text: string; readonly starts: readonly number[] } {
  let text = '';
  const starts = tokens.map((token) => {
    const isGlued = UNSPACED.test(token.slice(0, 2)) && UNSPACED.test(text.slice(-2));
    if (text !== '' && token !== '' && !isGlued) text += ' ';
    const start = text.length;
    text += token;
    return start;
  });
  return { text, starts };
}
