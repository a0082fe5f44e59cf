import type { Language } from '../language.js';
import { isListed, type Reading, type TextPosition } from '../place.js';
import { genderOfNext } from './nouns.js';
import {
  categoryOf,
  count,
  type Figures,
  isGenitive,
  linkAfterMillions,
  linkOf,
  readFigures,
  say,
  sayFigures,
} from './numbers.js';

/** CLDR's names of units by their signs, without ambiguous signs. */
const UNITS: Readonly<Record<string, string>> = {
  km: 'kilometer',
  m: 'meter',
  dm: 'decimeter',
  cm: 'centimeter',
  mm: 'millimeter',
  µm: 'micrometer',
  nm: 'nanometer',
  'km²': 'square-kilometer',
  'm²': 'square-meter',
  'cm²': 'square-centimeter',
  km2: 'square-kilometer',
  m2: 'square-meter',
  cm2: 'square-centimeter',
  'm³': 'cubic-meter',
  m3: 'cubic-meter',
  'cm³': 'cubic-centimeter',
  cm3: 'cubic-centimeter',
  ha: 'hectare',
  kg: 'kilogram',
  g: 'gram',
  mg: 'milligram',
  µg: 'microgram',
  t: 'tonne',
  lb: 'pound',
  lbs: 'pound',
  oz: 'ounce',
  l: 'liter',
  L: 'liter',
  ml: 'milliliter',
  mL: 'milliliter',
  cl: 'centiliter',
  dl: 'deciliter',
  dL: 'deciliter',
  hl: 'hectoliter',
  gal: 'gallon',
  h: 'hour',
  min: 'minute',
  mins: 'minute',
  s: 'second',
  sec: 'second',
  secs: 'second',
  ms: 'millisecond',
  µs: 'microsecond',
  ns: 'nanosecond',
  yr: 'year',
  yrs: 'year',
  tbsp: 'tablespoon',
  tsp: 'teaspoon',
  hr: 'hour',
  hrs: 'hour',
  kB: 'kilobyte',
  KB: 'kilobyte',
  MB: 'megabyte',
  GB: 'gigabyte',
  TB: 'terabyte',
  PB: 'petabyte',
  Mbit: 'megabit',
  Gbit: 'gigabit',
  kbit: 'kilobit',
  Mb: 'megabit',
  Gb: 'gigabit',
  'km/h': 'kilometer-per-hour',
  'm/s': 'meter-per-second',
  mph: 'mile-per-hour',
  kmh: 'kilometer-per-hour',
  '°C': 'celsius',
  '°F': 'fahrenheit',
  '°': 'degree',
  '%': 'percent',
  '‰': 'permille',
  W: 'watt',
  kW: 'kilowatt',
  MW: 'megawatt',
  GW: 'gigawatt',
  mW: 'milliwatt',
  V: 'volt',
  A: 'ampere',
  mA: 'milliampere',
  Ω: 'ohm',
  kWh: 'kilowatt-hour',
  Hz: 'hertz',
  kHz: 'kilohertz',
  MHz: 'megahertz',
  GHz: 'gigahertz',
  J: 'joule',
  kJ: 'kilojoule',
  kcal: 'kilocalorie',
  N: 'newton',
  bar: 'bar',
  hPa: 'hectopascal',
  kPa: 'kilopascal',
  Pa: 'pascal',
  lm: 'lumen',
  lx: 'lux',
  px: 'pixel',
  MP: 'megapixel',
  ft: 'foot',
  yd: 'yard',
  mi: 'mile',
  hp: 'horsepower',
  'ft²': 'square-foot',
  км: 'kilometer',
  м: 'meter',
  см: 'centimeter',
  мм: 'millimeter',
  кг: 'kilogram',
  г: 'gram',
  л: 'liter',
  мл: 'milliliter',
  'км/ч': 'kilometer-per-hour',
  'м²': 'square-meter',
  'км²': 'square-kilometer',
  ч: 'hour',
  мин: 'minute',
  с: 'second',
  т: 'tonne',
  кВт: 'kilowatt',
  ГБ: 'gigabyte',
  МБ: 'megabyte',
  га: 'hectare',
  'м³': 'cubic-meter',
};

