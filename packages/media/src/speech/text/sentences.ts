import { abbreviationsOf, languageOf, monthsOf } from './language.js';
import { WINDOW } from './place.js';
import { weekdayAt } from './reading/dates.js';
import { beginsWithCurrency } from './reading/money.js';
import { elisionAt, type TextToken, tokenise, withMark } from './reading/tokens.js';
import { OPENING_SIGN, trimEnd } from './trim.js';
import { isListed } from './word-list.js';

/** Pause after a piece of text; `none` when the text was split only because of its length. */
export type Pause = 'none' | 'clause' | 'sentence' | 'paragraph';

/** The unit of synthesis: an engine speaks it in one call. `tokens` is not empty; their ranges are offsets in the whole text. */
export interface Sentence {
  readonly tokens: readonly TextToken[];
  readonly pause: Pause;
}

/** Maximum characters of a sentence; longer ones are split, which limits memory and the delay of first audio and aborts. */
const LONGEST = 240;

/**
 * Maximum spoken letters of a sentence, about 25 s of speech: 240 written characters are at most 20 s of words, but minutes of figures, signs
 * and abbreviations that are spelled.
 */
const LONGEST_SPOKEN = 360;

/** Letters that take as long to say as one sign that is spelled or named: a capital, a figure, a symbol, a character for a syllable. */
const NAME_LETTERS = 5;
const NAMED = /[\p{Lu}\p{N}\p{S}\p{Script=Han}\p{Script=Hangul}]|(?<=[b-df-hj-np-tv-xz]{4})[b-df-hj-np-tv-xz]/gu;

/**
 * Maximum characters of the first phrases of an utterance: the first words are ready after about 20 ms, and
 * each phrase plays for longer than the next one takes to compute.
 */
const FIRST_PHRASES = [50, 120] as const;
/** Minimum characters of a phrase. */
export const SHORTEST_PHRASE = 10;

/**
 * Splits a text lazily into sentences (Unicode sentence boundaries, without breaks after abbreviations and initials). Sentences over 240
 * characters are split at clause marks, otherwise between words, otherwise inside a word.
 */
export function* splitSentences(text: string, locale: string): Generator<Sentence, void, void> {
  const language = languageOf(locale);
  const abbreviations = abbreviationsOf(locale);
  let open: TextToken[] = [];
  let before: TextToken | undefined;
  let token: TextToken | undefined;
  // The end of the last abbreviation, which may be several tokens (`z. B.`), and whether a sentence may end with it.
  let abbreviated = { end: 0, closes: false };
  for (const next of shortTokens(text, locale)) {
    if (token !== undefined) {
      open.push(token);
      if (token.start >= abbreviated.end) {
        const start = token.start + (OPENING_SIGN.test(token.text[0] ?? '') ? 1 : 0);
        const elided = start + elisionAt(token.text.slice(start - token.start), language).length;
        const day = language && weekdayAt(text.slice(start, start + WINDOW), language);
        abbreviated =
          abbreviations.find(text, elided, before?.text) ??
          (day === undefined ? abbreviated : { end: start + day.length, closes: false });
      }
      const isWithin = token.start < abbreviated.end;
      const closes = isWithin && abbreviated.closes && token.end <= abbreviated.end + 1 && token.end >= abbreviated.end;
      const pause = pauseBetween(text, { token, before, next, isAbbreviated: isWithin && !closes, closes }, locale);
      if (pause === 'sentence' || pause === 'paragraph') {
        yield* cutLongSentence(open, pause);
        open = [];
      }
    }
    [before, token] = [token, next];
  }
  if (token !== undefined) yield* cutLongSentence([...open, token], 'sentence');
}

function* shortTokens(text: string, locale: string): Generator<TextToken, void, void> {
  for (const token of tokenise(text, locale)) yield* cutLongToken(token);
}

