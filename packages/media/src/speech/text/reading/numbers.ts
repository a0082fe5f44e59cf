import type { Language } from '../language.js';
import { isListed } from '../word-list.js';
import { fill } from './phrases.js';

/** A parsed number. */
export interface Figures {
  readonly value: number;
  /** Figures after the decimal mark; `''` for whole numbers. */
  readonly fraction: string;
  /** The mark before the fraction, as it is written. */
  readonly mark: string;
  /** The figures as written. */
  readonly written: string;
}

const GROUPED_BY_COMMA = /^\d{1,3}(?:[,\u00a0\u202f'’]\d{3}){1,5}(?!\d)/u;
/** The Indian grouping, which no other figures have: `12,34,567`. */
const GROUPED_BY_TWO = /^\d{1,2}(?:,\d{2}){1,6},\d{3}(?!\d)/u;
/** In English a plain space groups only figures that cannot be two numbers: `2 000 000`, but not `2024 100`. */
const GROUPED_BY_SPACE = /^[1-9](?:\d{0,2}(?: \d{3}){0,4} 000|\d?(?: \d{3}){2,5})(?! ?\d)/u;
const GROUPED_BY_POINT = /^\d{1,3}(?:[.\u00a0\u202f '’]\d{3}){1,5}(?!\d)/u;

/** Groups that only the other convention has: `1,234,567.89` in Spanish, `1.234,50` in English. */
const OTHER_CONVENTION = {
  ',': /^(\d{1,3}(?:(?:,\d{3}){2,5}(?!\.\d)|(?:,\d{3}){1,5}(?=\.\d)))(?:\.(\d{1,15}))?(?!\d|[.,]\d)/u,
  '.': /^(\d{1,3}(?:\.\d{3}){1,5}),(\d{1,15})(?!\d|[.,]\d)/u,
};

/** The number at the beginning of a text, with the language's separators. */
export function readFigures(text: string, language: Language): Figures | undefined {
  const { decimal } = language;
  const other = OTHER_CONVENTION[decimal === '.' ? '.' : ','].exec(text);
  if (other !== null) {
    const [written, groups = '', fraction = ''] = other;
    return { value: Number(groups.replace(/\D/gu, '')), fraction, mark: fraction === '' ? '' : decimal, written };
  }
  const groupings = decimal === '.' ? [GROUPED_BY_COMMA, GROUPED_BY_TWO, GROUPED_BY_SPACE] : [GROUPED_BY_POINT];
  const grouped = groupings.map((grouping) => grouping.exec(text)?.[0]).find((each) => each !== undefined);
  // In English the zero before the point may be absent: `.5`.
  const whole = grouped ?? /^\d{1,30}/u.exec(text)?.[0] ?? (decimal === '.' && /^\.\d/u.test(text) ? '' : undefined);
  if (whole === undefined) return undefined;
  const [, mark = '', fraction = ''] = /^([.,])(\d{1,15})(?![\d]|[.,]\d)/u.exec(text.slice(whole.length)) ?? [];
  const written = whole + mark + fraction;
  return { value: Number(whole.replace(/\D/gu, '')), fraction, mark, written };
}

const DIGITS_ONLY_ABOVE = 1e15;

/** A whole number in words, with a gender if the language has them. */
export function say(value: number, language: Language, gender = 'masculine'): string {
  if (value >= DIGITS_ONLY_ABOVE) return digits(value.toFixed(0), language);
  return language.spellOut(value, `cardinal-${gender}`, 'cardinal-masculine', 'cardinal', 'numbering');
}

/** Whether whole figures are in the genitive after this word. */
export function isGenitive({ fraction }: Figures, language: Language, before: string | undefined): boolean {
  return fraction === '' && isListed(language.beforeGenitive, before);
}

/** A number as one counts: `eins`, `uno`. */
export function count(value: number, language: Language): string {
  return value >= DIGITS_ONLY_ABOVE ? digits(value.toFixed(0), language) : language.spellOut(value, 'numbering');
}

/** Figures one by one. */
export function digits(written: string, language: Language): string {
  return [...written]
    .filter((sign) => /\d/u.test(sign))
    .map((figure) => language.spellOut(Number(figure), 'numbering'))
    .join(' ');
}

/** Figures in words, with their fraction. */
export function sayFigures(figures: Figures, language: Language, gender?: string): string {
  const { value, fraction, written, mark } = figures;
  const whole = written.slice(0, written.length - fraction.length - mark.length);
  const isCode = (/^0\d/u.test(whole) && fraction === '') || whole.length > 15;
  if (isCode) return digits(whole, language);
  if (fraction === '') return gender === undefined ? count(value, language) : say(value, language, gender);
  const point = mark === language.decimal ? language.point : (language.address[mark] ?? mark);
  const named = mark === language.decimal ? sayDecimals(value, fraction, language) : undefined;
  if (named !== undefined) return named;
  const zeros = fraction.length - fraction.replace(/^0+/u, '').length;
  const isSpelt = language.byDigits || mark !== language.decimal || fraction.length > 3 || zeros === fraction.length;
  const rest = isSpelt
    ? digits(fraction, language)
    : [...Array.from({ length: zeros }, () => count(0, language)), count(Number(fraction), language)].join(' ');
  return whole === '' ? `${point} ${rest}` : `${count(value, language)} ${point} ${rest}`;
}

/** `3,14` in Russian: three wholes and fourteen hundredths. */
function sayDecimals(value: number, fraction: string, language: Language): string | undefined {
  const part = language.decimals?.parts[fraction.length - 1];
  if (language.decimals === undefined || part === undefined) return undefined;
  const counted = (amount: number, forms: string): string => {
    const figures = { value: amount, fraction: '', mark: '', written: '' };
    return `${say(amount, language, 'feminine')} ${formOf(forms, figures, language)}`;
  };
  return `${counted(value, language.decimals.whole)} ${counted(Number(fraction), part)}`;
}

/** A year as people say it. */
export function sayYear(value: number, language: Language): string {
  const { century, year } = language;
  if (century !== undefined && value >= 1100 && value < 2000 && value % 100 !== 0)
    return fill(century, { c: Math.floor(value / 100), y: value % 100 }, language);
  return language.spellOut(value, year ?? 'numbering', 'numbering');
}

/** The plural category of figures (`few`). */
export function categoryOf({ value, fraction }: Figures, { code, plural }: Language): string {
  if (fraction === '') return plural.select(value);
  const digitsShown = fraction.length;
  return new Intl.PluralRules(code, { minimumFractionDigits: digitsShown, maximumFractionDigits: digitsShown }).select(
    Number(`${value}.${fraction}`),
  );
}

/** The word between a round million and the counted noun: `un millón de euros`. */
export function linkAfterMillions({ value, fraction }: Figures, language: Language, next: string): string {
  if (value < 1e6 || value % 1e6 !== 0 || fraction !== '') return ' ';
  return linkOf(language, next);
}

/** The word between `millions` and the counted noun. */
export function linkOf({ ofMillions = ' ', ofMillionsElided }: Language, next: string): string {
  return ofMillionsElided !== undefined && /^[aeéhiou]/iu.test(next) ? ofMillionsElided : ofMillions;
}

/** A fraction in words: `three quarters`. `undefined` when it has no name. */
export function sayFraction(over: number, under: number, language: Language): string | undefined {
  const { fraction, parts } = language;
  if (under < 2 || over < 1 || under > 100 || over >= 100) return undefined;
  const form = over === 1 ? fraction.one : over < 5 ? (fraction.few ?? fraction.other) : fraction.other;
  const named = parts[under]?.split('/')[over === 1 ? 0 : 1];
  if (named === undefined) return fill(form, { over, under }, language);
  // A name takes the place of the denominator and of what is added to it.
  return fill(`${form.slice(0, form.indexOf('}') + 1)} ${named}`, { over }, language);
}

/** Letters of genders behind forms: `milion/miliony/milionów/miliona:m`. */
const GENDERS: Readonly<Record<string, string>> = { m: 'masculine', f: 'feminine', n: 'neuter' };

/** The gender behind forms of a noun; masculine when absent. */
export function genderFrom(forms: string): string {
  return GENDERS[forms.split(':')[1] ?? 'm'] ?? 'masculine';
}

/** The form of a noun for an amount, of two (`one/other`) or four (`one/few/many/other`). */
export function formOf(forms: string, figures: Figures, language: Language): string {
  const names = (forms.split(':')[0] ?? '').split('/');
  const category = categoryOf(figures, language);
  if (names.length === 2) return names[category === 'one' ? 0 : 1] ?? '';
  return names[['one', 'few', 'many', 'other'].indexOf(category)] ?? names.at(-1) ?? '';
}
