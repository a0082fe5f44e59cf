import type { SpeechOptions } from '../contract.js';
import { readInContext } from './context.js';
import { readAloud } from './normalise.js';
import { germanOrdinal } from './ordinals.js';
import { pronounced } from './pronunciations.js';
import { quickStarted, type Sentence, splitSentences } from './sentences.js';
import type { Token } from './tokens.js';

/** How a text is prepared. */
interface Preparation extends Pick<SpeechOptions, 'pronunciations'> {
  /** Cuts a long first sentence into phrases, so that an engine on this machine has its first sound sooner. */
  readonly quickStart?: boolean;
}

/**
 * A text ready for an engine, sentence by sentence as it is asked for, so that a long one begins at once: sentences whose tokens carry what is to be spoken for them. The pronunciations of the
 * options win; else figures, dates, sums of money and addresses become words of the locale (BCP 47).
 */
export function* prepareSentences(
  text: string,
  locale: string,
  { pronunciations, quickStart }: Preparation,
): Generator<Sentence, void, void> {
  const said = (tokens: readonly Token[], index: number): string => {
    const { spoken } = tokens[index]!;
    const context = { spoken, before: tokens[index - 1]?.spoken, after: tokens[index + 1]?.spoken };
    const words = readInContext(context, locale) ?? readAloud(spoken, locale);
    return locale.startsWith('de') ? withOrdinals(words, context) : words;
  };
  const dictionary = pronunciations ?? {};
  const sayAll = (tokens: readonly Token[]): Token[] => {
    const out: Token[] = [];
    while (out.length < tokens.length) {
      const index = out.length;
      const own = pronounced(text, { tokens, index, dictionary });
      const covered = tokens.slice(index, index + (own?.tokens ?? 1));
      const spoken = own?.spoken ?? said(tokens, index);
      // What one token says for several is heard at the first of them.
      out.push(...covered.map((token, at) => ({ ...token, spoken: at === 0 ? spoken : '' })));
    }
    return out;
  };
  let isFirst = quickStart === true;
  for (const sentence of splitSentences(text, locale)) {
    const parts = isFirst ? quickStarted(sentence) : [sentence];
    isFirst = false;
    for (const part of parts) yield { ...part, tokens: sayAll(part.tokens) };
  }
}

/** German days and ranks, which eSpeak reads as cardinals with a pause: `3.` inside a sentence, `3. April`. */
function withOrdinals(
  words: string,
  { before, after }: { before: string | undefined; after: string | undefined },
): string {
  const dated = germanDate(words, before);
  if (dated !== undefined) return dated;
  const [, figures, rest = ''] = /^(\d{1,2})\.( \p{L}.*)?$/su.exec(words) ?? [];
  if (figures === undefined || (rest === '' && after === undefined)) return words;
  const ordinal = germanOrdinal(Number(figures), before);
  return ordinal === undefined ? words : `${ordinal}${rest}`;
}

/** `12.04.` after a word that days follow. */
function germanDate(words: string, before: string | undefined): string | undefined {
  const [, day, month, rest = ''] = /^(\d{1,2})\.(\d{1,2})\.(\P{L}*)$/u.exec(words) ?? [];
  if (month === undefined || Number(month) > 12 || !/^(?:am|vom|zum|bis|ab|seit|der|den|dem|und)$/i.test(before ?? ''))
    return undefined;
  const ordinal = germanOrdinal(Number(day), before);
  const name = new Intl.DateTimeFormat('de', { month: 'long', timeZone: 'UTC' }).format(
    Date.UTC(2024, Number(month) - 1, 2),
  );
  return ordinal === undefined ? undefined : `${ordinal} ${name}${rest}`;
}
