import type { SpeechOptions } from '../contract.js';
import { composed } from './composed.js';
import { abbreviationsOf, clockOf, type Language, languageOf } from './language.js';
import type { Saying } from './piece.js';
import { type Reading, type TextPosition, WINDOW } from './place.js';
import { pronounced } from './pronunciations.js';
import { readAddress } from './reading/addresses.js';
import { readWeekdays } from './reading/dates.js';
import { beginsWithCurrency } from './reading/money.js';
import { readNumber, readSign, readWord } from './reading/reader.js';
import { sayAs } from './reading/say-as.js';
import { isLatin, transliterated } from './reading/scripts.js';
import { elisionAt, plain, type TextToken, UNSPACED } from './reading/tokens.js';
import { phrased, quickStarted, type Sentence, splitSentences } from './sentences.js';
import { isListed } from './word-list.js';

/** Options of the preparation. */
interface Preparation extends Pick<SpeechOptions, 'pronunciations' | 'sayings' | 'isContinued'> {
  /** Splits a long first sentence into phrases, so that a local engine returns its first sound sooner. */
  readonly quickStart?: boolean;
  /** The same for an engine that has no sound before the whole phrase: the maximum words of the first ones. */
  readonly firstWords?: readonly number[];
}

/**
 * Prepares a text for an engine lazily, sentence by sentence, so that a long one starts at once. Each token gets its spoken form: from
 * the pronunciations of the options first; otherwise figures, dates, amounts of money, abbreviations, addresses and signs become words
 * of the locale (BCP 47) if its language has rules. Letters of any Unicode form are read alike.
 */
export function* prepareSentences(
  text: string,
  locale: string,
  preparation: Preparation,
): Generator<Sentence, void, void> {
  const form = composed(text);
  if (form === undefined) return yield* prepareComposed(text, locale, preparation);
  const sayings = preparation.sayings?.map((saying) => ({
    ...saying,
    from: form.offsetOf(saying.from),
    to: form.offsetOf(saying.to),
  }));
  for (const sentence of prepareComposed(form.text, locale, { ...preparation, ...(sayings && { sayings }) })) {
    const tokens = sentence.tokens.map((token) => {
      const { start, end } = form.rangeOf(token.start, token.end);
      const mark = token.mark && { ...token.mark, ...form.rangeOf(token.mark.start, token.mark.end) };
      return { ...token, text: text.slice(start, end), start, end, ...(mark && { mark }) };
    });
    yield { ...sentence, tokens };
  }
}

function* prepareComposed(
  text: string,
  locale: string,
  { pronunciations, sayings = [], quickStart, firstWords, isContinued }: Preparation,
): Generator<Sentence, void, void> {
  const language = languageOf(locale);
  const dictionary = pronunciations ?? {};
  const inScript = isLatin(locale) ? transliterated : (spoken: string) => spoken;
  const sayAll = (tokens: readonly TextToken[]): TextToken[] => {
    const out: TextToken[] = [];
    while (out.length < tokens.length) {
      const index = out.length;
      const own: SpokenForm | undefined =
        asked(text, { tokens, index, sayings, language }) ??
        pronounced(text, { tokens, index, dictionary }) ??
        (language === undefined ? expanded(text, { tokens, index, locale }) : read(text, { tokens, index, language }));
      const covered = tokens.slice(index, index + (own?.tokens ?? 1));
      const said = own?.spoken ?? tokens[index]!.spoken;
      // The reading of figures may include a sign after them: `5 - 3 = 2`.
      const { mark, end } = covered.at(-1)!;
      const spoken = inScript(said !== '' && mark && mark.start >= (own?.end ?? end) ? said + mark.signs : said);
      // The first of several tokens gets their common spoken form.
      const ipa = own?.ipa === undefined ? {} : { ipa: own.ipa };
      out.push(
        ...covered.map((token, at) => ({
          ...token,
          ...prosodyAt(token, sayings),
          ...(at === 0 ? { spoken, ...ipa } : { spoken: '' }),
        })),
      );
    }
    return out;
  };
  let isFirst = isContinued !== true;
  for (const sentence of splitSentences(text, locale)) {
    const parts = isFirst && quickStart ? quickStarted(sentence) : [sentence];
    for (const part of parts) {
      const read = { ...part, tokens: sayAll(part.tokens) };
      yield* isFirst && firstWords ? phrased(read, firstWords) : [read];
    }
    isFirst = false;
  }
}

/** Spoken form of one or more tokens. */
interface SpokenForm {
  readonly spoken: string;
  readonly tokens: number;
  /** Offset in the text after what it covers, if that is more than the tokens. */
  readonly end?: number;
  readonly ipa?: string;
}