/** Units times an hour (`mAh`); CLDR names only the kilowatt-hour. */
const UNIT_HOURS: Readonly<Record<string, string>> = {
  Wh: 'watt',
  MWh: 'megawatt',
  GWh: 'gigawatt',
  Ah: 'ampere',
  mAh: 'milliampere',
};

/** Names that CLDR does not have, like those of currencies. */
const DECIBELS: Readonly<Record<string, string>> = {
  en: 'decibel/decibels',
  de: 'Dezibel/Dezibel:n',
  fr: 'décibel/décibels:m',
  es: 'decibelio/decibelios:m',
  it: 'decibel/decibel:m',
  pt: 'decibel/decibéis:m',
  nl: 'decibel/decibel',
  pl: 'decybel/decybele/decybeli/decybela:m',
  ru: 'децибел/децибела/децибел/децибела:m',
  tr: 'desibel/desibel',
};

/** Signs of rates without a slash. */
const SHORT_RATES: Readonly<Record<string, string>> = {
  kbps: 'kbit/s',
  Mbps: 'Mbit/s',
  Gbps: 'Gbit/s',
  mpg: 'mi/gal',
};

/** CLDR's word between the two units of a rate (`g/cm³`), in languages where it needs no grammatical case. */
const RATES: Readonly<Record<string, string>> = {
  en: 'per',
  de: 'pro',
  fr: 'par',
  es: 'por',
  it: 'per',
  pt: 'por',
  nl: 'per',
};

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
  R$: 'BRL',
  zł: 'PLN',
  EUR: 'EUR',
  USD: 'USD',
  GBP: 'GBP',
  CHF: 'CHF',
  JPY: 'JPY',
  PLN: 'PLN',
  BRL: 'BRL',
  TRY: 'TRY',
  RUB: 'RUB',
  TL: 'TRY',
  'Fr.': 'CHF',
  'руб.': 'RUB',
  руб: 'RUB',
};

/** What reading a measure needs to know about its place. */
type MeasurePlace = Pick<TextPosition, 'language' | 'before' | 'isQuoted'>;

const SIGN_BEFORE =
  /^((?:US|R|CA|C|AU|A|NZ|HK|S)\$|[$€£¥₹₽₩₺₴₪]|(?:EUR|USD|GBP|CHF|JPY|PLN|BRL|TRY|RUB|CAD|AUD|NZD|SEK|NOK|DKK|CZK|HUF|CNY|INR|MXN|KRW|SGD|ZAR)(?=[\s\u00a0\u202f]?\d))[\s\u00a0\u202f]?(?=\d)/u;
const SIGN_AFTER =
  /^[\s\u00a0\u202f]?((?:(?:US|R|CA|C|AU|A|NZ|HK|S)\$|[$€£¥₹₽₩₺₴₪])(?!\d)|(?:EUR|USD|GBP|CHF|JPY|PLN|BRL|TRY|RUB|CAD|AUD|NZD|SEK|NOK|DKK|CZK|HUF|CNY|INR|MXN|KRW|SGD|ZAR|TL|zł|руб\.?|Fr\.)(?![\p{L}\d]))/u;
const RANGE_SIGN = /^[–—-]((?:US|R|CA|C|AU|A|NZ|HK|S)\$|[$€£¥₹₽₩₺₴₪])(?=\d)/u;
const ISO_CODE = /^[A-Z]{3}$/u;

/** Whether a text begins with a currency before figures: `$5`, `CHF 20`. */
export function beginsWithCurrency(text: string): boolean {
  return SIGN_BEFORE.test(text);
}

