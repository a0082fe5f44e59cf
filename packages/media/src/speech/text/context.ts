import { expandAbbreviation } from './abbreviations.js';
import { CURRENCIES, parseFigures } from './normalise.js';
import { frenchOrdinal, spanishOrdinal } from './ordinals.js';

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

const ENGLISH_UNITS = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ');
const ENGLISH_TENS = ' ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** Words after which four figures are a year. */
const BEFORE_YEARS =
  /^(?:in|since|by|until|till|from|year|before|after|around|during|early|late|january|february|march|april|may|june|july|august|september|october|november|december)$/i;

/**
 * A token as people say it because of what stands around it: units and currencies after figures by the platform's rules
 * for the locale (Unicode CLDR), abbreviations, English years, numbers after `No.`. `undefined` when nothing of that applies.
 */
export function readInContext(token: TokenInContext, locale: string): string | undefined {
  const language = locale.split('-')[0]!;
  const [, open = '', core = '', close = ''] =
    /^([\p{Ps}\p{Pi}"'¿¡]*)(.*?)([\p{Pe}\p{Pf}"',.;:!?…]*)$/su.exec(token.spoken) ?? [];
  const wrap = (words: string | undefined): string | undefined =>
    words === undefined ? undefined : `${open}${words}${close}`;
  const measured = wrap(unitOf(core, token.before, locale));
  if (measured !== undefined) return measured;
  // An abbreviation's own full stop is part of it; at the end of the sentence it ends that too.
  const [, abbreviated = '', rest = ''] = /^(.*?\.?)([\p{Pe}\p{Pf}"',;:!?…]*)$/su.exec(core + close) ?? [];
  const words = expandAbbreviation(abbreviated, language);
  if (words !== undefined) {
    const stop = token.after === undefined && abbreviated.endsWith('.') ? '.' : '';
    return `${open}${words}${stop}${rest}`;
  }
  switch (language) {
    case 'en':
      // The full stop of `No.` goes, because Flite would end the sentence there.
      return core === 'No' && /^\d/.test(token.after ?? '') ? `${open}number` : wrap(english(core, token.before));
    case 'fr':
      return example(token, 'ex.', 'par exemple') ?? wrap(frenchOrdinal(core));
    case 'es':
      return example(token, 'ej.', 'por ejemplo') ?? wrap(spanishOrdinal(core));
    default:
      return undefined;
  }
}

/** `5km`, or `km` after `5`; `€` after `20`. */
function unitOf(core: string, before: string | undefined, locale: string): string | undefined {
  const [, figures, sign = ''] = /^(-?\d[\d.,]*)?([^\d\s]{1,4})$/u.exec(core) ?? [];
  const amount = parseFigures((figures ?? before ?? '').replace(/^[-(]+/, ''), locale);
  if (amount === undefined || (figures === undefined && !/\d$/.test(before ?? ''))) return undefined;
  const currency = figures === undefined ? CURRENCIES[sign] : undefined;
  const unit = Object.hasOwn(UNITS, sign) ? UNITS[sign] : undefined;
  if (unit === undefined && currency === undefined) return undefined;
  const format = new Intl.NumberFormat(
    `${locale}-u-nu-latn`,
    currency === undefined
      ? { style: 'unit', unit: unit!, unitDisplay: 'long' }
      : { style: 'currency', currency, currencyDisplay: 'name' },
  );
  const word = format
    .formatToParts(amount)
    .filter(({ type }) => type === 'unit' || type === 'currency')
    .map(({ value }) => value.trim())
    .join(' ');
  return figures === undefined ? word : `${figures} ${word}`;
}

/** `p. ej.` in two tokens: the first says both. */
function example({ spoken, before, after }: TokenInContext, second: string, words: string): string | undefined {
  if (/^\(?p\.$/.test(spoken) && after?.startsWith(second)) return spoken.replace('p.', words);
  return spoken.startsWith(second) && /^\(?p\.$/.test(before ?? '') ? '' : undefined;
}

function english(core: string, before: string | undefined): string | undefined {
  const sum = /^([$€£])(\d[\d.,]*)(k|m|b|bn)$/iu.exec(core);
  if (sum)
    return `${sum[2]} ${MULTIPLES[sum[3]!.toLowerCase()]} ${{ $: 'dollars', '€': 'euros', '£': 'pounds' }[sum[1]!]}`;
  if (/^#\d+$/.test(core)) return `number ${core.slice(1)}`;
  if (/^@\p{L}/u.test(core)) return `at ${core.slice(1)}`;
  const range = /^(\d[\d,.]*)[–—](\d[\d,.]*)$/u.exec(core);
  if (range) return `${range[1]} to ${range[2]}`;
  const year = /^(1[1-9])(\d\d)$/.exec(core);
  if (!year || !BEFORE_YEARS.test(before ?? '')) return undefined;
  const century = englishBelowHundred(Number(year[1]));
  const rest = Number(year[2]);
  if (rest === 0) return `${century} hundred`;
  return `${century} ${rest < 10 ? 'oh ' : ''}${englishBelowHundred(rest)}`;
}

function englishBelowHundred(value: number): string {
  if (value < 20) return ENGLISH_UNITS[value]!;
  const unit = value % 10;
  return `${ENGLISH_TENS[Math.floor(value / 10)]}${unit === 0 ? '' : ` ${ENGLISH_UNITS[unit]}`}`;
}