/** Spoken form of tokens with an SSML instruction; punctuation around them is kept. */
function asked(
  text: string,
  { tokens, index, sayings, language }: Preparing & { readonly sayings: readonly Saying[] },
): SpokenForm | undefined {
  const token = tokens[index]!;
  const saying = sayings.find(
    ({ kind, from, to }) => kind !== 'prosody' && from < token.end && to > token.start && from < to,
  );
  if (saying === undefined) return undefined;
  const { from, to } = saying;
  // An earlier token has spoken the whole instruction, also when a sentence seems to end inside it.
  if (/\S/u.test(text.slice(from, token.start))) return { spoken: '', tokens: 1 };
  let last = index;
  while (last + 1 < tokens.length && tokens[last + 1]!.start < to) last++;
  const said = saidFor(saying, text.slice(from, to), language);
  const around = [
    text.slice(token.start, Math.max(token.start, from)),
    text.slice(to, Math.max(to, tokens[last]!.end)),
  ];
  return {
    spoken: plain(`${around[0]}${said}${around[1]}`),
    tokens: last - index + 1,
    end: to,
    ...(saying.kind === 'phones' ? { ipa: saying.ipa } : {}),
  };
}

/** Spoken form of an abbreviation or a time in a language without rules; a full stop at the end of the sentence stays. */
function expanded(
  text: string,
  { tokens, index, locale }: { tokens: readonly TextToken[]; index: number; locale: string },
): SpokenForm | undefined {
  const { start } = tokens[index]!;
  const before = tokens[index - 1]?.text;
  const found = abbreviationsOf(locale).find(text, start, before);
  if (found === undefined) return clocked(tokens[index]!.spoken, { before, locale });
  let last = index;
  while (last + 1 < tokens.length && tokens[last + 1]!.start < found.end) last++;
  const { end } = tokens[last]!;
  const stop = last === tokens.length - 1 && end <= found.end ? '.' : '';
  return { spoken: plain(`${found.words}${text.slice(found.end, end)}${stop}`), tokens: last - index + 1, end };
}

/** Times with a space in the place of their sign, which an engine reads as two numbers: `14.30` after `kl.`, `14:30` anywhere. */
function clocked(
  written: string,
  { before, locale }: { before: string | undefined; locale: string },
): SpokenForm | undefined {
  const clock = clockOf(locale);
  if (clock === undefined) return undefined;
  const isTime = isListed(clock, before);
  const spoken = written.replace(
    /(?<![\d.,:])(\d{1,2})([.:])([0-5])(\d)(?![\d:]|[.,]\d)/gu,
    (all, hours: string, sign: string, tens: string, ones: string) => {
      if (Number(hours) > 24 || (sign === '.' && !isTime)) return all;
      const minutes = tens === '0' ? (ones === '0' ? '' : ` 0 ${ones}`) : ` ${tens}${ones}`;
      return `${Number(hours)}${minutes}`;
    },
  );
  return spoken === written ? undefined : { spoken, tokens: 1 };
}

function saidFor(saying: Saying, written: string, language: Language | undefined): string {
  if (saying.kind === 'phones') return written;
  if (saying.kind === 'words') return sayPlain(saying.words, language);
  const words = saying.kind === 'as' ? sayAs(written, saying, language) : undefined;
  // Single letters must not be read as Roman numerals; a date still needs the rules.
  const isFinal = words !== undefined && !(saying.kind === 'as' && saying.as === 'date');
  return isFinal ? words : sayPlain(words ?? written, language);
}

/** A text in words by the language's rules. */
function sayPlain(text: string, language: Language | undefined): string {
  if (language === undefined) return text;
  return [...prepareSentences(text, language.locale, {})]
    .flatMap(({ tokens }) => tokens.map(({ spoken }) => spoken))
    .filter((spoken) => spoken !== '')
    .join(' ');
}

function prosodyAt({ start, end }: TextToken, sayings: readonly Saying[]): Pick<TextToken, 'prosody'> {
  const middle = (start + end) / 2;
  for (const saying of sayings) {
    if (saying.kind === 'prosody' && saying.from <= middle && saying.to >= middle) return { prosody: saying.prosody };
  }
  return {};
}

/** A position in the tokens of a sentence. */
interface Preparing {
  readonly tokens: readonly TextToken[];
  readonly index: number;
  readonly language: Language | undefined;
}

/** A text up to a script without spaces, where figures and Latin words are followed by others without a space. */
function sameScript(text: string): string {
  const end = text.search(UNSPACED);
  return end <= 0 ? text : text.slice(0, end);
}

/** Maximum characters of an address. */
const LONGEST_TOKEN = 2100;

