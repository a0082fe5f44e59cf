import type { Language } from '../language.js';
import { isListed, type Reading, type TextPosition } from '../place.js';
import { count } from './numbers.js';

/** An ordinal in words, in German inflected to agree with the word before it, or with the noun after it. */
export function sayOrdinal(value: number, { code, spellOut }: Language, before?: string, noun = ''): string {
  if (code !== 'de') return spellOut(value, 'ordinal', 'ordinal-masculine');
  if (/^(?:der|die|das|jede|diese)$/iu.test(before ?? '')) return spellOut(value, 'ordinal');
  const isAlone = before === undefined || /[.,:;(]$/u.test(before);
  if (isAlone && /(?:ung|heit|keit|schaft|tät|ion|e)$/u.test(noun)) return spellOut(value, 'ordinal');
  return spellOut(value, isAlone || /^(?:ein|kein|jeder|dieser)$/iu.test(before ?? '') ? 'ordinal-r' : 'ordinal-n');
}

/** Reads figures with an ordinal's ending: `21st`, `2e`, `1.º`, `3-й`, `3.` before a word in German and Turkish. */
export function readOrdinal(place: TextPosition): Reading | undefined {
  const { rest, language, before } = place;
  const { code, spellOut } = language;
  switch (code) {
    case 'en':
      return ending(/^(\d{1,6})(?:st|nd|rd|th)(?![\p{L}\d])/u.exec(rest), (value) => spellOut(value, 'ordinal'));
    case 'nl':
      return ending(/^(\d{1,4})(?:ste|de|e)(?![\p{L}\d])/u.exec(rest), (value) => spellOut(value, 'ordinal'));
    case 'fr':
      return (
        ending(/^(2)n(de?s?)(?![\p{L}\d])/u.exec(rest), (_, last) => `secon${last}`) ??
        ending(
          /^(\d{1,4})(?:ère|re|ʳᵉ)(s?)(?![\p{L}\d])/u.exec(rest),
          (value, last) => spellOut(value, 'ordinal-feminine') + last,
        ) ??
        ending(
          /^(\d{1,4})(?:er|ème|eme|e|ᵉʳ|ᵉ)(s?)(?![\p{L}\d])/u.exec(rest),
          (value, last) => spellOut(value, 'ordinal-masculine') + last,
        )
      );
    case 'es':
    case 'pt':
    case 'it':
      return (
        ending(/^(\d{1,4})\.?(?:ª|a\b)/u.exec(rest), (value) => spellOut(value, 'ordinal-feminine')) ??
        ending(/^(\d{1,4})\.?(?:er\b)/u.exec(rest), (value) =>
          spellOut(value, 'ordinal-masculine-adjective', 'ordinal-masculine'),
        ) ??
        ending(/^(\d{1,4})\.?(?:[º]|o\b|°(?![CF\d]))/u.exec(rest), (value) => spellOut(value, 'ordinal-masculine'))
      );
    case 'ru':
      return russianOrdinal(rest, language);
    case 'de':
      return (
        germanPair(place) ??
        ending(/^(\d{1,3})s?te([nrsm]?)(?!\p{L})/u.exec(rest), (value, last) =>
          spellOut(value, last === '' ? 'ordinal' : `ordinal-${last}`),
        ) ??
        ending(/^(\d{1,3})\.-(?=\p{Ll})/u.exec(rest), (value) => spellOut(value, 'ordinal').slice(0, -1)) ??
        ending(/^(\d{1,3})\.(?=[\s\u00a0\u202f]{1,2}\p{L})/u.exec(rest), (value) =>
          value < 1 ? String(value) : sayOrdinal(value, language, before, nounAfter(place)),
        )
      );
    case 'pl':
      return ending(/^(\d{1,3})\.(?=[\s\u00a0]\p{Ll})/u.exec(rest), (value) => polishOrdinal(value, place));
    case 'tr':
      return ending(/^(\d{1,3})\.(?=[\s\u00a0]\p{Ll})/u.exec(rest), (value) =>
        spellOut(value, 'ordinal', 'ordinal-masculine'),
      );
    default:
      return undefined;
  }
}

/** The first of two German ordinals before one noun: `3./4. Mai`, `3.–5. Mai`. */
function germanPair({ rest, language, before }: TextPosition): Reading | undefined {
  const [all = '', first = '', sign = ''] =
    /^([1-9]\d{0,2})\.[\s\u00a0]?([/–-])[\s\u00a0]?(?=[1-9]\d{0,2}\.[\s\u00a0]\p{L})/u.exec(rest) ?? [];
  if (all === '') return undefined;
  const noun = nounAfter({ rest: rest.slice(all.length), language });
  const link = sign === '/' ? ' ' : ` ${language.to} `;
  return { words: sayOrdinal(Number(first), language, before, noun) + link, length: all.length };
}

/** The word after figures with a full stop, without its abbreviation. */
function nounAfter({ rest, language }: Pick<TextPosition, 'rest' | 'language'>): string {
  const [head = '', word = ''] = /^\d+\.[\s\u00a0\u202f]{1,2}(\p{L}{1,40})/u.exec(rest) ?? [];
  return language.abbreviations.find(rest, head.length - word.length, undefined)?.words ?? word;
}

/**
 * In the gender of the noun after it, determined by its ending, and in the locative after `w`, `na`, `o`, `po`, `przy`.
 */
function polishOrdinal(value: number, { rest, before, language: { spellOut } }: TextPosition): string {
  const [, noun = ''] = /^\d+\.[\s\u00a0](\p{L}{2,30})/u.exec(rest) ?? [];
  if (/^(?:w|we|na|o|po|przy)$/iu.test(before ?? '')) {
    if (/(?:u|rze|ście)$/u.test(noun)) return spellOut(value, 'ordinal-masculine-locative');
    if (/[eiy]$/u.test(noun)) return spellOut(value, 'ordinal-feminine-locative');
  }
  if (/(?:a|ść)$/u.test(noun)) return spellOut(value, 'ordinal-feminine');
  return spellOut(value, /(?:o|e|ę|um)$/u.test(noun) ? 'ordinal-neuter' : 'ordinal-masculine');
}

/** `sayIt` gets the value and the second group of the match. */
function ending(match: RegExpExecArray | null, sayIt: (value: number, last: string) => string): Reading | undefined {
  if (match === null) return undefined;
  return { words: sayIt(Number(match[1]), match[2] ?? ''), length: match[0].length };
}

/** By the letters after the hyphen. */
const RUSSIAN_FORMS: Readonly<Record<string, string>> = {
  й: 'ordinal-masculine',
  я: 'ordinal-feminine',
  е: 'ordinal-neuter',
  го: 'ordinal-masculine-genitive',
  му: 'ordinal-masculine-dative',
  м: 'ordinal-masculine-prepositional',
  х: 'ordinal-plural-genitive',
};

function russianOrdinal(rest: string, { spellOut }: Language): Reading | undefined {
  const [all = '', figures = '', letters = ''] = /^(\d{1,4})-(й|я|е|го|му|м|х)(?!\p{L})/u.exec(rest) ?? [];
  const form = RUSSIAN_FORMS[letters];
  return form === undefined ? undefined : { words: spellOut(Number(figures), form), length: all.length };
}

const NUMERAL = /^(?=[IVXLC])(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?![\p{L}\d])/u;
function isNumeral(token: string): boolean {
  return NUMERAL.exec(token)?.[0] === token && token !== '';
}

const ROMAN: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 };

