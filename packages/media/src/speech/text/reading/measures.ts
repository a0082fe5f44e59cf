import type { Language } from '../language.js';
import type { Reading, TextPosition } from '../place.js';
import { isListed } from '../word-list.js';
import { multipleAt, noCoins, sayMultiple } from './multiples.js';
import { genderOfNext } from './nouns.js';
import {
  categoryOf,
  count,
  type Figures,
  formOf,
  genderFrom,
  isGenitive,
  linkAfterMillions,
  linkOf,
  say,
  sayFigures,
} from './numbers.js';

/** Units times an hour (`mAh`); CLDR names only the kilowatt-hour. */
const UNIT_HOURS: Readonly<Record<string, string>> = {
  Wh: 'watt',
  MWh: 'megawatt',
  GWh: 'gigawatt',
  Ah: 'ampere',
  mAh: 'milliampere',
};

/** Signs of rates without a slash. */
const SHORT_RATES: Readonly<Record<string, string>> = {
  kbps: 'kbit/s',
  Mbps: 'Mbit/s',
  Gbps: 'Gbit/s',
  mpg: 'mi/gal',
};

/** What reading a measure needs to know about its place. */
type MeasurePlace = Pick<TextPosition, 'language' | 'before' | 'isQuoted'> & Partial<Pick<TextPosition, 'previous'>>;

/** CLDR's names of a unit by plural category, with its gender; `undefined` for other signs. */
export function unitNames(sign: string, { units, unitSigns }: Language): Readonly<Record<string, string>> | undefined {
  return Object.hasOwn(unitSigns, sign) ? units[unitSigns[sign] ?? ''] : undefined;
}

/** `per day`, `pro Kilometer`: a unit after a slash, by its name, or by its sign after figures. */
export function perUnit(each: string, isAfterFigures: boolean, language: Language): string | undefined {
  const named = Object.values(language.units).find(({ one }) => one?.toLowerCase() === each.toLowerCase());
  const unit = named ?? (isAfterFigures ? unitNames(each, language) : undefined);
  return unit === undefined || language.rate === '' ? undefined : `${language.rate} ${oneOf(unit)}`;
}

/** The singular of a unit; some languages have one form. */
function oneOf(unit: Readonly<Record<string, string>>): string {
  return unit.one ?? unit.other ?? '';
}

/** Reads a unit without figures if its sign cannot be a word: `pro m²`, `in km/h`. */
export function readUnit({ rest, language, before }: TextPosition): Reading | undefined {
  const [sign = '', numbered] = /^(?:[kcdm]?m[²³]|km\/[hu]|(km)(?=[\s\u00a0]\d))(?![\p{L}\d])/u.exec(rest) ?? [];
  const unit = unitNames(sign, language);
  // A place on a road: `at km 12`, after a plural article `entre los km 12 y 15`.
  if (numbered !== undefined && unit !== undefined && !/\d$/u.test(before ?? ''))
    return {
      words: (/^\p{L}{1,2}s$/u.test(before ?? '') ? unit.other : undefined) ?? oneOf(unit),
      length: sign.length,
    };
  const words = before === language.rate ? unit && oneOf(unit) : (unit?.many ?? unit?.other);
  return words === undefined ? undefined : { words, length: sign.length };
}

