import type { Language } from '../language.js';
import type { Reading, TextPosition } from '../place.js';
import { isListed } from '../word-list.js';
import { count } from './numbers.js';
import { fill, formIn } from './phrases.js';

/** An ordinal in words, inflected to agree with the words around it in languages that do so. */
export function sayOrdinal(value: number, { agreement, spellOut }: Language, before?: string, noun = ''): string {
  const form = agreement === undefined ? 'ordinal' : formIn(agreement, before, noun);
  return spellOut(value, form, 'ordinal-masculine');
}

/** An ordinal without a noun: after an article it agrees with that, else it has a form of its own. */
function sayInner(value: number, language: Language, before: string | undefined): string {
  const { freeOrdinal, beforeOrdinals } = language;
  const isFree = freeOrdinal !== undefined && !isListed(beforeOrdinals, before);
  return isFree ? language.spellOut(value, freeOrdinal, 'ordinal') : sayOrdinal(value, language, before);
}

/** Figures and what is written right after them: `21st`, `1.º`, `3-й`. */
const ENDED = /^(\d{1,6})([.-]?[\p{L}°]{1,4})(?![\p{L}\d])/u;

/** Reads figures with an ordinal's ending, or with a full stop before a word: `21st`, `2e`, `1.º`, `3-й`, `3. Mai`. */
export function readOrdinal(place: TextPosition): Reading | undefined {
  const { rest, language, before } = place;
  const [all = '', figures = '', ending = ''] = ENDED.exec(rest) ?? [];
  const phrase = phraseFor(ending, language, figures);
  if (phrase !== undefined) return { words: fill(phrase, { n: Number(figures) }, language), length: all.length };
  if (language.ordinalStop === undefined) return undefined;
  const [stem = '', part = ''] = /^(\d{1,3})\.-(?=\p{Ll})/u.exec(rest) ?? [];
  if (stem !== '' && language.ordinalStem !== undefined)
    return { words: fill(language.ordinalStem, { n: Number(part) }, language), length: stem.length };
  // A full stop before another mark does not end a sentence: `als 1., sie als 2.`
  const [inner = ''] = /^\d{1,3}\.(?=[,;])/u.exec(rest) ?? [];
  if (inner !== '') return { words: sayInner(Number.parseInt(inner, 10), language, before), length: inner.length };
  const pair = readPair(place);
  if (pair !== undefined) return pair;
  const [stopped = '', value = '', next = ''] =
    /^(\d{1,3})\.(?:[\s\u00a0\u202f]{1,2}|['’](?=\p{Ll}))(\p{L})/u.exec(rest) ?? [];
  if (stopped === '' || (language.ordinalStop === 'lower' && !/\p{Ll}/u.test(next))) return undefined;
  const words = Number(value) < 1 ? value : sayOrdinal(Number(value), language, before, nounAfter(place));
  return { words, length: value.length + 1 };
}

/** The phrase of an ordinal's ending; one with its figures (`2nd`) comes first. */
function phraseFor(ending: string, { ordinals = {} }: Language, figures = ''): string | undefined {
  if (ending === '') return undefined;
  const own = ordinals[figures + ending];
  return own ?? Object.entries(ordinals).find(([endings]) => endings.split(' ').includes(ending))?.[1];
}

/** The first of two ordinals before one noun: `3./4. Mai`, `3.–5. Mai`. */
function readPair({ rest, language, before }: TextPosition): Reading | undefined {
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

const NUMERAL = /^(?=[IVXLC])(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?![\p{L}\d])/u;
function isNumeral(token: string): boolean {
  return NUMERAL.exec(token)?.[0] === token && token !== '';
}

const ROMAN: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 };

/** Reads Roman numerals if the words around them indicate them: `Louis XIV`, `Kapitel IV`, `siglo XXI`, `XXIe siècle`. */
export function readNumeral(place: TextPosition): Reading | undefined {
  const { rest, language, before, earlier } = place;
  const [all = '', letters = '', ending = '', century = ''] =
    /^([IVX]{1,7})(\p{L}{1,3})(?![\p{L}\d])([\s\u00a0]s\.)?/u.exec(rest) ?? [];
  const phrase = isListed(language.numeralEndings, ending) ? phraseFor(ending, language) : undefined;
  if (phrase !== undefined) {
    const words = fill(phrase, { n: romanValue(letters) }, language);
    return { words: century === '' ? words : `${words} ${language.afterNumerals}`, length: all.length };
  }
  const small = smallNumeral(place);
  if (small !== undefined) return small;
  const [written = ''] = NUMERAL.exec(rest) ?? [];
  // A letter after a sign is not a numeral: `Ctrl+C`.
  if (written === '' || /[+&@#]/u.test(place.previous)) return undefined;
  const value = romanValue(written);
  const after = rest.slice(written.length);
  const [gap = '', word = ''] = /^(\.?[\s\u00a0])(\p{L}{1,20})/u.exec(after)?.slice(1) ?? [];
  const next = language.abbreviations.find(after, gap.length, written)?.words ?? word;
  // A single letter with a full stop before a capital is an initial.
  const isOrdinal =
    language.ordinalNumerals === true &&
    /^\.[\s\u00a0]/u.test(after) &&
    (/^\p{Ll}/u.test(next) || written.length > 1) &&
    !isGivenName(before);
  if (beginsWith(next, language.afterNumerals) || isOrdinal) {
    return { words: sayOrdinal(value, language, before, next), length: written.length + (isOrdinal ? 1 : 0) };
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
  // A single letter after a name is more often an initial or a pronoun.
  if (!isGivenName(before) || (written.length === 1 && !isListed(language.loneNumerals ?? 'i v', written)))
    return undefined;
  return ruler(place, value, written);
}

/** Small letters are a numeral after what has one: `Scene iv`, `pp. xii`; `vi` is a word of Italian. */
function smallNumeral({ rest, before, language }: TextPosition): Reading | undefined {
  const [written = ''] = /^(?!vi(?!\p{L}))[ivx]{2,6}(?![\p{L}\d])/u.exec(rest) ?? [];
  if (written === '' || !isNumeral(written.toUpperCase())) return undefined;
  const title = language.abbreviations.find(`${before} 1`, 0, undefined)?.words ?? before;
  if (!isListed(language.beforeNumerals, title)) return undefined;
  return { words: count(romanValue(written.toUpperCase()), language), length: written.length };
}

function isGivenName(before: string | undefined): boolean {
  return /^\p{Lu}\p{Ll}{2,20}(?:-\p{Lu}\p{Ll}{2,20})?$/u.test(before ?? '');
}

function beginsWith(word: string, beginnings: string): boolean {
  return beginnings !== '' && beginnings.split(' ').some((each) => word.toLowerCase().startsWith(each));
}

/** Names of queens: those that end in `a`, and these. */
const QUEEN = /(?:[aа]|^(?:Elisabeth|Élisabeth|Isabel))$/u;

function ruler({ rest, language, before }: TextPosition, value: number, written: string): Reading {
  const { ruler: phrases, ordinalStop, spellOut } = language;
  const gender = QUEEN.test(before ?? '') ? 'feminine' : 'masculine';
  const hasStop = ordinalStop === 'any' && /^\.(?:[\s\u00a0]\p{L}|[,;:)])/u.test(rest.slice(written.length));
  const length = written.length + (hasStop ? 1 : 0);
  if (phrases === undefined)
    return { words: spellOut(value, `ordinal-${gender}`, 'ordinal', 'ordinal-masculine'), length };
  if (value === 1 && phrases.first !== undefined) return { words: phrases.first, length };
  const isCounted = value > (phrases.last ?? Number.POSITIVE_INFINITY);
  return { words: fill(isCounted ? '{n}' : phrases[gender], { n: value }, language), length };
}

function romanValue(numeral: string): number {
  const values = [...numeral].map((letter) => ROMAN[letter] ?? 0);
  return values.reduce((sum, value, index) => sum + (value < (values[index + 1] ?? 0) ? -value : value), 0);
}
