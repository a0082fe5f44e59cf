import type { Language } from '../language.js';
import type { Reading, TextPosition } from '../place.js';
import { unitNames } from './measures.js';
import { multipleAt, noCoins, sayMultiple } from './multiples.js';
import {
  count,
  type Figures,
  formOf,
  genderFrom,
  linkAfterMillions,
  linkOf,
  readFigures,
  say,
  sayFigures,
} from './numbers.js';

/** Codes of currencies (ISO 4217) by their signs. */
const CURRENCIES: Readonly<Record<string, string>> = {
  CA$: 'CAD',
  C$: 'CAD',
  A$: 'AUD',
  AU$: 'AUD',
  NZ$: 'NZD',
  HK$: 'HKD',
  S$: 'SGD',
  $: 'USD',
  US$: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  '₽': 'RUB',
  '₩': 'KRW',
  '₺': 'TRY',
  '₴': 'UAH',
  '₪': 'ILS',
  '₨': 'INR',
  Rs: 'INR',
  'Rs.': 'INR',
  '฿': 'THB',
  '₫': 'VND',
  '₱': 'PHP',
  '₦': 'NGN',
  '₵': 'GHS',
  '₡': 'CRC',
  '₲': 'PYG',
  '₸': 'KZT',
  '₾': 'GEL',
  '₼': 'AZN',
  '₮': 'MNT',
  '₭': 'LAK',
  R$: 'BRL',
  zł: 'PLN',
  TL: 'TRY',
  'Fr.': 'CHF',
  'руб.': 'RUB',
  руб: 'RUB',
};

const SIGN_BEFORE =
  /^((?:US|R|CA|C|AU|A|NZ|HK|S)\$|[$€£¥₹₨₽₩₺₴₪฿₫₱₦₵₡₲₸₾₼₮₭]|(?:EUR|USD|GBP|CHF|JPY|PLN|BRL|TRY|RUB|CAD|AUD|NZD|SEK|NOK|DKK|CZK|HUF|CNY|INR|MXN|KRW|SGD|ZAR|Rs\.?)(?=[\s\u00a0\u202f]?\d))(?:[\s\u00a0\u202f]?(?=\d)|(?=\.\d))/u;
const SIGN_AFTER =
  /^[\s\u00a0\u202f]?((?:(?:US|R|CA|C|AU|A|NZ|HK|S)\$|[$€£¥₹₨₽₩₺₴₪฿₫₱₦₵₡₲₸₾₼₮₭])(?!\d)|(?:EUR|USD|GBP|CHF|JPY|PLN|BRL|TRY|RUB|CAD|AUD|NZD|SEK|NOK|DKK|CZK|HUF|CNY|INR|MXN|KRW|SGD|ZAR|TL|zł|руб\.?|Fr\.)(?![\p{L}\d]))/u;
const RANGE_SIGN = /^[–—-]((?:US|R|CA|C|AU|A|NZ|HK|S)\$|[$€£¥₹₨₽₩₺₴₪฿₫₱₦₵₡₲₸₾₼₮₭]|)(?=\d)/u;
const ISO_CODE = /^[A-Z]{3}$/u;

/** Whether a text begins with a currency before figures: `$5`, `CHF 20`. */
export function beginsWithCurrency(text: string): boolean {
  return SIGN_BEFORE.test(text);
}

/** The currency after figures, unless its letters are a unit in this language: the German teaspoon, `1 TL`. */
function currencyAfter(text: string, { unitSigns }: Language): readonly string[] {
  const [found = '', sign = ''] = SIGN_AFTER.exec(text) ?? [];
  return sign === '' || Object.hasOwn(unitSigns, sign) ? [] : [found, sign];
}

/** Reads an amount of money, a range of two (`$5–$10`), or a price for each of something (`2,99 €/kg`, `$5/month`). */
export function readMoney(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  const amount = readAmount(place);
  if (amount === undefined) return undefined;
  const after = rest.slice(amount.length);
  const [lead = '', leadSign = ''] = SIGN_BEFORE.exec(rest) ?? [];
  const [dash = '', sign = ''] = RANGE_SIGN.exec(after) ?? [];
  const from = readFigures(rest.slice(lead.length), language);
  // The second sign may be absent: `$5-10`.
  const isRange = lead !== '' && dash !== '' && (sign === '' || sign === leadSign);
  const to = isRange ? readMoney({ ...place, rest: lead + after.slice(dash.length) }) : undefined;
  if (to !== undefined && from !== undefined && lead.length + from.written.length === amount.length) {
    const length = amount.length + dash.length - lead.length + to.length;
    return { words: `${sayFigures(from, language)} ${language.to} ${to.words}`, length };
  }
  const [slash = '', each = ''] = /^[\s\u00a0]?\/[\s\u00a0]?(\p{L}{1,12}[²³]?)(?![\p{L}\d/])/u.exec(after) ?? [];
  if (each === '' || language.per === '') return amount;
  const unit = unitNames(each, language);
  const shown = slash.length - each.length;
  const short = unit === undefined ? language.abbreviations.find(after, shown, undefined) : undefined;
  const words = `${amount.words} ${language.per} ${unit?.one ?? short?.words ?? each}`;
  return { words, length: amount.length + (short?.end ?? slash.length) };
}

