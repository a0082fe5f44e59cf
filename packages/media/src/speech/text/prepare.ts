import type { SpeechOptions } from '../contract.js';
import { readInContext } from './context.js';
import { readAloud } from './normalise.js';
import { germanOrdinal } from './ordinals.js';
import { quickStarted, type Sentence, splitSentences } from './sentences.js';
import type { Token } from './tokens.js';

/** How a text is prepared. */
interface Preparation extends Pick<SpeechOptions, 'pronunciations'> {
  /** Cuts a long first sentence into phrases, so that an engine on this machine has its first sound sooner. */
  readonly quickStart?: boolean;
}

/**
 * A text ready for an engine: sentences whose tokens carry what is to be spoken for them. The pronunciations of the
 * options win; else figures, dates, sums of money and addresses become words of the locale (BCP 47).
 */
export function prepareSentences(
  text: string,
  locale: string,
  { pronunciations, quickStart }: Preparation,
): Sentence[] {
  const said = (tokens: readonly Token[], index: number): string => {
    const { spoken } = tokens[index]!;
    const context = { spoken, before: tokens[index - 1]?.spoken, after: tokens[index + 1]?.spoken };
    const own = pronunciations && pronounced(spoken, pronunciations);
    if (own !== undefined) return own;
    const words = readInContext(context, locale) ?? readAloud(spoken, locale);
    return locale.startsWith('de') ? withOrdinals(words, context) : words;
  };
  const sentences = splitSentences(text, locale);
  return (quickStart ? quickStarted(sentences) : sentences).map((sentence) => ({
    ...sentence,
    tokens: sentence.tokens.map((token, index) => ({ ...token, spoken: said(sentence.tokens, index) })),
  }));
}

/** German days and ranks, which eSpeak reads as cardinals with a pause: `3.` inside a sentence, `3. April`. */
function withOrdinals(
  words: string,
  { before, after }: { before: string | undefined; after: string | undefined },
): string {
  const [, figures, rest = ''] = /^(\d{1,2})\.( \p{L}.*)?$/su.exec(words) ?? [];
  if (figures === undefined || (rest === '' && after === undefined)) return words;
  const ordinal = germanOrdinal(Number(figures), before);
  return ordinal === undefined ? words : `${ordinal}${rest}`;
}

/** The spoken form of a word in the dictionary, with the punctuation around it; `undefined` when it is not in it. */
function pronounced(spoken: string, pronunciations: Readonly<Record<string, string>>): string | undefined {
  const [, before = '', word = '', after = ''] = /^([\p{P}\p{S}]*)(.*?)([\p{P}\p{S}]*)$/su.exec(spoken) ?? [];
  const key = word.toLowerCase();
  return Object.hasOwn(pronunciations, key) ? `${before}${pronunciations[key]}${after}` : undefined;
}
