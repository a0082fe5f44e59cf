import { segmentsOf } from '@figurehead/contract/document/segments';
import type { Language } from '../language.js';
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
  /** Punctuation that stands alone after the token (` ?`): it is heard like a mark of the token itself. */
  readonly mark?: FreeMark;
}

/** Punctuation with white space before it: its signs without the spaces between them, and its range in the text. */
interface FreeMark {
  readonly signs: string;
  readonly start: number;
  readonly end: number;
}

/** Scripts that are written without spaces between words. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Matches a token that contains something speakable. */
const SPEAKABLE = /[\p{L}\p{N}\p{S}&%#@§‰]/u;

/** Punctuation that makes a pause or a question; a hyphen with spaces around it is a dash. */
const HEARD = /[\p{Terminal_Punctuation}…]{1,3}|\p{Pd}/u;

/** What separates words when it stands alone: a pause. */
const SEPARATOR = /^[/|¦·•]{1,2}$/u;

/** Maximum signs of a mark: others, such as those of a ruled line, sound the same. */
const LONGEST_MARK = 3;

/**
 * The words of a text in order: runs without white space, with their punctuation; in scripts without spaces the words of
 * the platform's dictionary. Punctuation that stands alone is the mark of the token before it in the same line.
 */
export function* tokenise(text: string, locale: string): Generator<TextToken, void, void> {
  let last: TextToken | undefined;
  for (const next of runs(text, locale)) {
    if (SPEAKABLE.test(next.text) && !SEPARATOR.test(next.text)) {
      if (last) yield last;
      last = next;
    } else if (last) last = marked(last, next, text);
  }
  if (last) yield last;
}

/** The token with the signs of a run of punctuation after it. */
function marked(token: TextToken, { text: run, start, end }: TextToken, text: string): TextToken {
  const before = endOf(token);
  const written = token.text + (token.mark?.signs ?? '');
  const isSeparator = SEPARATOR.test(run);
  const [sign = ''] = isSeparator ? [','] : (HEARD.exec(run) ?? []);
  const isPause = isSeparator || /^\p{Pd}/u.test(sign);
  // `Really? – Yes`: the dash adds nothing to another mark.
  if (sign === '' || (isPause && /[\p{Terminal_Punctuation}…\p{Pd}]["'”’»)\]]*$/u.test(written))) return token;
  if (/[\n\r]/u.test(text.slice(before, start))) return token;
  const signs = `${token.mark?.signs ?? ''}${sign === '-' ? '–' : sign}`.slice(0, LONGEST_MARK);
  return { ...token, mark: { signs, start: token.mark?.start ?? start, end } };
}

/** The end of a token with its mark, as an offset in the text. */
export function endOf({ end, mark }: TextToken): number {
  return mark?.end ?? end;
}

/** A token as it is written, with its mark. */
export function withMark({ text, mark }: TextToken): string {
  return text + (mark?.signs ?? '');
}

/** Runs without white space, or words of the dictionary; also those that consist of punctuation. */
function* runs(text: string, locale: string): Generator<TextToken, void, void> {
  for (const match of text.matchAll(/[^\s\p{Cc}]+/gu)) {
    for (const [start, end] of UNSPACED.test(match[0])
      ? dictionaryWords(match[0], locale)
      : [[0, match[0].length] as const]) {
      const word = match[0].slice(start, end);
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
export function elisionAt(text: string, language: Language | undefined): string {
  if (language?.elisions !== true) return '';
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
