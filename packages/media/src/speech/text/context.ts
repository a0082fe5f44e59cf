import { expandAbbreviation } from './abbreviations.js';
import { englishDecade, englishOrdinal, englishYear } from './english-figures.js';
import { germanDecade, germanYear } from './german-figures.js';
import { CURRENCIES, currencyName, parseFigures } from './normalise.js';
import { frenchOrdinal, romanceOrdinal } from './ordinals.js';
import { clockTime, moneyWithFraction, range, readingWords } from './reading-words.js';
import { OPENING_SIGN, splitAffixes, trimEnd } from './trim.js';

/** A token with its neighbours, as they are written. */
interface TokenInContext {
  readonly spoken: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Units by their sign, as ECMA-402 names them; one-letter signs that mean more than one thing are left out. */
const UNITS: Readonly<Record<string, string>> = {
  km: 'kilometer',
  m: 'meter',
  cm: 'centimeter',
  mm: 'millimeter',
  kg: 'kilogram',
  g: 'gram',
  l: 'liter',
  ml: 'milliliter',
  min: 'minute',
  ms: 'millisecond',
  kB: 'kilobyte',
  KB: 'kilobyte',
  MB: 'megabyte',
  GB: 'gigabyte',
  TB: 'terabyte',
  'km/h': 'kilometer-per-hour',
  'm/s': 'meter-per-second',
  mph: 'mile-per-hour',
  '°C': 'celsius',
  '°F': 'fahrenheit',
};

const MULTIPLES: Readonly<Record<string, string>> = { k: 'thousand', m: 'million', b: 'billion', bn: 'billion' };

/** Words after which four figures are a year. */
const BEFORE_YEARS =
  /^(?:in|since|by|until|till|from|year|before|after|around|during|early|late|january|february|march|april|may|june|july|august|september|october|november|december)$/i;

/**
 * A token as people say it because of what stands around it: units and currencies after figures by the platform's rules
 * for the locale (Unicode CLDR), abbreviations, English years, numbers after `No.`. `undefined` when nothing of that applies.
 */
export function readInContext(token: TokenInContext, locale: string): string | undefined {
  const language = locale.split('-')[0]!;
  const [open, core, close] = splitAffixes(token.spoken, OPENING_SIGN, /[\p{Pe}\p{Pf}"',.;:!?…]/u);
  const wrap = (words: string | undefined): string | undefined =>
    words === undefined ? undefined : `${open}${words}${close}`;
  const measured = wrap(figuresOf(core, token, locale) ?? unitOf(core, token.before, locale));
  if (measured !== undefined) return measured;
  // An abbreviation's own full stop is part of it; at the end of the sentence it ends that too.
  const [, abbreviated, rest] = splitAffixes(core + close, undefined, /[\p{Pe}\p{Pf}"',;:!?…]/u);
  const words = expandAbbreviation(abbreviated, language);
  if (words !== undefined) {
    const stop = token.after === undefined && abbreviated.endsWith('.') ? '.' : '';
    return `${open}${words}${stop}${rest}`;
  }
  switch (language) {
    case 'en':
      // The full stop of `No.` goes, because Flite would end the sentence there.
      return core === 'No' && /^\d/.test(token.after ?? '')
        ? `${open}number`
        : (abbreviatedName({ open, core, close }, token) ?? wrap(english(core, token)));
    case 'de':
      return wrap(germanDecade(core) ?? (BEFORE_GERMAN_YEARS.test(token.before ?? '') ? germanYear(core) : undefined));
    case 'fr':
      return example(token, 'ex.', 'par exemple') ?? wrap(frenchOrdinal(core));
    case 'es':
    case 'pt':
    case 'it':
      return (
        example(token, 'ej.', 'por ejemplo') ??
        example(token, 'ex.', 'por exemplo') ??
        wrap(romanceOrdinal(core, language))
      );
    default:
      return undefined;
  }
}

const BEFORE_GERMAN_YEARS =
  /^(?:jahr|jahre|jahres|seit|ab|von|bis|um|vor|nach|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)$/i;

/** Times of the day, ranges and percentages, where the language is one whose words are known. */
function figuresOf(core: string, { before, after }: TokenInContext, locale: string): string | undefined {
  const words = readingWords(locale);
  if (words === undefined) return undefined;
  const time = clockTime(core, locale);
  // The word after it (`14:30 Uhr`) is said with the time; an English half of the day takes the place of `o'clock`.
  if (time !== undefined) return /^[ap]\.?m\b/i.test(after ?? '') ? time.replace(" o'clock", '') : time;
  const spoken = words.timeWord?.exec(core)?.[0];
  if (spoken !== undefined && endsInTime(before ?? '')) return core.slice(spoken.length);
  const sum = sumOf(core, { before, after }, locale);
  if (sum !== undefined) return sum;
  if (core === '%' && /\d$/.test(before ?? '')) return words.percent;
  const [, share] = /^([+-]?\d[\d.,]*)\s?%$/u.exec(core) ?? [];
  return share === undefined ? range(core, locale) : `${share} ${words.percent}`;
}

/** Whether a time such as `14:30` or `14h30` comes last, without letters after it. */
function endsInTime(text: string): boolean {
  // From three characters before the last letter on: that letter may be the `h`.
  const from = Math.max(0, trimEnd(text, /\P{L}/u).length - 4);
  return /(?:^|\D)\d{1,2}[:h]\d{2}/u.test(text.slice(from));
}

/** `5km`, or `km` after `5`; `€` after `20`. */
function unitOf(core: string, before: string | undefined, locale: string): string | undefined {
  const [, figures, sign = ''] = /^(-?\d[\d.,]*)?([^\d\s]{1,4})$/u.exec(core) ?? [];
  const amount = parseFigures((figures ?? before ?? '').replace(/^[-(]+/, ''), locale);
  if (amount === undefined || (figures === undefined && !/\d$/.test(before ?? ''))) return undefined;
  const currency = figures === undefined ? CURRENCIES[sign] : undefined;
  const unit = Object.hasOwn(UNITS, sign) ? UNITS[sign] : undefined;
  if (unit === undefined && currency === undefined) return undefined;
  const word =
    currency !== undefined
      ? currencyName(currency, amount, locale)
      : new Intl.NumberFormat(`${locale}-u-nu-latn`, { style: 'unit', unit: unit!, unitDisplay: 'long' })
          .formatToParts(amount)
          .filter(({ type }) => type === 'unit')
          .map(({ value }) => value.trim())
          .join(' ');
  return figures === undefined ? word : `${figures} ${word}`;
}

/** `5,99 €` and `R$ 5,99`: the figures say it all, the sign says nothing. */
function sumOf(
  core: string,
  { before = '', after = '' }: Pick<TokenInContext, 'before' | 'after'>,
  locale: string,
): string | undefined {
  const figures = /^\d[\d.,]*[.,]\d{2}$/;
  const sign = /^([$€£])\P{L}*$/u.exec(after)?.[1] ?? (before === 'R$' ? 'R$' : undefined);
  if (sign !== undefined && (figures.test(core) || sign === 'R$')) return fractionOf(core, sign, locale);
  if (core === 'R$' && /^\d/.test(after)) return '';
  const said = /^[$€£]$/u.test(core) && figures.test(before) ? fractionOf(before, core, locale) : undefined;
  return said === undefined ? undefined : '';
}

function fractionOf(figures: string, sign: string, locale: string): string | undefined {
  const amount = parseFigures(figures, locale);
  const currency = CURRENCIES[sign];
  if (amount === undefined || currency === undefined) return undefined;
  const unit = (whole: number): string => currencyName(currency, whole, locale);
  const words = moneyWithFraction(amount, { currency, locale, unit });
  return words ?? (sign === 'R$' ? `${amount} ${unit(amount)}` : undefined);
}

/** `p. ej.` in two tokens: the first says both. */
function example({ spoken, before, after }: TokenInContext, second: string, words: string): string | undefined {
  if (/^\(?p\.$/.test(spoken) && after?.startsWith(second)) return spoken.replace('p.', words);
  return spoken.startsWith(second) && /^\(?p\.$/.test(before ?? '') ? '' : undefined;
}

/** `$5 million`, in two tokens: the currency comes after the multiple. */
const LARGE = /^(?:thousand|million|billion|trillion)$/i;
const LARGE_SUM = /^([$€£])(\d[\d.,]*)$/u;
const CURRENCY_WORDS: Readonly<Record<string, string>> = { $: 'dollars', '€': 'euros', '£': 'pounds' };

const MONTHS = /^(?:january|february|march|april|may|june|july|august|september|october|november|december)$/i;

function english(core: string, { before = '', after = '' }: TokenInContext): string | undefined {
  const sum = /^([$€£])(\d[\d.,]*)(k|m|b|bn)$/iu.exec(core);
  if (sum) return `${sum[2]} ${MULTIPLES[sum[3]!.toLowerCase()]} ${CURRENCY_WORDS[sum[1]!]}`;
  const [, , large] = LARGE_SUM.exec(core) ?? [];
  if (large !== undefined && LARGE.test(trimEnd(after, /\P{L}/u))) return large;
  const [, sign = ''] = LARGE.test(core) ? (LARGE_SUM.exec(before) ?? []) : [];
  if (sign !== '') return `${core} ${CURRENCY_WORDS[sign]}`;
  if (/^#\d+$/.test(core)) return `number ${core.slice(1)}`;
  if (/^@\p{L}/u.test(core)) return `at ${core.slice(1)}`;
  return englishNumeral(core, { before, after });
}

/** `3pm`, `3:30 p.m.`: the letters are said one by one. */
function halfDay(core: string, before: string): string | undefined {
  const [, hours, minutes, half = ''] = /^(\d{1,2})?(?::(\d{2}))?([ap])\.?m\.?$/i.exec(core) ?? [];
  if (half === '' || (hours === undefined && !/^\d{1,2}(?::\d{2})?$/.test(before))) return undefined;
  const letters = `${half.toUpperCase()} M`;
  if (hours === undefined) return letters;
  const time = minutes === undefined ? hours : (clockTime(`${hours}:${minutes}`, 'en-US') ?? hours);
  return `${time.replace(" o'clock", '')} ${letters}`;
}

/** Abbreviations that lose their full stop inside a sentence: titles and streets, and halves of the day. */
function abbreviatedName(
  { open, core, close }: { open: string; core: string; close: string },
  { before = '', after }: TokenInContext,
): string | undefined {
  const words = halfDay(core, before) ?? englishSaint(core, { before, after: after ?? '' });
  if (words === undefined) return undefined;
  return `${open}${words}${after === undefined ? close : close.replace(/^\./, '')}`;
}

/** `St.` is a saint before a name and a street after one; `Dr.` a doctor before and a drive after. */
function englishSaint(core: string, { before, after }: { before: string; after: string }): string | undefined {
  const words = { St: ['Saint', 'Street'], Dr: ['Doctor', 'Drive'] }[core];
  if (words === undefined) return undefined;
  if (/^\P{L}*\p{Lu}/u.test(after)) return words[0];
  return /^\p{Lu}|\d(?:st|nd|rd|th)$/u.test(before) ? words[1] : undefined;
}

function englishNumeral(core: string, { before, after }: { before: string; after: string }): string | undefined {
  const ordinal = /^(\d{1,3})(?:st|nd|rd|th)$/.exec(core);
  if (ordinal) return englishOrdinal(Number(ordinal[1]));
  const decade = englishDecade(core);
  if (decade !== undefined) return decade;
  if (/^(?:[1-9]|[12]\d|3[01])$/.test(core)) {
    if (MONTHS.test(before)) return englishOrdinal(Number(core));
    if (MONTHS.test(trimEnd(after, /\P{L}/u))) {
      const day = englishOrdinal(Number(core));
      return before.toLowerCase() === 'the' ? `${day} of` : `the ${day} of`;
    }
  }
  // `1999`, after a word or a day with its comma: `May 3, 1999`.
  return BEFORE_YEARS.test(before) || /^\d{1,2}(?:st|nd|rd|th)?,$/.test(before) ? englishYear(core) : undefined;
}
