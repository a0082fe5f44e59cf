import { segmentsOf } from '@figurehead/contract/document/segments';
import type { Prosody } from '../piece.js';

/** A token of a text: its range in UTF-16 units and its spoken form. */
export interface TextToken {
  /** `text.slice(start, end)`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Plain words for an engine; `''` when another token covers it or it is silent. */
  readonly spoken: string;
  /** Phones in IPA that replace the letters of `spoken`. */
  readonly ipa?: string;
  readonly prosody?: Prosody;
}

/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Matches a token that contains something speakable. */
const SPEAKABLE = /[\p{L}\p{N}\p{S}&%#@§‰]/u;

/**
 * The words of a text in order: runs without white space, with their punctuation; in scripts without spaces the words of
 * the platform's dictionary. Separate punctuation is not part of any token.
 */
export function* tokenise(text: string, locale: string): Generator<TextToken, void, void> {
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
  const segmenter = new Intl.Segmenter(locale, { granularity: 'word' });
  for (const { segment, index, isWordLike } of segmentsOf(run, segmenter)) {
    const last = ranges.at(-1);
    // Punctuation is added to the word before it, so that the concatenated tokens equal the text.
    if (!isWordLike && last && !/\p{S}/u.test(segment)) last[1] = index + segment.length;
    else ranges.push([index, index + segment.length]);
  }
  return ranges;
}

/**
 * The token without characters that an engine could interpret as markup or commands: angle and square brackets, braces,
 * backslashes, control and zero-width characters (joiners inside emoji stay).
 */
export function plain(word: string): string {
  return word
    .replaceAll('&', ' & ')
    .replace(/[<>[\]{}\\|`^~_*=]+/gu, ' ')
    .replace(/[\p{Cc}\u200B\u2060\uFEFF]+/gu, '')
    .trim();
}

/** The French or Italian article or preposition at the beginning of a token: `L'` in `L'art.` */
export function elisionAt(text: string, locale: string): string {
  if (!/^(?:fr|it)(?:-|$)/u.test(locale)) return '';
  return /^(?:\p{L}|qu|dell|nell|sull|all)['’](?=\p{L})/iu.exec(text)?.[0] ?? '';
}

/**
 * An engine's input for the spoken tokens: joined by spaces, except in scripts without spaces. `starts` contains each token's
 * offset in it, in UTF-16 units.
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