/** A hyphen only before longer signs, and those that are rarely anything else: `16-GB`, `100-m`. */
const UNIT =
  /^(?:[\s\u00a0\u202f]|-(?=\p{L}{2}|[hmVW](?!\p{L})))?((?:°[CF]?|[%‰℃])|[\p{L}µΩ]{1,5}(?:\/(?:[hsuч]|sa))?[²³23]?)(?![\p{L}\d])(['’]\p{L})?/u;

/** The unit after figures: its words, and the grammatical gender for the figures. */
export function unitAfter(
  text: string,
  figures: Figures,
  { language, before, isQuoted }: MeasurePlace,
): { name: string; gender: string; length: number } | undefined {
  const [times = ''] = /^[x×](?![\p{L}\d]|[\s\u00a0]?[\d+−=-])/u.exec(text) ?? [];
  if (times !== '' && language.times !== '')
    return { name: formOf(language.times, figures, language), gender: genderFrom(language.times), length: 1 };
  if (isCounted(text, language)) return undefined;
  const [inches = ''] = (isQuoted === false ? /^[″"](?![\p{L}\d])/u : /^″/u).exec(text) ?? [];
  const inch = language.units.inch;
  // English units are singular before a noun: `a 16 GB card`.
  const isBeforeNoun = language.adjectiveUnits === true && /^an?$/iu.test(before ?? '');
  if (inches !== '' && inch !== undefined)
    return {
      name: (isBeforeNoun ? inch.one : inch[categoryOf(figures, language)]) ?? '',
      gender: inch.gender ?? 'masculine',
      length: 1,
    };
  const [matched = '', written = '', suffix = ''] = SQUARE.exec(text) ?? UNIT.exec(text) ?? [];
  if (suffix !== '' && language.suffixes !== true) return undefined;
  const all = matched.slice(0, matched.length - suffix.length);
  const bare = signOf(written, { language, before });
  const dotted = `${bare}${text[all.length] ?? ''}`;
  const isNamedDotted = dotted.endsWith('.') && Object.hasOwn(language.unitSigns, dotted);
  const sign = isNamedDotted ? dotted : bare;
  // A full stop in the middle of a sentence is that of the sign: `200 yds. away`.
  const isDotted = isNamedDotted || (/\p{L}$/u.test(bare) && /^\.[\s\u00a0]\p{Ll}/u.test(text.slice(all.length)));
  const unit = formsOf(sign, language);
  if (unit === undefined) return isNamedDotted ? undefined : rateAfter(text, figures, { language, before });
  if (isWord(sign, all, language)) return undefined;
  const end = all.length + (isDotted ? 1 : 0);
  // An abbreviation with a slash is not a rate: the Dutch `3 t/m 5`.
  const abbreviated = language.abbreviations.find(text, all.length - written.length, undefined)?.end ?? 0;
  if (text.slice(end, abbreviated).includes('/') || (bare.length === 1 && isNumbered(text, abbreviated, figures)))
    return undefined;
  const rate = rateOf(text.slice(end), language);
  const isAdjective = isBeforeNoun || (language.adjectiveUnits === true && all.startsWith('-'));
  const name = (isAdjective ? unit.one : unit[categoryOf(figures, language)]) ?? unit.other ?? '';
  const [letter = ''] = sign === '°' ? (/^[\s\u00a0\u202f]?\p{Lu}(?![\p{L}\d])/u.exec(text.slice(end)) ?? []) : [];
  const direction = letter === '' ? undefined : language.compass?.[letter.trim()];
  if (direction !== undefined)
    return { name: `${name} ${direction}`, gender: unit.gender ?? 'masculine', length: end + letter.length };
  return {
    name: name + (rate?.words ?? ''),
    gender: unit.gender ?? 'masculine',
    length: end + (rate?.length ?? 0),
  };
}

/** A letter with a full stop between two whole numbers is an abbreviation: the flat in the Polish `5 m. 7`. */
function isNumbered(text: string, end: number, { fraction }: Figures): boolean {
  return fraction === '' && text[end - 1] === '.' && /^[\s\u00a0]\d/u.test(text.slice(end));
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
  const unit = unitNames(sign, language);
  const own = language.ratesByUnit?.[hundred.trim() + sign];
  if (own !== undefined) return { words: ` ${own}`, length: all.length };
  if (unit === undefined || language.rate === '') return undefined;
  const each = hundred === '' ? oneOf(unit) : `${count(100, language)} ${unit.other}`;
  return { words: ` ${language.rate} ${each}`, length: all.length };
}

/** Forms of a unit's name by its sign; `undefined` for other signs. */
function formsOf(sign: string, language: Language): Readonly<Record<string, string>> | undefined {
  const { units, decibel } = language;
  const known = unitNames(sign, language);
  if (known !== undefined) return known;
  if (sign === 'dB') return namedForms(decibel);
  const [factor, kilowatt] = [units[UNIT_HOURS[sign] ?? '']?.one, units.kilowatt?.one];
  if (!Object.hasOwn(UNIT_HOURS, sign) || factor === undefined || kilowatt === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(units['kilowatt-hour'] ?? {}).map(([category, name]) => [category, name.replace(kilowatt, factor)]),
  );
}

function namedForms(forms: string): Readonly<Record<string, string>> {
  const names = (forms.split(':')[0] ?? '').split('/');
  const categories = names.length === 2 ? ['one', 'other'] : ['one', 'few', 'many', 'other'];
  return {
    gender: genderFrom(forms),
    ...Object.fromEntries(categories.map((name, index) => [name, names[index] ?? ''])),
  };
}

/** The sign of a unit as the table has it: `sq ft`, the minutes of `1h 30m`. */
function signOf(sign: string, { before }: MeasurePlace): string {
  // The Greek letter and the sign for micro look the same.
  const written = sign.replace('μ', 'µ');
  if (written === 'm' && /^\d{1,3}h(?:rs?)?$/u.test(before ?? '')) return 'min';
  return written.replace(/^sq\.?[\s\u00a0](\p{L}{1,2})$/u, '$1²').replace(/^cu\.?[\s\u00a0](\p{L}{1,2})$/u, '$1³');
}

/** Square and cubic units in words. */
const SQUARE = /^[\s\u00a0]((?:sq|cu)\.?[\s\u00a0](?:ft|m|cm|km))(?![\p{L}\d])/u;

/** Multiples of what is counted, whose signs are also units: `3.7m people`, `5,6 mi de reais`. */
function isCounted(text: string, language: Language): boolean {
  const multiple = multipleAt(text, language);
  const after = text.slice(multiple?.length ?? 0);
  const noun = /^[\s\u00a0](\p{L}{1,20})/u.exec(after)?.[1];
  return multiple !== undefined && (isListed(language.counted, noun) || linkAfter(after, language) !== '');
}

/** The word between a multiple and what is counted, as written: ` de `. */
function linkAfter(text: string, { ofMillions, ofMillionsElided }: Language): string {
  const words = [ofMillions, ofMillionsElided].filter((link) => link !== undefined && link !== ' ');
  return words.find((link) => link !== undefined && text.replaceAll('\u00a0', ' ').startsWith(link)) ?? '';
}

/** True when the sign is more likely a word of the language than a unit. */
function isWord(sign: string, written: string, { notUnits }: Language): boolean {
  return written === sign ? sign === 'A' : sign !== '' && sign === notUnits;
}

/** Figures with their unit (`5 km`, `20 %`, `10–12 kg`), or in the gender of the noun after them. */
export function sayMeasure(figures: Figures, text: string, place: MeasurePlace): Reading {
  const { language, before } = place;
  const inGenitive = isGenitive(figures, language, before);
  // A letter after a code is not a unit: `K8s`, `I-95 N`.
  const isName =
    (/\p{L}/u.test(place.previous ?? '') && /^\p{L}(?!\p{L})/u.test(text)) ||
    (place.previous === '-' && /^ \p{Lu}(?!\p{L})/u.test(text));
  const unit = isName ? undefined : unitAfter(text, inGenitive ? genitiveOf(figures) : figures, place);
  if (unit === undefined) return sayCounted(figures, text, place);
  const length = figures.written.length + unit.length;
  // In Turkish the word for percent is before the figures.
  if (language.percentFirst === true && /^\s?[%‰]/u.test(text))
    return { words: `${unit.name} ${sayFigures(figures, language)}`, length };
  const amount = inGenitive ? sayGenitive(figures, language, unit.gender) : sayFigures(figures, language, unit.gender);
  // Some names are around the figures: `時速 {0} キロメートル`.
  if (unit.name.includes('{0}')) return { words: unit.name.replace('{0}', amount), length };
  return { words: `${amount}${linkAfterMillions(figures, language, unit.name)}${unit.name}`, length };
}

/** Figures without a unit: `3 mln` in Slavic languages, `5 M de`, `5,-`, `1 Tag`, `21 personas`. */
function sayCounted(figures: Figures, text: string, { language, before }: MeasurePlace): Reading {
  const { written } = figures;
  const multiple = multipleAt(text, language);
  // `1.05M` cannot be anything else.
  const isGlued = figures.fraction !== '' && /^[KMB](?![\p{L}\d])/u.test(text);
  if (multiple !== undefined && (isGlued || multiple.word.includes('/') || isSure(text, multiple.length, language))) {
    const amount = { words: sayMultiple(figures, multiple.word, language), length: written.length + multiple.length };
    const after = text.slice(multiple.length);
    const link = linkAfter(after, language);
    // A unit of the millions: `149,6 Mio. km`.
    const many = { value: 1e6, fraction: '', mark: '', written: '' };
    const unit = unitAfter(link === '' ? after : after.slice(link.length - 1), many, { language, before: undefined });
    if (unit === undefined) return amount;
    const words = `${amount.words}${linkOf(language, unit.name)}${unit.name}`;
    return { words, length: amount.length + Math.max(0, link.length - 1) + unit.length };
  }
  const length = written.length + noCoins(text, figures).length;
  const gender = isListed(language.beforeNumerals, before) ? undefined : genderOfNext(text, figures, language);
  if (isGenitive(figures, language, before)) return { words: sayGenitive(figures, language, gender), length };
  return { words: sayFigures(figures, language, gender), length };
}

/** Whether letters are a multiple: longer ones are, a single one only before what is counted. */
function isSure(text: string, length: number, language: Language): boolean {
  return text.slice(0, length).replace(/[^\p{L}]/gu, '').length > 1 || isCounted(text, language);
}

/** Polish: `do pięciu`. */
function sayGenitive({ value }: Figures, language: Language, gender = 'masculine'): string {
  return say(value, language, `${gender === 'inanimate' ? 'masculine' : gender}-genitive`);
}

/** Figures that choose the genitive of a unit: the singular for one, the plural for all others. */
function genitiveOf(figures: Figures): Figures {
  return figures.value === 1 ? { ...figures, fraction: '5' } : { ...figures, value: 5 };
}
