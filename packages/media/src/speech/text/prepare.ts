import type { SpeechOptions } from '../contract.js';
import { readAloud } from './normalise.js';
import { type Sentence, splitSentences } from './sentences.js';
import type { Token } from './tokens.js';

/**
 * A text ready for an engine: sentences whose tokens carry what is to be spoken for them. The pronunciations of the
 * options win; else figures, dates, sums of money and addresses become words of the locale (BCP 47).
 */
export function prepareSentences(
  text: string,
  locale: string,
  { pronunciations }: Pick<SpeechOptions, 'pronunciations'>,
): Sentence[] {
  const said = (token: Token): string =>
    (pronunciations && pronounced(token.spoken, pronunciations)) ?? readAloud(token.spoken, locale);
  return splitSentences(text, locale).map((sentence) => ({
    ...sentence,
    tokens: sentence.tokens.map((token) => ({ ...token, spoken: said(token) })),
  }));
}

/** The spoken form of a word in the dictionary, with the punctuation around it; `undefined` when it is not in it. */
function pronounced(spoken: string, pronunciations: Readonly<Record<string, string>>): string | undefined {
  const [, before = '', word = '', after = ''] = /^([\p{P}\p{S}]*)(.*?)([\p{P}\p{S}]*)$/su.exec(spoken) ?? [];
  const key = word.toLowerCase();
  return Object.hasOwn(pronunciations, key) ? `${before}${pronunciations[key]}${after}` : undefined;
}
