import type { PhonemeMark } from '../../contract.js';

/** A phone in the contract's notation. */
interface IpaPhone {
  readonly phone: string;
  readonly stress: PhonemeMark['stress'];
}

/** Symbols of eSpeak's own notation that the data of some languages does not translate, in IPA. */
const UNTRANSLATED: Readonly<Record<string, string>> = {
  't`': 'ʈ',
  'd`': 'ɖ',
  's^': 'ʃ',
  'n^': 'ɲ',
  S: 'ʃ',
  N: 'ŋ',
  A: 'ɑ',
  E: 'ɛ',
  g: 'ɡ',
  ε: 'ɛ',
};

/** IPA without stress, length, tone and tie marks, decomposed (NFD). */
export function bareIpa(symbol: string): string {
  return symbol
    .normalize('NFD')
    .replace(/[td]`|[sn]\^|[SNAEgε]/gu, (left) => UNTRANSLATED[left] ?? left)
    .replace(/[ˈˌːˑ.|‖_\-0-9˥˦˧˨˩'"*?!#[\]]|\u035C|\u0361/gu, '');
}

/** Whether an IPA symbol begins with a vowel: the nucleus of a syllable. */
function isIpaVowel(phone: string): boolean {
  return /^[aeiouyæøœɶɐɑɒɔəɘɚɛɜɝɞɤɨɪɯɵʉʊʌʏᵻᵊ]/u.test(phone);
}

/**
 * Phones of one utterance with the stress of their syllables. eSpeak marks stress at the vowel; the consonant right before
 * it, in the same word, counts as its onset. `words` has the word index of each symbol.
 */
export function ipaPhones(symbols: readonly string[], words: readonly number[]): IpaPhone[] {
  const out = symbols.map((symbol) => ({
    phone: bareIpa(symbol),
    stress: (symbol.includes('ˈ') ? 1 : symbol.includes('ˌ') ? 2 : 0) as PhonemeMark['stress'],
  }));
  for (let index = 1; index < out.length; index++) {
    const before = out[index - 1]!;
    const isOnset = before.phone !== '' && !isIpaVowel(before.phone) && words[index - 1] === words[index];
    if (out[index]!.stress !== 0 && isIpaVowel(out[index]!.phone) && isOnset) before.stress = out[index]!.stress;
  }
  return out;
}

/** IPA in eSpeak's own notation (the page `phonemes` of its documentation), for sounds with a different symbol. */
const MNEMONICS: Readonly<Record<string, string>> = {
  eɪ: 'eI',
  aɪ: 'aI',
  ɔɪ: 'OI',
  aʊ: 'aU',
  oʊ: 'oU',
  əʊ: 'oU',
  tʃ: 'tS',
  dʒ: 'dZ',
  ˈ: "'",
  ˌ: ',',
  ː: ':',
  ə: '@',
  ɚ: '3',
  ɝ: '3:',
  ɜ: '3:',
  æ: 'a',
  ʌ: 'V',
  ɐ: 'a',
  ɑ: 'A:',
  ɒ: '0',
  ɔ: 'O',
  ɛ: 'E',
  ɪ: 'I',
  ʊ: 'U',
  ø: 'Y',
  œ: 'W',
  ɨ: 'I',
  ɯ: 'u',
  ɹ: 'r',
  ɾ: 'r',
  ʁ: 'R',
  ʃ: 'S',
  ʒ: 'Z',
  θ: 'T',
  ð: 'D',
  ŋ: 'N',
  ɲ: 'n^',
  ʎ: 'l^',
  ç: 'C',
  ɡ: 'g',
  β: 'B',
};

/** IPA in the notation that the program reads between double brackets; `''` without sounds. */
export function mnemonics(ipa: string): string {
  return ipa
    .normalize('NFC')
    .replace(/(?:eɪ|aɪ|ɔɪ|aʊ|oʊ|əʊ|tʃ|dʒ)|[\s\S]/gu, (sign) => MNEMONICS[sign] ?? (/[a-zA-Z]/u.test(sign) ? sign : ''));
}