const MULTIPLE =
  /^[\s\u00a0\u202f]?((?:thousand|hundred|million|billion|trillion|millions?|milliards?|Millionen|Million|Milliarden|Milliarde|millones|millón|mil millones|milioni|milione|miliardi|miliardo|milhões|milhão|bilhões|bilhão|mil|miljoen|miljard|milyon|milyar|bin)(?![\p{L}])|(?:Mio|Mrd|Mds?|Tsd|mln|mld|tys|тыс|млн|млрд)(?![\p{L}])\.?|(?:bn|[kKMBmb])(?![\p{L}\d]))/u;
const MULTIPLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // Slavic ones by plural category, with the gender, like the names of currencies.
  en: { k: 'thousand', K: 'thousand', m: 'million', M: 'million', b: 'billion', B: 'billion', bn: 'billion' },
  de: { Mio: 'Millionen', Mrd: 'Milliarden', Tsd: 'Tausend' },
  fr: { M: 'millions', k: 'mille', Md: 'milliards', Mds: 'milliards' },
  es: { M: 'millones', k: 'mil' },
  it: { mln: 'milioni', mld: 'miliardi' },
  nl: { mln: 'miljoen', mld: 'miljard' },
  pl: {
    mln: 'milion/miliony/milionów/miliona:m',
    mld: 'miliard/miliardy/miliardów/miliarda:m',
    tys: 'tysiąc/tysiące/tysięcy/tysiąca:m',
  },
  ru: {
    млн: 'миллион/миллиона/миллионов/миллиона:m',
    млрд: 'миллиард/миллиарда/миллиардов/миллиарда:m',
    тыс: 'тысяча/тысячи/тысяч/тысячи:f',
  },
};

/** Reads an amount of money, a range of two (`$5–$10`), or a price for each of something (`2,99 €/kg`, `$5/month`). */
export function readMoney(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  const amount = readAmount(place);
  if (amount === undefined) return undefined;
  const after = rest.slice(amount.length);
  const [dash = '', sign] = RANGE_SIGN.exec(after) ?? [];
  const from = readFigures(rest.slice(sign?.length), language);
  const to = dash !== '' && rest.startsWith(sign ?? ' ') ? readMoney({ ...place, rest: after.slice(1) }) : undefined;
  if (to !== undefined && from !== undefined && (sign?.length ?? 0) + from.written.length === amount.length)
    return { words: `${sayFigures(from, language)} ${language.to} ${to.words}`, length: amount.length + 1 + to.length };
  const [slash = '', each = ''] = /^[\s\u00a0]?\/[\s\u00a0]?(\p{L}{1,12}[²³]?)(?![\p{L}\d/])/u.exec(after) ?? [];
  if (each === '' || language.per === '') return amount;
  const unit = Object.hasOwn(UNITS, each) ? language.units[UNITS[each] ?? ''] : undefined;
  return { words: `${amount.words} ${language.per} ${unit?.one ?? each}`, length: amount.length + slash.length };
}

/** An amount: the sign before or after the figures, with millions, with subunits. */
function readAmount({ rest, language }: TextPosition): Reading | undefined {
  const [lead = '', signBefore] = SIGN_BEFORE.exec(rest) ?? [];
  const figures = readFigures(rest.slice(lead.length), language);
  if (figures === undefined) return undefined;
  let length = lead.length + figures.written.length;
  const multiple = multipleAt(rest.slice(length), language, signBefore !== undefined);
  const afterMultiple = length + (multiple?.length ?? noCoins(rest.slice(length), figures).length);
  const [tail = '', signAfter] = signBefore === undefined ? (SIGN_AFTER.exec(rest.slice(afterMultiple)) ?? []) : [];
  const minor = /^[\s\u00a0]?¢/u.exec(rest.slice(length))?.[0];
  const cents = language.money['minor USD'];
  if (minor !== undefined && cents !== undefined) {
    const words = `${sayFigures(figures, language, genderFrom(cents))} ${formOf(cents, figures, language)}`;
    return { words, length: length + minor.length };
  }
  const sign = signBefore ?? signAfter ?? '';
  const currency = CURRENCIES[sign] ?? (ISO_CODE.test(sign) ? sign : undefined);
  if (currency === undefined) return undefined;
  length = afterMultiple + tail.length;
  if (multiple !== undefined) {
    const name = nameOf(currency, { ...figures, value: 1e6, fraction: '' }, language);
    const link = /^(?:mil|mille|thousand|hundred|bin)$/u.test(multiple.word) ? ' ' : linkOf(language.code, name);
    return { words: `${sayMultiple(figures, multiple.word, language)}${link}${name}`, length };
  }
  return { words: saySum(figures, currency, language), length };
}