/** Reads Roman numerals if the words around them indicate them: `Louis XIV`, `Kapitel IV`, `siglo XXI`, `XXIe siècle`. */
export function readNumeral(place: TextPosition): Reading | undefined {
  const { rest, language, before, earlier } = place;
  const { code, spellOut } = language;
  const suffixed = /^([IVX]{1,7})(er|re|e|ème|ᵉʳ|ʳᵉ|ᵉ)(?![\p{L}\d])([\s\u00a0]s\.)?/u.exec(rest);
  if (code === 'fr' && suffixed && romanValue(suffixed[1] ?? '') > 0) {
    const form = /^(?:re|ʳᵉ)$/u.test(suffixed[2] ?? '') ? 'ordinal-feminine' : 'ordinal-masculine';
    const century = suffixed[3] === undefined ? '' : ' siècle';
    return { words: spellOut(romanValue(suffixed[1] ?? ''), form) + century, length: suffixed[0].length };
  }
  const [written = ''] = NUMERAL.exec(rest) ?? [];
  if (written === '') return undefined;
  const value = romanValue(written);
  const after = rest.slice(written.length);
  const [next = ''] = /^\.?[\s\u00a0](\p{L}{1,20})/u.exec(after)?.slice(1) ?? [];
  if (language.afterNumerals !== '' && next.toLowerCase().startsWith(language.afterNumerals)) {
    return { words: spellOut(value, 'ordinal', 'ordinal-masculine'), length: written.length };
  }
  const title = language.abbreviations.find(`${before} ${written}`, 0, undefined)?.words ?? before;
  // `chapters IV and V`; two single letters are letters.
  const isNext =
    /^(?:y|e|o|and|or|to|und|oder|bis|et|ou|à|a|al)$/u.test(before ?? '') &&
    isNumeral(earlier ?? '') &&
    Math.max(written.length, earlier?.length ?? 0) > 1;
  // `art. L. 121` is a letter.
  const isLetter = written.length === 1 && after.startsWith('. ');
  if (!isLetter && (isNext || isListed(language.beforeNumerals, title)))
    return { words: count(value, language), length: written.length };
  if (code === 'en' && /^War$/u.test(before ?? '')) return { words: count(value, language), length: written.length };
  const isName = /^\p{Lu}\p{Ll}{2,20}(?:-\p{Lu}\p{Ll}{2,20})?$/u.test(before ?? '');
  // A single letter after a name is more often an initial or a pronoun.
  if (
    !isName ||
    (written.length === 1 &&
      (written !== 'V' || code === 'en') &&
      !(written === 'I' && code !== 'en' && code !== 'it') &&
      !(written === 'X' && (code === 'fr' || code === 'es')))
  ) {
    return undefined;
  }
  return ruler(place, value, written);
}

