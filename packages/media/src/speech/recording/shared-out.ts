import type { Pcm } from '../../audio.js';
import type { Marks } from '../contract.js';
import type { SpokenPhone } from '../engines/sentence.js';
import type { TextToken } from '../text/reading/tokens.js';
import { condense, expand } from './condensed.js';
import { marksBySentence, piecesOf, sentencesIn } from './script-sentences.js';

/**
 * Words of a recording in a language without a reference voice: the time between pauses is distributed by the number of
 * letters. Sufficient for subtitles, but not for mouth shapes.
 */
export async function shareOutWords(samples: Pcm, script: string, signal: AbortSignal): Promise<Marks> {
  const condensed = condense(samples);
  const pieces = piecesOf(script);
  const tokens = sentencesIn(pieces, UNKNOWN).flatMap((sentence) => sentence.tokens);
  const perLetter = condensed.samples.length / tokens.reduce((sum, token) => sum + lettersOf(token), 0);
  let letters = 0;
  const marks = await marksBySentence(pieces, { locale: UNKNOWN, signal }, async (sentence) => {
    const begin = Math.round(letters * perLetter);
    const phones = sentence.tokens.map((token, index): SpokenPhone => {
      const start = Math.round(letters * perLetter) - begin;
      letters += lettersOf(token);
      return { phone: '', stress: 0, start, end: Math.round(letters * perLetter) - begin, token: index };
    });
    return { samples: condensed.samples.subarray(begin, Math.round(letters * perLetter)), phones };
  });
  return { ...expand(marks, condensed, samples.length), phonemes: [] };
}

/** BCP 47 tag for an unknown language: texts are split into words by the rules that all languages share. */
const UNKNOWN = 'und';

function lettersOf({ text }: TextToken): number {
  return Math.max(1, text.replace(/[^\p{L}\p{M}\p{N}]+/gu, '').length);
}