/** The dash in place of coins: `5,- €`, `12,– Euro`, `5.– Fr.` */
function noCoins(text: string, { fraction }: Figures): string {
  return fraction === '' ? (/^[.,][-–—]{1,2}(?![\d-])/u.exec(text)?.[0] ?? '') : '';
}

/** `three million`, with the plural and the gender of languages that have them: `dwa tysiące`, `две тысячи`. */
function sayMultiple(figures: Figures, word: string, language: Language): string {
  const isInflected = word.includes('/');
  const amount = sayFigures(figures, language, isInflected ? genderFrom(word) : 'masculine');
  return `${amount} ${isInflected ? formOf(word, figures, language) : word}`;
}

function multipleAt(
  text: string,
  { code }: Language,
  isAfterSign: boolean,
): { word: string; length: number } | undefined {
  const [all = '', sign = ''] = MULTIPLE.exec(text) ?? [];
  if (all === '') return undefined;
  const key = sign.replace(/\.$/u, '');
  const word = MULTIPLES[code]?.[key];
  if (word !== undefined) return { word, length: all.length };
  // A single letter counts only if the language uses it, after a currency sign.
  return key.length < 3 || (!isAfterSign && key.endsWith('.')) ? undefined : { word: key, length: all.length };
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

const GENDERS: Readonly<Record<string, string>> = { m: 'masculine', f: 'feminine', n: 'neuter' };

function genderFrom(forms: string): string {
  return GENDERS[forms.split(':')[1] ?? 'm'] ?? 'masculine';
}

function genderOf(currency: string, language: Language): string {
  return genderFrom(language.money[currency] ?? '');
}

function formOf(forms: string, figures: Figures, language: Language): string {
  const names = (forms.split(':')[0] ?? '').split('/');
  const category = categoryOf(figures, language);
  if (names.length === 2) return names[category === 'one' ? 0 : 1] ?? '';
  return names[['one', 'few', 'many', 'other'].indexOf(category)] ?? names.at(-1) ?? '';
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

/** A sign that stands alone: `in €`; `undefined` for other signs. */
export function sayCurrency(sign: string, language: Language): string | undefined {
  const currency = CURRENCIES[sign];
  return currency && nameOf(currency, { value: 2, fraction: '', mark: '', written: '2' }, language);
}

/** A hyphen only before longer signs, and those that are rarely anything else: `16-GB`, `100-m`. */
const UNIT =
  /^(?:[\s\u00a0\u202f]|-(?=\p{L}{2}|[hmVW](?!\p{L})))?((?:°[CF]?|[%‰])|[\p{L}µΩ]{1,5}(?:\/[hsч])?[²³23]?)(?![\p{L}\d'’])/u;

/** The unit after figures: its words, and the grammatical gender for the figures. */
export function unitAfter(
  text: string,
  figures: Figures,
  { language, before, isQuoted }: MeasurePlace,
): { name: string; gender: string; length: number } | undefined {
  const [times = ''] = /^[x×](?![\p{L}\d]|[\s\u00a0]?[\d+−=-])/u.exec(text) ?? [];
  if (times !== '' && language.times !== '')
    return { name: formOf(language.times, figures, language), gender: genderFrom(language.times), length: 1 };
  if (language.code === 'en' && COUNTED.test(text)) return undefined;
  const [inches = ''] = (isQuoted === false ? /^[″"](?![\p{L}\d])/u : /^″/u).exec(text) ?? [];
  const inch = language.units.inch;
  if (inches !== '' && inch !== undefined)
    return { name: inch[categoryOf(figures, language)] ?? '', gender: inch.gender ?? 'masculine', length: 1 };
  const [all = '', written = ''] = (language.code === 'en' ? SQUARE.exec(text) : null) ?? UNIT.exec(text) ?? [];
  const sign = signOf(written, { language, before });
  const unit = formsOf(sign, language);
  if (unit === undefined) return rateAfter(text, figures, { language, before });
  const years = language.units.year;
  // In German, `J.` is a year.
  if (sign === 'J' && language.code === 'de' && text[all.length] === '.' && years !== undefined)
    return {
      name: years[categoryOf(figures, language)] ?? '',
      gender: years.gender ?? 'neuter',
      length: all.length + 1,
    };
  if (isWord(sign, all, language)) return undefined;
  const rate = rateOf(text.slice(all.length), language);
  // English units are singular before a noun: `a 16 GB card`.
  const isAdjective = language.code === 'en' && (all.startsWith('-') || /^an?$/iu.test(before ?? ''));
  const name = (isAdjective ? unit.one : unit[categoryOf(figures, language)]) ?? unit.other ?? '';
  return {
    name: name + (rate?.words ?? ''),
    gender: unit.gender ?? 'masculine',
    length: all.length + (rate?.length ?? 0),
  };
}

/** A unit whose sign with its rate has no name of its own: `100 Mbit/s`, `100 Mbps`. */
function rateAfter(text: string, figures: Figures, place: MeasurePlace): ReturnType<typeof unitAfter> {
  const [written = '', gap = '', short = ''] = /^([\s\u00a0\u202f]?)(\p{L}{3,4})(?![\p{L}\d])/u.exec(text) ?? [];
  if (Object.hasOwn(SHORT_RATES, short)) {
    const rate = unitAfter(`${gap}${SHORT_RATES[short]}`, figures, place);
    return rate && { ...rate, length: written.length };
  }
  const [all = ''] = /^[\s\u00a0\u202f]?\p{L}{1,5}(?=\/[hs](?![\p{L}\d²³]))/u.exec(text) ?? [];
  const rate = rateOf(text.slice(all.length), place.language);
  const unit = all === '' || rate === undefined ? undefined : unitAfter(all, figures, place);
  return unit && rate && { ...unit, name: unit.name + rate.words, length: all.length + rate.length };
}

/** The words of `/min`, `/100 km` after a unit. */
function rateOf(text: string, language: Language): { words: string; length: number } | undefined {
  const [all = '', hundred = '', sign = ''] = /^\/(100[\s\u00a0]?)?(\p{L}{1,4}[²³23]?)(?![\p{L}\d/])/u.exec(text) ?? [];
  const unit = Object.hasOwn(UNITS, sign) ? language.units[UNITS[sign] ?? ''] : undefined;
  const per = RATES[language.code];
  if (unit === undefined || per === undefined) return undefined;
  const each = hundred === '' ? unit.one : `${count(100, language)} ${unit.other}`;
  return { words: ` ${per} ${each}`, length: all.length };
}

/** Forms of a unit's name by its sign; `undefined` for other signs. */
function formsOf(sign: string, { units, code }: Language): Readonly<Record<string, string>> | undefined {
  if (Object.hasOwn(UNITS, sign)) return units[UNITS[sign] ?? ''];
  if (sign === 'dB') return namedForms(DECIBELS[code]);
  const [factor, kilowatt] = [units[UNIT_HOURS[sign] ?? '']?.one, units.kilowatt?.one];
  if (!Object.hasOwn(UNIT_HOURS, sign) || factor === undefined || kilowatt === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(units['kilowatt-hour'] ?? {}).map(([category, name]) => [category, name.replace(kilowatt, factor)]),
  );
}

function namedForms(forms: string | undefined): Readonly<Record<string, string>> | undefined {
  if (forms === undefined) return undefined;
  const names = (forms.split(':')[0] ?? '').split('/');
  const categories = names.length === 2 ? ['one', 'other'] : ['one', 'few', 'many', 'other'];
  return {
    gender: genderFrom(forms),
    ...Object.fromEntries(categories.map((name, index) => [name, names[index] ?? ''])),
  };
}

/** The sign of an English unit as {@link UNITS} has it: `sq ft`, the minutes of `1h 30m`. */
function signOf(written: string, { language, before }: MeasurePlace): string {
  if (language.code !== 'en') return written;
  if (written === 'm' && /^\d{1,3}h(?:rs?)?$/u.test(before ?? '')) return 'min';
  return written.replace(/^sq\.?[\s\u00a0](\p{L}{1,2})$/u, '$1²').replace(/^cu\.?[\s\u00a0](\p{L}{1,2})$/u, '$1³');
}

/** English square and cubic units. */
const SQUARE = /^[\s\u00a0]((?:sq|cu)\.?[\s\u00a0](?:ft|m|cm|km))(?![\p{L}\d])/u;

/** English multiples of what is counted, whose letters are also units: `3.7m people`. */
const COUNTED =
  /^(?:[kKmMbB]|bn)[\s\u00a0](?:people|users|customers|views|followers|subscribers|downloads|jobs|homes|copies|voters|workers|children|visitors|passengers|members|years|words)(?!\p{L})/u;

/** True when the sign is more likely a word of the language than a unit. */
function isWord(sign: string, written: string, { code }: Language): boolean {
  if (code === 'ru') return false;
  return (
    (written !== sign &&
      ((code === 'it' && sign === 'ha') || (code === 'es' && sign === 'ha') || (code === 'fr' && sign === 'a'))) ||
    (sign === 'A' && written === sign)
  );
}

/** Figures with their unit (`5 km`, `20 %`, `10–12 kg`), or in the gender of the noun after them. */
export function sayMeasure(figures: Figures, text: string, place: MeasurePlace): Reading {
  const { language, before } = place;
  const inGenitive = isGenitive(figures, language, before);
  const unit = unitAfter(text, inGenitive ? genitiveOf(figures) : figures, place);
  if (unit === undefined) return sayCounted(figures, text, place);
  const length = figures.written.length + unit.length;
  // In Turkish the word for percent is before the figures.
  if (language.code === 'tr' && /^\s?%/u.test(text))
    return { words: `${unit.name} ${sayFigures(figures, language)}`, length };
  const amount = inGenitive ? sayGenitive(figures, language, unit.gender) : sayFigures(figures, language, unit.gender);
  return { words: `${amount}${linkAfterMillions(figures, language, unit.name)}${unit.name}`, length };
}

/** Figures without a unit: `3 mln` in Slavic languages, `5 M de`, `5,-`, `1 Tag`, `21 personas`. */
function sayCounted(figures: Figures, text: string, { language, before }: MeasurePlace): Reading {
  const { written } = figures;
  const multiple = multipleAt(text, language, false);
  const isMultiple =
    multiple !== undefined &&
    (multiple.word.includes('/') ||
      (language.code === 'en' && COUNTED.test(text)) ||
      /^[\s\u00a0](?:de[\s\u00a0]|d['’])/u.test(text.slice(multiple.length)));
  if (isMultiple)
    return { words: sayMultiple(figures, multiple.word, language), length: written.length + multiple.length };
  const length = written.length + noCoins(text, figures).length;
  const gender = isListed(language.beforeNumerals, before) ? undefined : genderOfNext(text, figures, language);
  if (isGenitive(figures, language, before)) return { words: sayGenitive(figures, language, gender), length };
  return { words: sayFigures(figures, language, gender), length };
}

/** Polish: `do pięciu`. */
function sayGenitive({ value }: Figures, language: Language, gender = 'masculine'): string {
  return say(value, language, `${gender === 'inanimate' ? 'masculine' : gender}-genitive`);
}

/** Figures that choose the genitive of a unit: the singular for one, the plural for all others. */
function genitiveOf(figures: Figures): Figures {
  return figures.value === 1 ? { ...figures, fraction: '5' } : { ...figures, value: 5 };
}
