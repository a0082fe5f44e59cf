import type { Sentence } from '../text/sentences.js';
import type { SpokenSentence } from './spoken-sentence.js';

/** Sound after the end of a head that its filters and fades need, in seconds. */
export const HEAD_MARGIN_SECONDS = 0.04;

/** The head of a sentence: its sound before `token`. */
export function headBefore({ samples, phones }: SpokenSentence, token: number): SpokenSentence {
  const end = phones.find((phone) => phone.token >= token)?.start ?? samples.length;
  return { samples: samples.slice(0, end), phones: phones.filter((phone) => phone.start < end) };
}

/** Number of the sentence's tokens in a head. */
export function tokensOf({ phones }: SpokenSentence): number {
  return phones.reduce((most, { token }) => Math.max(most, token + 1), 0);
}

/** The rest of a sentence after its head. */
export function afterHead(
  { sentence, spoken }: { sentence: Sentence; spoken: SpokenSentence },
  head: SpokenSentence,
): { sentence: Sentence; spoken: SpokenSentence } {
  const [from, tokens] = [head.samples.length, tokensOf(head)];
  const phones = spoken.phones
    .filter(({ end }) => end > from)
    .map((phone) => ({
      ...phone,
      start: Math.max(0, phone.start - from),
      end: phone.end - from,
      token: phone.token < 0 ? -1 : Math.max(0, phone.token - tokens),
    }));
  return {
    sentence: { ...sentence, tokens: sentence.tokens.slice(tokens) },
    spoken: { samples: spoken.samples.subarray(from), phones },
  };
}
