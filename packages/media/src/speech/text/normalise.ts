import { englishOrdinal } from './english-figures.js';
import { moneyWithFraction } from './reading-words.js';
import { OPENING_SIGN, splitAffixes, trimEnd } from './trim.js';

/** Currency of a sign that stands before or after a sum. */
export const CURRENCIES: Readonly<Record<string, string>> = {
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  '₽': 'RUB',
  '₩': 'KRW',
  '₺': 'TRY',
  '₴': 'UAH',
  '₪': 'ILS',
  R$: 'BRL',
};

/** How the signs of an address are said, by language: dot, slash, at. */
const ADDRESS_WORDS: Readonly<Record<string, readonly [dot: string, slash: string, at: string]>> = {
  en: ['dot', 'slash', 'at'],
  de: ['Punkt', 'Schrägstrich', 'ät'],
  fr: ['point', 'barre oblique', 'arobase'],
  es: ['punto', 'barra', 'arroba'],
  it: ['punto', 'barra', 'chiocciola'],
  pt: ['ponto', 'barra', 'arroba'],
  nl: ['punt', 'schuine streep', 'apenstaartje'],
  pl: ['kropka', 'ukośnik', 'małpa'],
  cs: ['tečka', 'lomítko', 'zavináč'],
  sv: ['punkt', 'snedstreck', 'snabel a'],
  da: ['punktum', 'skråstreg', 'snabel a'],
  nb: ['punktum', 'skråstrek', 'krøllalfa'],
  fi: ['piste', 'kauttaviiva', 'at'],
  tr: ['nokta', 'taksim', 'et'],
  ru: ['точка', 'слэш', 'собака'],
  uk: ['крапка', 'слеш', 'собачка'],
};

const ADDRESS = /^(?:https?:\/\/|www\.)[^\s]+$/iu;
/** Names of machines without a scheme are known by endings that no abbreviation has. */
const BARE_ADDRESS =
  /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|info|io|dev|app|edu|gov|ai|de|at|ch|fr|es|it|pt|br|uk|eu|nl|pl)(?:\/[^\s]*)?$/u;
const MAIL = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/u;
const SUM = /^(R\$|[$€£¥₹₽₩₺₴₪])(\d[\d.,]*)$|^(\d[\d.,]*)([$€£¥₹₽₩₺₴₪])$/u;
const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})$/u;
const NUMERIC_DATE = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/u;

/**
 * A token as people say it in the locale: sums of money and dates by the platform's own rules for it (Unicode CLDR),
 * addresses without their scheme and query, signs named. Everything else stays for the engine, which reads plain figures itself.
 */
export function readAloud(spoken: string, locale: string): string {
  const [before, core, after] = splitAffixes(spoken, OPENING_SIGN, /[\p{Pe}\p{Pf}"'.,;:!?…。，！？]/u);
  const words = sum(core, locale) ?? date(core, locale) ?? address(core, locale);
  return words === undefined ? spoken : `${before}${words}${after}`;
}

function sum(core: string, locale: string): string | undefined {
  const match = SUM.exec(core);
  const sign = match?.[1] ?? match?.[4];
  const figures = match?.[2] ?? match?.[3];
  if (!sign || !figures) return undefined;
  const amount = parseFigures(figures, locale);
  if (amount === undefined) return undefined;
  const currency = CURRENCIES[sign]!;
  const fractional = moneyWithFraction(amount, {
    currency,
    locale,
    unit: (whole) => currencyName(currency, whole, locale),
  });
  if (fractional !== undefined) return fractional;
  const format = new Intl.NumberFormat(`${locale}-u-nu-latn`, {
    style: 'currency',
    currency,
    currencyDisplay: 'name',
    minimumFractionDigits: Number.isInteger(amount) ? 0 : 2,
    useGrouping: false,
  });
  // English dollars and pounds are those that everybody means.
  return plainName(format.format(amount), locale);
}

/** The name of a currency as it follows a number. */
export function currencyName(currency: string, amount: number, locale: string): string {
  const format = new Intl.NumberFormat(`${locale}-u-nu-latn`, { style: 'currency', currency, currencyDisplay: 'name' });
  const name = format
    .formatToParts(amount)
    .filter(({ type }) => type === 'currency')
    .map(({ value }) => value.trim())
    .join(' ');
  return plainName(name, locale);
}

function plainName(words: string, locale: string): string {
  return locale.startsWith('en') ? words.replace(/\b(?:US|British) (?=dollar|pound)/, '') : words;
}

/** The number that grouped figures mean; the locale's decimal mark decides, and a mark before other than three figures is one. */
export function parseFigures(figures: string, locale: string): number | undefined {
  if (!/^\d[\d.,]*$/.test(figures)) return undefined;
  const parts = new Intl.NumberFormat(`${locale}-u-nu-latn`).formatToParts(1.5);
  const decimal = parts.find(({ type }) => type === 'decimal')?.value ?? '.';
  const last = Math.max(figures.lastIndexOf('.'), figures.lastIndexOf(','));
  const hasFraction = last >= 0 && (figures[last] === decimal || figures.length - last - 1 !== 3);
  const whole = (hasFraction ? figures.slice(0, last) : figures).replace(/[.,]/g, '');
  const amount = Number(hasFraction ? `${whole}.${figures.slice(last + 1)}` : whole);
  return Number.isFinite(amount) ? amount : undefined;
}

function date(core: string, locale: string): string | undefined {
  const iso = ISO_DATE.exec(core);
  if (iso) return longDate(Number(iso[1]), Number(iso[2]), Number(iso[3]), locale);
  const numeric = NUMERIC_DATE.exec(core);
  if (!numeric) return undefined;
  const first = Number(numeric[1]);
  const second = Number(numeric[3]);
  // Only Americans write the month first, and only with slashes.
  const monthFirst = numeric[2] === '/' && locale === 'en-US';
  return monthFirst
    ? longDate(Number(numeric[4]), first, second, locale)
    : longDate(Number(numeric[4]), second, first, locale);
}

function longDate(year: number, month: number, day: number, locale: string): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const format = new Intl.DateTimeFormat(`${locale}-u-ca-gregory-nu-latn`, { dateStyle: 'long', timeZone: 'UTC' });
  // Days are said as ordinals: all of them in English, the first in Romance languages.
  const ordinal = locale.startsWith('en')
    ? englishOrdinal(day)
    : day === 1
      ? FIRSTS[locale.split('-')[0] ?? '']
      : undefined;
  return format
    .formatToParts(date)
    .map(({ type, value }) => (type === 'day' ? (ordinal ?? value) : value))
    .join('')
    .replace(/(?<=^premier|^primo)(?:er|º)/u, '');
}

/** How the first of a month is called. */
const FIRSTS: Readonly<Record<string, string>> = { fr: 'premier', it: 'primo', pt: 'primeiro', es: 'primero' };

function address(core: string, locale: string): string | undefined {
  const words = ADDRESS_WORDS[locale.split('-')[0]!] ?? ADDRESS_WORDS.en;
  if (!words || ![ADDRESS, BARE_ADDRESS, MAIL].some((kind) => kind.test(core))) return undefined;
  const [dot, slash, at] = words;
  const [place = ''] = core
    .replace(/^https?:\/\//iu, '')
    .replace(/^www\./iu, '')
    .split(/[?#]/u, 1);
  return trimEnd(place, /\//u)
    .replaceAll('.', ` ${dot} `)
    .replaceAll('/', ` ${slash} `)
    .replaceAll('@', ` ${at} `)
    .replace(/[-_%+]+/gu, ' ')
    .replace(/ {2,}/gu, ' ')
    .trim();
}