/** Spoken form of a token and the following ones that belong to the same number, date or abbreviation. */
function read(
  text: string,
  { tokens, index, language }: { tokens: readonly TextToken[]; index: number; language: Language },
): SpokenForm | undefined {
  const limit = tokens.at(-1)!.end;
  let last = index;
  let at = tokens[index]!.start;
  let spoken = '';
  let closing = '';
  // `(vol. II`: brackets and quotation marks are not part of the word before.
  const [earlier, before] = [index - 2, index - 1].map((at) => tokens[at]?.text.replace(/^[([«„“‘¿¡]{1,3}(?=.)/u, ''));
  while (at < tokens[last]!.end) {
    const behind = text[at - 1] ?? '';
    const previous = UNSPACED.test(behind) ? '' : behind;
    const isStart = at === tokens[index]!.start || !/[\p{L}\p{N}]/u.test(previous);
    const rest = sameScript(text.slice(at, Math.min(limit, at + (isStart ? LONGEST_TOKEN : WINDOW))));
    // After figures, a straight quotation mark ends a quotation or means inches.
    const isMarked = /^\d[\d.,/]{0,9}"/u.test(rest);
    const surroundings = {
      ...(isMarked && { isQuoted: isInQuotation(text, at) }),
      isAfterWord: /\p{L}{2}$/u.test(text.slice(Math.max(0, at - 2), at)),
    };
    const reading = readAt({ rest, before, earlier, previous, language, ...surroundings }, { text, at, isStart });
    if (reading === undefined) {
      // French and Italian articles are separate from what follows: `L'art. 5`.
      const elided = elisionAt(rest, language);
      const [run = text[at] ?? ''] =
        elided !== ''
          ? [elided]
          : (/^(?:\p{L}[\p{L}\p{M}'’]{0,300}|.)/su.exec(rest.slice(0, tokens[last]!.end - at)) ?? []);
      spoken += run;
      at += run.length;
      closing = '';
      continue;
    }
    spoken += `${/[\p{L}\p{N}]$/u.test(spoken) ? ' ' : ''}${reading.words}`;
    at += reading.length;
    closing = reading.words !== '' && text[at - 1] === '.' ? '.' : '';
    while (last + 1 < tokens.length && tokens[last + 1]!.start < at) last++;
    if (/^[\p{L}\p{N}]/u.test(text.slice(at, at + 2)) && at < tokens[last]!.end) spoken += ' ';
  }
  // An abbreviation's own full stop is part of it; at the end of the sentence it also ends the sentence.
  if (last === tokens.length - 1) spoken += closing;
  const tidy = spoken.replace(/ {2,9}/gu, ' ').replace(/(?<=\() | (?=[.,;:!?)])/gu, '');
  return { spoken: plain(tidy), tokens: last - index + 1, end: at };
}

/** Characters before a position in which a quotation may have begun. */
const LONGEST_QUOTATION = 1000;

function isInQuotation(text: string, at: number): boolean {
  let isOpen = false;
  for (let n = Math.max(0, at - LONGEST_QUOTATION); n < at; n++) {
    // Outside a quotation, a mark after a figure means inches.
    if (text[n] === '"') isOpen = !isOpen && !/\d/u.test(text[n - 1] ?? '');
  }
  return isOpen;
}

function readAt(
  place: TextPosition,
  { text, at, isStart }: { text: string; at: number; isStart: boolean },
): Reading | undefined {
  const { rest, language, before, previous } = place;
  if (isStart && /^[\p{L}\p{N}@#]/u.test(rest)) {
    const days = readWeekdays(place);
    if (days) return days;
    const address = readAddress(place);
    if (address) return address;
    const abbreviation = /^\p{L}/u.test(rest) ? language.abbreviations.find(text, at, before) : undefined;
    if (abbreviation) return { words: abbreviation.words, length: abbreviation.end - at, closes: abbreviation.closes };
    const word = readWord(place);
    if (word) return word;
  }
  const short = { ...place, rest: rest.slice(0, WINDOW) };
  const isFigures = /^\d/u.test(rest) && !/\d/u.test(previous);
  const isSigned =
    (/^[-−–+#%‰§№('’½⅓⅔¼¾⅕⅖⅗⅘⅙⅛⅜⅝⅞]/u.test(rest) || beginsWithCurrency(rest.slice(0, WINDOW))) && isStart;
  const isFraction = isStart && language.decimal === '.' && /^\.\d/u.test(rest) && /^[^.]?$/u.test(previous);
  const number = isFigures || isSigned || isFraction ? readNumber(short) : undefined;
  if (number) return number;
  return readSign(short);
}