/** Names of queens: those that end in `a`, and these. */
const QUEEN = /(?:[aа]|^(?:Elisabeth|Élisabeth|Isabel))$/u;

function ruler({ rest, language, before }: TextPosition, value: number, written: string): Reading {
  const { code, spellOut } = language;
  const gender = QUEEN.test(before ?? '') ? 'feminine' : 'masculine';
  const length = written.length;
  switch (code) {
    case 'en':
      return { words: `the ${spellOut(value, 'ordinal')}`, length };
    case 'de':
      return {
        words: `${gender === 'feminine' ? 'die' : 'der'} ${spellOut(value, 'ordinal')}`,
        length: length + (/^\.(?:[\s\u00a0]\p{L}|[,;:)])/u.test(rest.slice(length)) ? 1 : 0),
      };
    case 'nl':
      return { words: `de ${spellOut(value, 'ordinal')}`, length };
    case 'fr':
      return { words: value === 1 ? 'premier' : count(value, language), length };
    case 'es':
    case 'pt':
      return { words: value <= 10 ? spellOut(value, `ordinal-${gender}`) : count(value, language), length };
    default:
      return { words: spellOut(value, `ordinal-${gender}`, 'ordinal', 'ordinal-masculine'), length };
  }
}

function romanValue(numeral: string): number {
  const values = [...numeral].map((letter) => ROMAN[letter] ?? 0);
  return values.reduce((sum, value, index) => sum + (value < (values[index + 1] ?? 0) ? -value : value), 0);
}
