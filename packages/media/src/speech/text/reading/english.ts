import anyAscii from 'any-ascii';
import type { TextToken } from './tokens.js';

/**
 * Converts English tokens to plain ASCII for Flite: transliterates letters beyond ASCII, which it would not say, replaces
 * typographic marks by ASCII ones and signs by words. Token ranges stay unchanged. Flite itself expands numbers, dates,
 * currencies and common abbreviations.
 */
export function normaliseEnglish(tokens: readonly TextToken[]): readonly TextToken[] {
  return tokens.map((token) => ({ ...token, spoken: readable(token.spoken) }));
}

const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[‘’‚‛′`´]/gu, "'"],
  [/[“”„‟«»″]/gu, '"'],
  [/(?<=\d)½/gu, ' and a half'],
  [/½/gu, 'one half'],
  [/¼/gu, ' one quarter'],
  [/¾/gu, ' three quarters'],
  [/[–—―]+/gu, ', '],
  [/…/gu, '...'],
  [/&/gu, ' and '],
  [/\+/gu, ' plus '],
  [/±/gu, ' plus or minus '],
  [/×/gu, ' times '],
  [/÷/gu, ' divided by '],
  [/=/gu, ' equals '],
  [/°C\b/gu, ' degrees celsius'],
  [/°F\b/gu, ' degrees fahrenheit'],
  [/°/gu, ' degrees '],
  [/©/gu, ' copyright '],
  [/®|™/gu, ''],
];

function readable(spoken: string): string {
  let text = spoken;
  for (const [sign, words] of SIGNS) text = text.replace(sign, words);
  return text
    .replace(/[^\P{L}\x20-\x7e]\p{M}*|[^\P{N}\x20-\x7e]|\p{M}+/gu, (letter) => anyAscii(letter))
    .replace(/[^\x20-\x7e]+/gu, ' ')
    .replace(/ {2,}/gu, ' ')
    .trim();
}
