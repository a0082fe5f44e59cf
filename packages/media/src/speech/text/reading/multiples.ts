import type { Language } from '../language.js';
import { type Figures, formOf, genderFrom, sayFigures } from './numbers.js';

const MULTIPLE =
  /^[\s\u00a0\u202f]?((?:thousand|hundred|million|billion|trillion|millions?|milliards?|Millionen|Million|Milliarden|Milliarde|millones|millón|mil millones|milioni|milione|miliardi|miliardo|milhões|milhão|bilhões|bilhão|mil|miljoen|miljard|milyon|milyar|bin)(?![\p{L}])|(?:Mio|Mrd|Mds?|Tsd|mln|mld|tys|тыс|млн|млрд)(?![\p{L}])\.?|(?:bn|mi|bi|[kKMBmb])(?![\p{L}\d]))/u;
const MULTIPLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // Slavic ones by plural category, with the gender, like the names of currencies.
  en: { k: 'thousand', K: 'thousand', m: 'million', M: 'million', b: 'billion', B: 'billion', bn: 'billion' },
  de: { Mio: 'Millionen', Mrd: 'Milliarden', Tsd: 'Tausend' },
  fr: { M: 'millions', k: 'mille', Md: 'milliards', Mds: 'milliards' },
  es: { M: 'millones', k: 'mil' },
  pt: { mi: 'milhões', bi: 'bilhões' },
  it: { mln: 'milioni', mld: 'miliardi' },
  nl: { mln: 'miljoen', mld: 'miljard' },
  pl: {
    mln: 'milion/miliony/milionów/miliona:m',
    mld: 'miliard/miliardy/miliardów/miliarda:m',
    tys: 'tysiąc/tysiące/tysięcy/tysiąca:m',
  },
  ru: {
    млн: 'миллион/миллиона/миллионов/миллиона:m',
    млрд: 'миллиард/миллиарда/миллиардов/миллиарда:m',
    тыс: 'тысяча/тысячи/тысяч/тысячи:f',
  },
};

/** The dash in place of coins: `5,- €`, `12,– Euro`, `5.– Fr.` */
export function noCoins(text: string, { fraction }: Figures): string {
  return fraction === '' ? (/^[.,][-–—]{1,2}(?![\d-])/u.exec(text)?.[0] ?? '') : '';
}

/** `three million`, with the plural and the gender of languages that have them: `dwa tysiące`, `две тысячи`. */
export function sayMultiple(figures: Figures, word: string, language: Language): string {
  const isInflected = word.includes('/');
  const amount = sayFigures(figures, language, isInflected ? genderFrom(word) : 'masculine');
  return `${amount} ${isInflected ? formOf(word, figures, language) : word}`;
}

/** A multiple after figures. `isAfterSign`: of a currency. */
export function multipleAt(
  text: string,
  { code }: Language,
  isAfterSign: boolean,
): { word: string; length: number } | undefined {
  const [all = '', sign = ''] = MULTIPLE.exec(text) ?? [];
  if (all === '') return undefined;
  const key = sign.replace(/\.$/u, '');
  const word = MULTIPLES[code]?.[key];
  if (word !== undefined) return { word, length: all.length };
  // A single letter counts only if the language uses it, after a currency sign.
  return key.length < 3 || (!isAfterSign && key.endsWith('.')) ? undefined : { word: key, length: all.length };
}
