import type { Language } from '../language.js';
import { type Figures, formOf, genderFrom, sayFigures } from './numbers.js';

/** A word or an abbreviation after figures, or two words: `mil millones`. */
const WORDS = /^[\s\u00a0\u202f]?(\p{L}{1,12}(?:[\s\u00a0]\p{L}{4,10}(?!\p{L}))?)/u;

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

/** A multiple of the language after figures. */
export function multipleAt(text: string, { multiples }: Language): { word: string; length: number } | undefined {
  const [all = '', written = ''] = WORDS.exec(text) ?? [];
  const first = /^\p{L}*/u.exec(written)?.[0] ?? '';
  const key = [written, first].find((each) => Object.hasOwn(multiples, each)) ?? '';
  const end = all.length - written.length + key.length;
  if (key === '' || /^[\p{L}\d]/u.test(text.slice(end))) return undefined;
  const isDotted = key.length > 1 && multiples[key] !== key && text[end] === '.';
  return { word: multiples[key] ?? key, length: end + (isDotted ? 1 : 0) };
}