/** An amount: the sign before or after the figures, with millions, with subunits. */
function readAmount({ rest, language }: TextPosition): Reading | undefined {
  const [lead = '', signBefore] = SIGN_BEFORE.exec(rest) ?? [];
  const figures = readFigures(rest.slice(lead.length), language);
  if (figures === undefined) return undefined;
  let length = lead.length + figures.written.length;
  // The sign in place of the decimal mark: `12€50`.
  const [middle = '', inside = '', coins = ''] = /^([€$£])(\d{2})(?!\d)/u.exec(rest.slice(length)) ?? [];
  const between = lead === '' && figures.fraction === '' ? CURRENCIES[inside] : undefined;
  if (between !== undefined)
    return { words: saySum({ ...figures, fraction: coins }, between, language), length: length + middle.length };
  const multiple = multipleAt(rest.slice(length), language);
  const afterMultiple = length + (multiple?.length ?? noCoins(rest.slice(length), figures).length);
  const after = rest.slice(afterMultiple);
  const isLinked = multiple !== undefined && language.ofMillions !== undefined && after.startsWith(language.ofMillions);
  const link = isLinked ? (language.ofMillions?.length ?? 0) - 1 : 0;
  const [found = '', signAfter] = signBefore === undefined ? currencyAfter(after.slice(link), language) : [];
  const tail = found === '' ? '' : after.slice(0, link + found.length);
  const minor = /^[\s\u00a0]?¢/u.exec(rest.slice(length))?.[0];
  const cents = language.money['minor USD'];
  if (minor !== undefined && cents !== undefined) {
    const words = `${sayFigures(figures, language, genderFrom(cents))} ${formOf(cents, figures, language)}`;
    return { words, length: length + minor.length };
  }
  const sign = signBefore ?? signAfter ?? '';
  const [spelt = '', name = ''] =
    sign === '' && figures.fraction.length === 2 ? (/^[\s\u00a0\u202f](\p{L}{3,12})(?!\p{L})/u.exec(after) ?? []) : [];
  const known = spelt === '' ? undefined : currencyNamed(name, language);
  if (known !== undefined && multiple === undefined)
    return { words: saySum(figures, known, language), length: afterMultiple + spelt.length };
  const currency = CURRENCIES[sign] ?? (ISO_CODE.test(sign) ? sign : undefined);
  if (currency === undefined) return undefined;
  length = afterMultiple + tail.length;
  if (multiple !== undefined) {
    const name = nameOf(currency, { ...figures, value: 1e6, fraction: '' }, language);
    const isThousand = count(1000, language).endsWith(multiple.word);
    const of = isThousand ? ' ' : linkOf(language, name);
    return { words: `${sayMultiple(figures, multiple.word, language)}${of}${name}`, length };
  }
  return { words: saySum(figures, currency, language), length };
}

/** An amount in words, with its subunits. */
function saySum(figures: Figures, currency: string, language: Language): string {
  const { value, fraction } = figures;
  const coins = fraction.length === 1 ? Number(fraction) * 10 : Number(fraction);
  const minor = language.money[`minor ${currency}`];
  if (fraction.length > 2 || (coins > 0 && minor === undefined)) {
    return `${sayFigures(figures, language)} ${nameOf(currency, figures, language)}`;
  }
  const whole = { ...figures, fraction: '' };
  const name = nameOf(currency, whole, language);
  const amount = `${say(value, language, genderOf(currency, language))}${linkAfterMillions(whole, language, name)}${name}`;
  if (coins === 0 || minor === undefined) return amount;
  const coin = formOf(minor, { value: coins, fraction: '', mark: '', written: '' }, language);
  const named = `${say(coins, language, genderFrom(minor))} ${coin}`;
  if (value === 0) return named;
  const tail = language.namesCoins ? named : count(coins, language);
  return [amount, language.moneyAnd, tail].filter((part) => part !== '').join(' ');
}

function genderOf(currency: string, language: Language): string {
  return genderFrom(language.money[currency] ?? '');
}

function nameOf(currency: string, figures: Figures, language: Language): string {
  const forms = language.money[currency];
  if (forms !== undefined) return formOf(forms, figures, language);
  const format = new Intl.NumberFormat(`${language.locale}-u-nu-latn`, {
    style: 'currency',
    currency,
    currencyDisplay: 'name',
  });
  const parts = format.formatToParts(figures.value).filter(({ type }) => type === 'currency');
  return parts.map(({ value }) => value.trim()).join(' ');
}

/** The currency of a word: `Euro`, `dollars`. */
function currencyNamed(name: string, language: Language): string | undefined {
  const isName = (currency: string, value: number): boolean =>
    nameOf(currency, { value, fraction: '', mark: '', written: '' }, language).toLowerCase() === name.toLowerCase();
  return Object.values(CURRENCIES).find((currency) => [1, 2, 5].some((value) => isName(currency, value)));
}

/** A sign that stands alone: `in €`; `undefined` for other signs. */
export function sayCurrency(sign: string, language: Language): string | undefined {
  const currency = CURRENCIES[sign];
  return currency && nameOf(currency, { value: 2, fraction: '', mark: '', written: '2' }, language);
}
