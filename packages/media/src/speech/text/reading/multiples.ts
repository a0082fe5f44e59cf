import type { Language } from '../language.js';
import { type Figures, formOf, genderFrom, sayFigures } from './numbers.js';

const MULTIPLE =
  /^[\s\u00a0\u202f]?((?:thousand|hundred|million|billion|trillion|millions?|milliards?|Millionen|Million|Milliarden|Milliarde|millones|millón|mil millones|milioni|milione|miliardi|miliardo|milhões|milhão|bilhões|bilhão|mil|miljoen|miljard|milyon|milyar|bin)(?![\p{L}])|(?:Mio|Mrd|Mds?|Tsd|mln|mld|tys|тыс|млн|млрд)(?![\p{L}])\.?|(?:bn|mi|bi|[kKMBmb])(?![\p{L}\d]))/u;

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
  { multiples }: Language,
  isAfterSign: boolean,
): { word: string; length: number } | undefined {
  const [all = '', sign = ''] = MULTIPLE.exec(text) ?? [];
  if (all === '') return undefined;
  const key = sign.replace(/\.$/u, '');
  const word = multiples[key];
  if (word !== undefined) return { word, length: all.length };
  // A single letter counts only if the language uses it, after a currency sign.
  return key.length < 3 || (!isAfterSign && key.endsWith('.')) ? undefined : { word: key, length: all.length };
}
