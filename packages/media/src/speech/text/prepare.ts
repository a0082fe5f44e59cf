import type { SpeechOptions } from '../contract.js';
import { readAloud } from './normalise.js';
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
  const said = (token: Token): string =>
    (pronunciations && pronounced(token.spoken, pronunciations)) ?? readAloud(token.spoken, locale);
  const sentences = splitSentences(text, locale);
  return (quickStart ? quickStarted(sentences) : sentences).map((sentence) => ({
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