function pauseBetween(
  text: string,
  {
    token,
    before,
    next,
    isAbbreviated,
    closes,
  }: { token: TextToken; before: TextToken | undefined; next: TextToken; isAbbreviated: boolean; closes: boolean },
  locale: string,
): Pause {
  const gap = text.slice(token.end, next.start);
  if (/\n\s*\n/.test(gap)) return 'paragraph';
  const tail = `${token.text}${gap}`;
  if (/[\n\r]/.test(gap)) return 'sentence';
  if (/[。！？｡।॥։؟۔።]["'”’»)\]】』」]*\s*$/u.test(tail)) return 'sentence';
  if (!endsSentence(tail)) return 'none';
  if (/[!?]["'”’»)\]]*\s/u.test(tail)) return /^\p{Ll}/u.test(next.text) ? 'none' : 'sentence';
  const word = trimEnd(token.text.replace(/^\P{L}+/u, ''), /[."'”’»)\]]/u).toLowerCase();
  const isInitial = !closes && /^\p{L}$/u.test(word) && /^\P{L}*\p{Lu}/u.test(token.text);
  if (isOrdinal(token.text, [before?.text, next.text], locale)) return 'none';
  const endings = Object.keys(languageOf(locale)?.wordEndings ?? {});
  const isAmount = beginsWithCurrency(`${token.text} ${next.text}`);
  if (/^\d/u.test(next.text) && (isAmount || endings.some((ending) => token.text.endsWith(ending)))) return 'none';
  if (isAbbreviated || isInitial || /^[\p{Ll}&]/u.test(next.text)) return 'none';
  return 'sentence';
}

/** Whether a text ends with a sentence's final mark and white space, optionally followed by opening marks of the next sentence. */
function endsSentence(text: string): boolean {
  const written = text.trimEnd();
  if (/[.!?…]["'”’»)\]]*(?:\s»)?\s+["'“‘«([¿¡–—-]+$/u.test(written)) return true;
  return written.length < text.length && /[.!?…]["'”’»)\]]*(?:\s»)?$/u.test(written);
}

/** Whether `3.` or `3./4.` is the third rather than the end of a sentence: before a month, or after an article in German. */
function isOrdinal(text: string, [before, next]: readonly [string | undefined, string], locale: string): boolean {
  const { ordinalStop, ordinalNumerals, beforeOrdinals, afterOrdinals } = languageOf(locale) ?? {};
  if (ordinalNumerals === true && before === undefined && /^[IVX]{2,7}\.$/u.test(text)) return true;
  if (!/^(?:\d{1,3}\.[/–-])?\d{1,3}\.$/.test(text)) return false;
  const isListing = ordinalStop === 'any' && before?.endsWith(',') === true;
  if (isListing || isListed(beforeOrdinals, before) || isListed(afterOrdinals, /^\p{L}{1,6}\./u.exec(next)?.[0]))
    return true;
  const word = trimEnd(next.toLowerCase(), /\P{L}/u);
  return monthsOf(locale).some((month) => month.toLowerCase() === word);
}

function cutLongSentence(tokens: readonly TextToken[], pause: Pause): Sentence[] {
  return cutSentence({ tokens, pause }, LONGEST, (from, to) => tokens[to]!.end - tokens[from]!.start);
}

/** Splits a sentence whose words are too long when they are read out, such as one of figures, also inside a word. */
export function cutLongSpeech({ tokens: read, pause }: Sentence): Sentence[] {
  const tokens = read.flatMap(cutLongReading);
  let sum = 0;
  const before = tokens.map(({ spoken }) => {
    sum += spokenLetters(spoken);
    return sum - spokenLetters(spoken);
  });
  return cutSentence({ tokens, pause }, LONGEST_SPOKEN, (from, to) => (before[to + 1] ?? sum) - before[from]!);
}

function spokenLetters(spoken: string): number {
  return spoken.length + (NAME_LETTERS - 1) * (spoken.match(NAMED)?.length ?? 0);
}

/**
 * Splits a long sentence after the last clause mark that fits, otherwise after the last word that fits; words that are spoken with an earlier
 * one stay with it.
 * @param lengthOf from the token at an index to that at another, inclusive.
 */
function cutSentence(
  { tokens, pause }: Sentence,
  longest: number,
  lengthOf: (from: number, to: number) => number,
): Sentence[] {
  const parts: Sentence[] = [];
  let from = 0;
  while (from < tokens.length) {
    let to = from + 1;
    while (to < tokens.length && lengthOf(from, to) <= longest) to++;
    if (to === tokens.length) {
      parts.push({ tokens: tokens.slice(from), pause });
      break;
    }
    let clause = to;
    while (clause > from && !(isClauseEnd(tokens[clause - 1]!) && tokens[clause]!.spoken !== '')) clause--;
    const isClause = clause > from && lengthOf(from, clause - 1) > longest / 4;
    const end = isClause ? clause : to;
    parts.push({ tokens: tokens.slice(from, end), pause: isClause ? 'clause' : 'none' });
    from = end;
  }
  return parts;
}

/** Splits a long first sentence at clause marks into a short phrase, a longer one and the rest. */
export function quickStarted(first: Sentence): Sentence[] {
  const phrases: Sentence[] = [];
  let { tokens } = first;
  for (const longest of FIRST_PHRASES) {
    const start = tokens[0]!.start;
    const length = tokens.at(-1)!.end - start;
    const cut = tokens.findLastIndex(
      (token) => token.end - start <= Math.min(longest, length - SHORTEST_PHRASE) && isClauseEnd(token),
    );
    if (length <= longest || cut < 0 || tokens[cut]!.end - start < SHORTEST_PHRASE) continue;
    phrases.push({ tokens: tokens.slice(0, cut + 1), pause: 'clause' });
    tokens = tokens.slice(cut + 1);
  }
  return [...phrases, { tokens, pause: first.pause }];
}

/** Minimum words of a phrase, and of the rest after it. */
const FEWEST_WORDS = 3;

/**
 * Splits a first sentence that has been read into phrases of at most so many words and the rest: at a clause mark if one is among them, otherwise
 * between words that are spoken separately.
 */
export function phrased(first: Sentence, words: readonly number[]): Sentence[] {
  const phrases: Sentence[] = [];
  let { tokens } = first;
  for (const most of words) {
    const ends = tokens
      .slice(0, Math.max(0, Math.min(most, tokens.length - FEWEST_WORDS)))
      .flatMap((_, index) => (tokens[index + 1]?.spoken === '' || index + 1 < FEWEST_WORDS ? [] : [index]));
    const clause = ends.findLast((index) => isClauseEnd(tokens[index]!));
    const end = tokens.length <= most ? clause : (clause ?? ends.at(-1));
    if (end === undefined) continue;
    phrases.push({ tokens: tokens.slice(0, end + 1), pause: clause === undefined ? 'none' : 'clause' });
    tokens = tokens.slice(end + 1);
  }
  return [...phrases, { tokens, pause: first.pause }];
}

/** Whether a clause may end with the token: at a comma, a colon, a dash. */
export function isClauseEnd(token: TextToken): boolean {
  return /[,;:，、；：،؛—–][\p{Pe}\p{Pf}"']*$/u.test(withMark(token));
}

/** Splits a word over the maximum length (text without spaces), never inside a surrogate pair. */
function cutLongToken(token: TextToken): TextToken[] {
  if (token.text.length <= LONGEST) return [token];
  const pieces: TextToken[] = [];
  let at = 0;
  while (at < token.text.length) {
    let length = Math.min(LONGEST / 2, token.text.length - at);
    const unit = token.text.charCodeAt(at + length - 1);
    if (unit >= 0xd800 && unit < 0xdc00 && at + length < token.text.length) length--;
    const [piece] = tokenise(token.text.slice(at, at + length), 'en');
    if (piece) pieces.push({ ...piece, start: token.start + at + piece.start, end: token.start + at + piece.end });
    at += length;
  }
  const last = pieces.pop();
  if (last) pieces.push({ ...last, ...(token.mark && { mark: token.mark }) });
  return pieces;
}

/** Splits a word that is read out at length: its spoken form between words where possible, its range in proportion. */
function cutLongReading(token: TextToken): TextToken[] {
  if (spokenLetters(token.spoken) <= LONGEST_SPOKEN || token.ipa !== undefined) return [token];
  const { mark, ...plain } = token;
  const written = [...token.text];
  const readings = readingPieces(token.spoken);
  const offsetOf = (index: number): number =>
    written.slice(0, Math.round((index * written.length) / readings.length)).join('').length;
  return readings.map((spoken, index) => {
    const [from, to] = [offsetOf(index), offsetOf(index + 1)];
    const range = { text: token.text.slice(from, to), start: token.start + from, end: token.start + to };
    return { ...plain, ...range, spoken, ...(index === readings.length - 1 && mark && { mark }) };
  });
}

function readingPieces(spoken: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const word of spoken.match(/\S{1,60}\s*/gu) ?? []) {
    if (piece !== '' && spokenLetters(piece + word) > LONGEST_SPOKEN) {
      pieces.push(piece.trim());
      piece = '';
    }
    piece += word;
  }
  return [...pieces, piece.trim()];
}
