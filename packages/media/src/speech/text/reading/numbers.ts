import type { Language } from '../language.js';

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

/** The number at the beginning of a text, with the language's separators. */
export function readFigures(text: string, language: Language): Figures | undefined {
  const groupings =
    language.decimal === '.' ? [GROUPED_BY_COMMA, GROUPED_BY_TWO, GROUPED_BY_SPACE] : [GROUPED_BY_POINT];
  const grouped = groupings.map((grouping) => grouping.exec(text)?.[0]).find((each) => each !== undefined);
  // In English the zero before the point may be absent: `.5`.
  const whole =
    grouped ?? /^\d{1,30}/u.exec(text)?.[0] ?? (language.decimal === '.' && /^\.\d/u.test(text) ? '' : undefined);
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

/** Polish words that put the figures after them into the genitive: `do pięciu`. */
const BEFORE_GENITIVE = /^(?:do|od|około|ok\.|koło|bez|dla|powyżej|poniżej|oprócz|z)$/iu;

/** Whether whole figures are in the genitive after this word. */
export function isGenitive({ fraction }: Figures, { code }: Language, before: string | undefined): boolean {
  return code === 'pl' && fraction === '' && BEFORE_GENITIVE.test(before ?? '');
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
  if (language.code === 'ru' && mark === ',' && fraction.length <= 3) return russianDecimal(value, fraction, language);
  const zeros = fraction.length - fraction.replace(/^0+/u, '').length;
  const isSpelt = language.byDigits || mark !== language.decimal || fraction.length > 3 || zeros === fraction.length;
  const rest = isSpelt
    ? digits(fraction, language)
    : [...Array.from({ length: zeros }, () => count(0, language)), count(Number(fraction), language)].join(' ');
  return whole === '' ? `${point} ${rest}` : `${count(value, language)} ${point} ${rest}`;
}

/** `3,14`: three wholes and fourteen hundredths. */
function russianDecimal(value: number, fraction: string, language: Language): string {
  const part = Number(fraction);
  const isOne = (amount: number): boolean => amount % 10 === 1 && amount % 100 !== 11;
  const names = ['десят', 'сот', 'тысячн'][fraction.length - 1] ?? '';
  const whole = `${say(value, language, 'feminine')} ${isOne(value) ? 'целая' : 'целых'}`;
  return `${whole} ${say(part, language, 'feminine')} ${names}${isOne(part) ? 'ая' : 'ых'}`;
}

/** A year as people say it. */
export function sayYear(value: number, language: Language): string {
  const { code, spellOut } = language;
  if (code === 'nl' && value >= 1100 && value < 2000 && value % 100 !== 0) {
    return `${spellOut(Math.floor(value / 100), 'numbering')}honderd${spellOut(value % 100, 'numbering')}`;
  }
  return ['en', 'de', 'nl'].includes(code) ? spellOut(value, 'numbering-year') : count(value, language);
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
export function linkAfterMillions({ value, fraction }: Figures, { code }: Language, next: string): string {
  if (value < 1e6 || value % 1e6 !== 0 || fraction !== '') return ' ';
  return linkOf(code, next);
}

/** The word between `millions` and the counted noun. */
export function linkOf(code: string, next: string): string {
  const link = { es: ' de ', pt: ' de ', it: ' di ', fr: /^[aeéhiou]/iu.test(next) ? " d'" : ' de ' }[code];
  return link ?? ' ';
}

/** A fraction in words: `three quarters`. `undefined` when it has no name. */
export function sayFraction(over: number, under: number, language: Language): string | undefined {
  const { code, parts, spellOut } = language;
  if (under < 2 || over < 1 || under > 100 || over >= 100) return undefined;
  const named = parts[under]?.split('/');
  const isOne = over === 1;
  switch (code) {
    case 'en': {
      const name = named?.[isOne ? 0 : 1] ?? `${spellOut(under, 'ordinal')}${isOne ? '' : 's'}`;
      return `${count(over, language)} ${name}`;
    }
    case 'de': {
      const name = named?.[isOne ? 0 : 1] ?? `${spellOut(under, 'ordinal').replace(/te$/u, '')}tel`;
      return `${say(over, language, 'neuter')} ${name}`;
    }
    case 'nl':
      return `${count(over, language)} ${named?.[isOne ? 0 : 1] ?? spellOut(under, 'ordinal')}`;
    case 'fr':
    case 'it': {
      const name = named?.[isOne ? 0 : 1] ?? spellOut(under, isOne ? 'ordinal-masculine' : 'ordinal-masculine-plural');
      return `${say(over, language)} ${name}`;
    }
    case 'es': {
      const name = named?.[isOne ? 0 : 1] ?? `${count(under, language).replace(/[ao]$/u, '')}avo${isOne ? '' : 's'}`;
      return `${say(over, language)} ${name}`;
    }
    case 'pt': {
      const name = under > 10 && under < 100 && under % 10 !== 0 ? `${count(under, language)} avo` : undefined;
      const known = named?.[0] ?? name ?? spellOut(under, 'ordinal-masculine');
      return `${say(over, language)} ${named?.[isOne ? 0 : 1] ?? `${known}${isOne ? '' : 's'}`}`;
    }
    case 'pl':
    case 'ru': {
      const form = isOne
        ? 'ordinal-feminine'
        : code === 'pl' && over < 5
          ? 'ordinal-plural'
          : 'ordinal-plural-genitive';
      return `${say(over, language, 'feminine')} ${spellOut(under, form, 'ordinal-feminine')}`;
    }
    case 'tr': {
      const whole = count(under, language);
      return `${whole}${turkishLocative(whole)} ${count(over, language)}`;
    }
    default:
      return undefined;
  }
}

/** `ikide`, `üçte`, `dörtte`: by the last vowel and the last sound. */
function turkishLocative(word: string): string {
  const vowel = /[aıou](?=[^aeıioöuü]*$)/u.test(word) ? 'a' : 'e';
  return `${/[fstkçşhp]$/u.test(word) ? 't' : 'd'}${vowel}`;
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
