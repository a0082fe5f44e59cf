import { splitAffixes } from '../../text/trim.js';
import type { SentenceOrder } from '../sentence.js';

/** Flite's phones by IPA; sounds that English lacks are replaced by the nearest one. */
const PHONES: Readonly<Record<string, string>> = {
  eɪ: 'ey',
  aɪ: 'ay',
  ɔɪ: 'oy',
  aʊ: 'aw',
  oʊ: 'ow',
  əʊ: 'ow',
  tʃ: 'ch',
  dʒ: 'jh',
  ts: 't s',
  ɛɹ: 'eh r',
  a: 'aa',
  ɑ: 'aa',
  ɒ: 'aa',
  æ: 'ae',
  ʌ: 'ah',
  ɐ: 'ah',
  ɔ: 'ao',
  ə: 'ax',
  ɚ: 'er',
  ɝ: 'er',
  ɜ: 'er',
  ɛ: 'eh',
  e: 'eh',
  ɪ: 'ih',
  i: 'iy',
  y: 'iy',
  ʏ: 'ih',
  ø: 'er',
  œ: 'er',
  o: 'ow',
  ʊ: 'uh',
  u: 'uw',
  ɯ: 'uw',
  ɨ: 'ih',
  b: 'b',
  d: 'd',
  f: 'f',
  ɡ: 'g',
  g: 'g',
  h: 'hh',
  ç: 'hh',
  x: 'k',
  k: 'k',
  q: 'k',
  c: 'k',
  l: 'l',
  ɫ: 'l',
  ʎ: 'l y',
  m: 'm',
  n: 'n',
  ɲ: 'n y',
  ŋ: 'ng',
  p: 'p',
  ɹ: 'r',
  r: 'r',
  ɾ: 'r',
  ʁ: 'r',
  s: 's',
  ʃ: 'sh',
  ʂ: 'sh',
  t: 't',
  θ: 'th',
  ð: 'dh',
  v: 'v',
  β: 'v',
  w: 'w',
  j: 'y',
  z: 'z',
  ʒ: 'zh',
  ʐ: 'zh',
};

const CODE_CONSONANTS = 'bdfghjklmnprstvz';
const CODE_VOWELS = 'aeiou';

/** Lexicon file of a run. */
export const ADDENDA = 'words.txt';

/**
 * The order's tokens, with a made-up word for each token with IPA, and lexicon entries for those words, which Flite reads with `-add_lex`. The
 * made-up word is derived from its sounds, so that equal words sound alike.
 */
export function spellSounds({ tokens, ipa }: Pick<SentenceOrder, 'tokens' | 'ipa'>): {
  readonly tokens: readonly string[];
  readonly addenda?: string;
} {
  if (ipa === undefined) return { tokens };
  const entries: string[] = [];
  const spelled = tokens.map((token, index) => {
    const phones = phonesOf(ipa[index] ?? '');
    if (phones.length === 0) return token;
    const word = nameOf(phones);
    entries.push(`${word} : ${phones.join(' ')}\n`);
    const [before, , after] = splitAffixes(token, SIGN, SIGN);
    return `${before}${word}${after}`;
  });
  return entries.length === 0 ? { tokens } : { tokens: spelled, addenda: entries.join('') };
}

const SIGN = /[\p{P}\p{S}]/u;

/** Phones with the stress of their syllable, in the lexicon's notation: `f ih1 g ax0`. */
function phonesOf(ipa: string): string[] {
  const out: string[] = [];
  let stress = 0;
  for (let at = 0; at < ipa.length; ) {
    const pair = ipa.slice(at, at + 2);
    const sign = Object.hasOwn(PHONES, pair) ? pair : (ipa[at] ?? '');
    at += sign.length;
    if (sign === 'ˈ' || sign === 'ˌ') stress = 1;
    for (const phone of (PHONES[sign] ?? '').split(' ').filter((name) => name !== '')) {
      const isNucleus = /^[aeiou]/u.test(phone);
      out.push(isNucleus ? `${phone}${stress}` : phone);
      if (isNucleus) stress = 0;
    }
  }
  return out;
}

/** A pronounceable word: Flite spells other words letter by letter and ignores the lexicon. */
function nameOf(phones: readonly string[]): string {
  const names = [...new Set(Object.values(PHONES).flatMap((phone) => phone.split(' ')))];
  return phones
    .map((phone) => {
      const code = 2 * names.indexOf(phone.replace(/\d$/u, '')) + (phone.endsWith('1') ? 1 : 0);
      return `${CODE_CONSONANTS[Math.floor(code / CODE_VOWELS.length)]}${CODE_VOWELS[code % CODE_VOWELS.length]}`;
    })
    .join('');
}
