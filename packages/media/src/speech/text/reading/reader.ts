import type { Language } from '../language.js';
import type { Reading, TextPosition } from '../place.js';
import { isListed } from '../word-list.js';
import { readHandle, readPhone, sayCode } from './addresses.js';
import { readDecade, readNumericDate, readTime, readWrittenDate, readYear } from './dates.js';
import { perUnit, readUnit, sayMeasure, unitAfter } from './measures.js';
import { beginsWithCurrency, readMoney, sayCurrency } from './money.js';
import { genderOfNext } from './nouns.js';
import { count, digits, type Figures, readFigures, sayFigures, sayFraction } from './numbers.js';
import { readNumeral, readOrdinal } from './ordinals.js';
import { fill } from './phrases.js';

/** Reads the word at the beginning of a token; `undefined` when it is read as written. */
export function readWord(place: TextPosition): Reading | undefined {
  return (
    readHandle(place) ??
    readInitials(place) ??
    readNumeral(place) ??
    readUnit(place) ??
    readShortened(place) ??
    readTimes(place)
  );
}

/** The plural of English initials: `URLs`, `CEOs`. */
function readInitials({ rest, language }: TextPosition): Reading | undefined {
  const [all = '', initials = ''] = /^(\p{Lu}{2,4})s(?![\p{L}\d])/u.exec(rest) ?? [];
  const { initialsPlural, spokenAcronyms = '' } = language;
  if (initialsPlural === undefined || all === '' || spokenAcronyms.split(' ').includes(initials)) return undefined;
  return { words: fill(initialsPlural, { initials: [...initials].join(' ') }, language), length: all.length };
}

/** The letter in `3 x 20`. */
function readTimes({ rest, before, language }: TextPosition): Reading | undefined {
  const isMeasured = /\d['’′"″]?$/u.test(before ?? '') || Object.hasOwn(language.unitSigns, before ?? '');
  const isTimes = isMeasured && /^x[\s\u00a0][$€£]?\d/u.test(rest);
  const sign = /['’′"″]$/u.test(before ?? '') ? 'x' : '×';
  return isTimes ? { words: language.signs[sign] ?? 'x', length: 1 } : undefined;
}

/** A word whose ending is an abbreviation: the German `Hauptstr. 5`. */
function readShortened({ rest, language: { wordEndings = {} } }: TextPosition): Reading | undefined {
  const [all = ''] = /^\p{Lu}[\p{Ll}-]{1,40}\.(?=[\s\u00a0,;)]|$)/u.exec(rest) ?? [];
  const ending = Object.keys(wordEndings).find((each) => all.length > each.length && all.endsWith(each));
  if (ending === undefined) return undefined;
  return { words: all.slice(0, -ending.length) + wordEndings[ending], length: all.length };
}

/** Reads figures and signs before figures. */
export function readNumber(place: TextPosition): Reading | undefined {
  const signed = readSigned(place);
  if (signed !== undefined) return signed;
  if (!/^\d/u.test(place.rest))
    return readMoney(place) ?? readPhone(place) ?? readDecade(place) ?? readOwnFraction(place) ?? readPlain(place);
  return (
    readBookNumber(place) ??
    readCode(place) ??
    readHeight(place) ??
    readArc(place) ??
    readMark(place) ??
    readPair(place) ??
    // After a letter it is a version: `v3.5.1`.
    (/\p{L}/u.test(place.previous) ? undefined : readNumericDate(place)) ??
    readPhone(place) ??
    readTime(place) ??
    readVersion(place) ??
    readDecade(place) ??
    readOwnFraction(place) ??
    readWrittenDate(place) ??
    readYear(place) ??
    readOrdinal(place) ??
    readRange(place) ??
    readMoney(place) ??
    readPlain(place)
  );
}

/** `-5`, `−5 °C`, `-$5`, `#6`, `%20` in Turkish. */
function readSigned(place: TextPosition): Reading | undefined {
  const { rest, previous, language } = place;
  const [sign = ''] = /^(?:[-−–#%‰]|(?:§{1,2}|№)[\s\u00a0\u202f]?)(?=\.?\d|[$€£¥])/u.exec(rest) ?? [];
  const isAmount = /^[-−–]$/u.test(sign) && beginsWithCurrency(rest.slice(1));
  if (sign === '' || !(isAmount || /^\.?\d/u.test(rest.slice(sign.length))) || /[\p{L}\d)]/u.test(previous))
    return undefined;
  const after = readNumber({ ...place, rest: rest.slice(sign.length), previous: sign });
  if (after === undefined) return undefined;
  const words: Readonly<Record<string, string | undefined>> = {
    '#': language.number,
    '№': language.number,
    '%': language.signs['%'],
    '‰': language.signs['‰'],
    '§': language.signs['§'],
  };
  const plural = sign.startsWith('§§') ? language.signs['§§'] : undefined;
  return {
    words: `${plural ?? words[sign[0] ?? ''] ?? language.signs['−']} ${after.words}`,
    length: sign.length + after.length,
  };
}

/** Reads versions and IP addresses: `1.2.3`. */
function readVersion({ rest, language }: TextPosition): Reading | undefined {
  const [written = ''] = /^\d{1,5}(?:\.\d{1,5}){2,5}(?![\d.]\d)/u.exec(rest) ?? [];
  // With a fraction it is still a number: `1.234.567,89`.
  if (written === '' || readFigures(rest, language)?.written.startsWith(written)) return undefined;
  const words = written.split('.').map((part) => sayCode(part, language));
  return { words: words.join(` ${language.address['.']} `), length: written.length };
}

/** Reads the figures of a code one by one: `ISBN 978-3-16-148410-0`, `IBAN DE89 3704`, `ZIP 90210`, and `10115` before a town after a comma. */
function readBookNumber({ rest, before, earlier, language }: TextPosition): Reading | undefined {
  const [postal = ''] = /^\d{5}(?=[\s\u00a0]\p{Lu}\p{L}{2})/u.exec(rest) ?? [];
  if (postal !== '' && language.postalDigits === true && before?.endsWith(','))
    return { words: digits(postal, language), length: postal.length };
  // A postal code after a state (`TX 78701`), a password, a confirmation's number.
  const [code = ''] = /^\d{4,12}(?![\p{L}\d]|[.,:/-]\d)/u.exec(rest) ?? [];
  // `The code is 552013`.
  const isLinked = code.length > 4 && /^\p{Ll}{1,4}$/u.test(before ?? '');
  const isPostal = code.length === 5 && language.codesInPairs === true && /^\p{Lu}{2}$/u.test(before ?? '');
  const isCode = namesCode(before, language) || (isLinked && namesCode(earlier, language));
  if (code !== '' && (isPostal || isCode)) return { words: digits(code, language), length: code.length };
  if (!/^(?:ISBN|ISSN|EAN|IBAN|BLZ|PIN|TAN|IMEI|PLZ|ZIP):?$/u.test(before ?? '')) return undefined;
  const [written = ''] = /^\d{1,15}(?:[-–\s]\d{1,7}){0,7}/u.exec(rest) ?? [];
  return { words: digits(written, language), length: written.length };
}

/** Whether a word, or the end of a compound (`Zugangscode`), names a code. */
function namesCode(token: string | undefined, { beforeCodes }: Language): boolean {
  const word = token?.toLowerCase().replace(/[,:]$/u, '');
  return (
    isListed(beforeCodes, word) ||
    beforeCodes?.split(' ').some((each) => each.length > 3 && word?.endsWith(each)) === true
  );
}

/**
 * Reads codes figure by figure: parts with hyphens that are more than a date has (`978-3-16-148410-0`) or that contain capital letters
 * (`12-05-2021-A`, `A-12-05-2021`), and book numbers without hyphens.
 */
function readCode(place: TextPosition): Reading | undefined {
  const { rest, previous, language } = place;
  const [book] = /^97[89]-?\d{10}(?![\d-])/u.exec(rest) ?? [];
  const [written = ''] =
    /^(?:\d{1,15}(?=(?:-[\p{Lu}\d]{1,16}){2})|0\d{1,7})(?:-(?:\d{1,15}\p{Lu}?|\p{Lu}{1,3})){1,9}(?![\p{L}\d-])/u.exec(
      rest,
    ) ?? [];
  const [parts = ''] = previous === '-' ? (/^\d{3,9}(?:-\d{3,9}){1,4}(?![\p{L}\d-])/u.exec(rest) ?? []) : [];
  const code = book ?? (written || parts);
  const groups = code.match(/\d{1,15}|\p{Lu}/gu) ?? [];
  const isCode =
    book !== undefined ||
    previous === '-' ||
    /^0\d*-\d+$/u.test(written) ||
    /\p{Lu}/u.test(written) ||
    groups.length > 3;
  if (code === '' || !isCode) return undefined;
  // A telephone number looks the same, and is read in pairs in French.
  const phone = readPhone(place);
  if (phone?.length === code.length) return phone;
  const words = groups.map((group) => (/\d/u.test(group) ? digits(group, language) : group));
  return { words: words.join(', '), length: code.length };
}

/** Reads heights in feet: `6'2"`, `6'2`; and the feet of sides: `12' x 15'`. */
function readHeight({ rest, before, language }: TextPosition): Reading | undefined {
  const [side = '', length = ''] = /^(\d{1,4}(?:\.\d)?)['’′](?![\p{L}\d])/u.exec(rest) ?? [];
  const isSide = /^(?:[x×]|by)$/u.test(before ?? '') || /^\s(?:[x×]|by)\s\d/u.test(rest.slice(side.length));
  const figures = side !== '' && isSide && language.foot !== undefined ? readFigures(length, language) : undefined;
  if (figures !== undefined)
    return { words: `${sayFigures(figures, language)} ${language.units.foot?.other}`, length: side.length };
  const [all = '', feet, inches, bare] =
    /^(\d)['’′](?:\s?(\d{1,2})(?:["”″]|'')|(?=1?\d(?!\d))(\d{1,2})(?![\p{L}\d]))/u.exec(rest) ?? [];
  if (all === '' || language.foot === undefined) return undefined;
  return {
    words: `${count(Number(feet), language)} ${language.foot} ${count(Number(inches ?? bare), language)}`,
    length: all.length,
  };
}

/**
 * Reads minutes and seconds of an angle or a time: `40° 26′ 46″`, `17′42″`; the latter only in languages without feet.
 */
function readArc(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  const [all = '', degrees = '', minutes = '', seconds] =
    /^(?:(\d{1,3})°[\s\u00a0\u202f]?)?(\d{1,2})[′’'][\s\u00a0\u202f]?(?:(\d{1,2}(?:[.,]\d{1,3})?)(?:[″”"]|''|′′))?(?![\p{L}\d])/u.exec(
      rest,
    ) ?? [];
  if (all === '' || (degrees === '' && (language.foot !== undefined || seconds === undefined))) return undefined;
  const parts = [
    [degrees, '°'],
    [minutes, ' min'],
    [seconds ?? '', ' s'],
  ].flatMap(([written = '', unit = '']) => {
    const figures = written === '' ? undefined : readFigures(written, language);
    return figures === undefined ? [] : [sayMeasure(figures, unit, { language, before: undefined }).words];
  });
  return { words: parts.join(' '), length: all.length };
}

/** Reads marks: `4.5/5`, in French also `15/20`; and blood pressures: `120/80 mmHg`. */
function readMark(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  const [all = '', got = '', best = ''] = /^(\d{1,3}(?:[.,]\d)?)\/(\d{1,3})(?![\d/]|[.,]\d)/u.exec(rest) ?? [];
  const isPressure = /^[\s\u00a0]?mm[\s\u00a0]?Hg/u.test(rest.slice(all.length));
  const isMark = /[.,]/u.test(got) || (best === language.bestMark && Number(got) >= 10);
  const of = isPressure ? language.over : language.outOf;
  const [from, to] = [readFigures(got, language), readFigures(best, language)];
  if (!(isMark || isPressure) || of === '' || from === undefined || to === undefined) return undefined;
  const last = sayMeasure(to, rest.slice(all.length), place);
  return {
    words: `${sayFigures(from, language)} ${of} ${last.words}`,
    length: all.length - best.length + last.length,
  };
}

/** Reads figures that are neither a fraction nor a date: `24/7`, in English also `9/11`. */
function readPair({ rest, language: { pairs } }: TextPosition): Reading | undefined {
  const [written = ''] = /^\d{1,2}[\s\u00a0]?[hj]?\/\d{1,2}(?![\p{L}\d/]|[.,]\d)/u.exec(rest) ?? [];
  const words = Object.hasOwn(pairs, written) ? pairs[written] : undefined;
  return words === undefined ? undefined : { words, length: written.length };
}

/** `3/4`, `½`, `1½`, `1 1/2`. */
export function readOwnFraction({ rest, language, isQuoted }: TextPosition): Reading | undefined {
  const [all = '', whole = '', sign = ''] = /^(\d{0,4})[\s\u00a0\u202f]?([½⅓⅔¼¾⅕⅖⅗⅘⅙⅛⅜⅝⅞])/u.exec(rest) ?? [];
  if (all !== '') {
    // Compatibility decomposition writes `¾` as `3⁄4`.
    const [over = 1, under = 2] = sign.normalize('NFKD').split('⁄').map(Number);
    const part = whole === '' ? partOf(rest.slice(all.length), [over, under], { language, isQuoted }) : undefined;
    return part
      ? { words: part.words, length: all.length + part.length }
      : { words: mixed(whole, over, under, language), length: all.length };
  }
  const [plain = '', first = '', over = '', under = ''] =
    /^(?:(\d{1,4})[\s\u00a0\u202f])?(\d{1,2})[/⁄](\d{1,3})(?![\d/⁄]|[.,]\d|\p{L}|[\u00a0\u202f ]\d{3}(?!\d))/u.exec(
      rest,
    ) ?? [];
  if (plain === '' || Number(over) >= Number(under)) return undefined;
  const fraction = [Number(over), Number(under)] as const;
  if (sayFraction(...fraction, language) === undefined) return undefined;
  const part = first === '' ? partOf(rest.slice(plain.length), fraction, { language, isQuoted }) : undefined;
  return part
    ? { words: part.words, length: plain.length + part.length }
    : { words: mixed(first, ...fraction, language), length: plain.length };
}

/** A fraction of a unit (`half a kilogram`, `trois quarts de litre`), or the half of a noun; `undefined` without one. */
function partOf(
  text: string,
  [over, under]: readonly [number, number],
  { language, isQuoted }: Pick<TextPosition, 'language'> & { readonly isQuoted: boolean | undefined },
): { words: string; length: number } | undefined {
  const one = { value: 1, fraction: '', mark: '', written: '1' };
  // The genitive in Polish, which is also that of decimals.
  const counted = language.partForm === 'other' ? { ...one, fraction: '5' } : one;
  const unit = unitAfter(text, counted, { language, before: undefined, ...(isQuoted !== undefined && { isQuoted }) });
  const isHalf = over === 1 && under === 2;
  if (unit === undefined) {
    const noun = language.abbreviations.find(text, 1, undefined)?.words;
    const gender = genderOfNext(noun === undefined ? text : ` ${noun}`, one, language);
    const half = isHalf ? halfOf(gender, language) : undefined;
    return half === undefined ? undefined : { words: half, length: 0 };
  }
  const half = isHalf ? halfOf(unit.gender, language) : undefined;
  const part = sayFraction(over, under, language) ?? '';
  return {
    words: half === undefined ? `${part}${ofUnit(unit.name, language)}${unit.name}` : `${half} ${unit.name}`,
    length: unit.length,
  };
}

function ofUnit(name: string, language: Language): string {
  return /^[aeiou]/u.test(name) ? (language.ofUnitElided ?? language.ofUnit) : language.ofUnit;
}

/** `ein halber`, `media`, `half a`; `undefined` for languages without a rule, or without a gender. */
function halfOf(gender: string | undefined, { halves }: Language): string | undefined {
  return gender === undefined ? undefined : halves[gender === 'feminine' ? 1 : gender === 'neuter' ? 2 : 0];
}

function mixed(whole: string, over: number, under: number, language: Language): string {
  const part = sayFraction(over, under, language) ?? '';
  if (whole === '') return part;
  const amount = language.spellOut(Number(whole), language.mixed ?? 'numbering', 'numbering');
  return amount + (over === 1 && under === 2 ? language.andHalf : language.andPart + part);
}

/** Reads `10–12 kg`, `9:00-17:30`, `3:1`; a hyphen is a range only between rising figures. */
function readRange(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  const from = readFigures(rest, language);
  const [minus = ''] =
    /^[\s\u00a0][-–](?=[\s\u00a0]\d{1,9}[\s\u00a0]=)/u.exec(rest.slice(from?.written.length ?? 0)) ?? [];
  if (from !== undefined && minus !== '') {
    return {
      words: `${sayFigures(from, language)} ${language.signs['−']}`,
      length: from.written.length + minus.length,
    };
  }
  const both = from && rangeOfMeasures(place, from);
  if (both) return both;
  const [dash = ''] = /^(?:[–—-]|:(?=\d{1,3}(?!\d)))/u.exec(rest.slice(from?.written.length ?? 0)) ?? [];
  if (from === undefined || dash === '') return undefined;
  const at = from.written.length + dash.length;
  const to = readFigures(rest.slice(at), language);
  if (to === undefined || /^[-–:]\d/u.test(rest.slice(at + to.written.length))) return undefined;
  const isRising = amountOf(from) < amountOf(to);
  const isPlain = Math.max(from.written.length, to.written.length) <= 3 || from.written.length === to.written.length;
  if (dash === '-' && !isPlain) return undefined;
  const title = language.abbreviations.find(`${place.before} 1`, 0, undefined)?.words ?? place.before;
  const isNumber = title === language.number || isListed(language.beforeNumerals, title);
  // Neither a range nor a score: `Boeing 787-9`, `art. 49-3`.
  if (dash === '-' && !isRising && (isNumber || from.written.length > to.written.length + 1))
    return { words: `${count(from.value, language)} ${sayFigures(to, language)}`, length: at + to.written.length };
  if (dash === ':' || !isRising) {
    const link = (dash === ':' ? language.ratio : undefined) ?? language.score;
    const score = link === '' ? ' ' : ` ${link} `;
    const { words: last } = sayMeasure(to, '', { language, before: language.score });
    return { words: count(from.value, language) + score + last, length: at + to.written.length };
  }
  const rest2 = rest.slice(at);
  const end =
    readMoney({ ...place, rest: rest2 }) ??
    sayMeasure(to, rest2.slice(to.written.length), { language, before: language.to });
  return { words: `${sayFigures(from, language)} ${language.to} ${end.words}`, length: at + end.length };
}

/** A range whose ends both have a unit: `5%–10%`, `5 km - 10 km`. */
function rangeOfMeasures(place: TextPosition, from: Figures): Reading | undefined {
  const { rest, language } = place;
  if (unitAfter(rest.slice(from.written.length), from, place) === undefined) return undefined;
  const first = sayMeasure(from, rest.slice(from.written.length), place);
  const [dash = ''] = /^[\s\u00a0]?[–—-][\s\u00a0]?(?=\d)/u.exec(rest.slice(first.length)) ?? [];
  const after = rest.slice(first.length + dash.length);
  const to = dash === '' ? undefined : readFigures(after, language);
  if (to === undefined) return undefined;
  if (unitAfter(after.slice(to.written.length), to, { language, before: undefined }) === undefined) return undefined;
  // `10 kg - 3 kg` is a difference.
  const isDifference = dash.length > 1 && amountOf(from) > amountOf(to);
  const last = sayMeasure(to, after.slice(to.written.length), { language, before: language.to });
  const link = isDifference ? language.signs['−'] : language.to;
  return { words: `${first.words} ${link} ${last.words}`, length: first.length + dash.length + last.length };
}

function amountOf({ value, fraction }: Figures): number {
  return Number(`${value}.${fraction === '' ? '0' : fraction}`);
}

function readPlain(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  const figures = readFigures(rest, language);
  if (figures === undefined) return undefined;
  // A long number that is glued to letters is a code: `DE123456789`.
  if (/\p{Lu}/u.test(place.previous) && figures.fraction === '' && /^\d{5}/u.test(figures.written))
    return { words: digits(figures.written, language), length: figures.written.length };
  const measure = sayMeasure(figures, rest.slice(figures.written.length), place);
  if (measure.length === figures.written.length && figures.value === 0 && /^0\d/u.test(figures.written)) {
    return { words: digits(figures.written, language), length: figures.written.length };
  }
  return measure;
}

/** Comparisons as programs write them. */
const COMPARISONS: Readonly<Record<string, string>> = { '>=': '≥', '<=': '≤', '!=': '≠' };

/** Reads pictographs and signs by name: `😀`, `🇩🇪`, `×`, `§`. */
export function readSign(place: TextPosition): Reading | undefined {
  const { rest, language, before, previous, isAfterWord } = place;
  const pictograph =
    /^(?:\p{RI}\p{RI}|\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?(?:\u200d\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?){0,5})/u.exec(
      rest,
    )?.[0];
  if (pictograph !== undefined) {
    const name = emojiName(pictograph, language);
    if (name !== undefined) return { words: ` ${name} `, length: pictograph.length };
  }
  const comparison = COMPARISONS[rest.slice(0, 2)];
  if (comparison !== undefined && /^..[\s\u00a0]?[\d\p{L}−√(.-]/u.test(rest)) {
    const reading = readSign({ ...place, rest: comparison + rest.slice(2) });
    return reading && { ...reading, length: reading.length + 1 };
  }
  const script = readScriptFigures({ rest, language, previous, isAfterWord: isAfterWord === true });
  if (script !== undefined) return script;
  const sign = rest[0] ?? '';
  const isLonely = /^(?:|[\s\u00a0(])$/u.test(previous) && !/^.[\p{L}\d]/u.test(rest);
  const currency = isLonely ? sayCurrency(sign, language) : undefined;
  if (currency !== undefined) return { words: currency, length: 1 };
  if (sign === '@' && isLonely) return { words: language.address[sign] ?? '', length: 1 };
  if (sign === '/') return readSlash({ rest, before, language, previous });
  // Programs and keys of music: `C#`.
  if (sign === '#' && /[A-GJ]/u.test(previous) && !/^.[\p{L}\d]/u.test(rest) && isAfterWord !== true)
    return { words: ' sharp ', length: 1 };
  const word = sign === '-' ? undefined : language.signs[sign];
  const [behind, ahead] = (Object.hasOwn(ONLY_BETWEEN, sign) && ONLY_BETWEEN[sign]) || [];
  if (word === undefined || word === '' || behind?.test(previous) === false || ahead?.test(rest) === false)
    return undefined;
  const isCode = sign === '=' || sign === '<' || sign === '>' || sign === '+';
  // Around text, these signs are more often markup or code.
  const isAtLeast = sign === '+' && /[\d+]|^\p{L}(?=$)/u.test(rest[1] === '+' ? 'C' : previous);
  if (isCode && !isAtLeast && !/^.[\s\u00a0]?[\d\p{L}$€£−√(-]/u.test(rest)) return undefined;
  if ((sign === '<' || sign === '>') && !/^.[\s\u00a0]?[$€£]?\d/u.test(rest)) return undefined;
  if (isCode && /\p{L}{2}/u.test(rest.slice(1, 3)) && previous !== ' ' && isAfterWord === true) return undefined;
  // `<5 %` is less than 5 %, without a verb; `a < b` is a sentence.
  const isGlued =
    !/[\p{L}\d]/u.test(previous) && (/^[<>≤≥≈]\d/u.test(rest) || previous === '(' || /^$|[,;:(]$/u.test(before ?? ''));
  return { words: ` ${isGlued ? word.replace(/^is /u, '') : word} `, length: 1 };
}

/** What must be before and after signs that have a meaning only there: `4K@60`, `~5`, `1920x1080`. */
const ONLY_BETWEEN: Readonly<Record<string, readonly [behind: RegExp, ahead: RegExp]>> = {
  '@': [/[\p{L}\d]/u, /^@\d/u],
  '~': [/^(?:|[\s\u00a0(])$/u, /^~[\s\u00a0]?\d/u],
  x: [/\d/u, /^x\d/u],
  // A triangle may be the bullet of a list.
  '▲': [/^(?:|[\s\u00a0(])$/u, /^▲[\s\u00a0]?[+−-]?\d/u],
  '▼': [/^(?:|[\s\u00a0(])$/u, /^▼[\s\u00a0]?[+−-]?\d/u],
};

/** A slash inside a token: `3x/day` and `CO2/km` are rates; elsewhere (`HTTP/2`, `120/80`, `and/or`) it is silent. */
function readSlash({
  rest,
  before,
  language,
  previous,
}: Pick<TextPosition, 'rest' | 'before' | 'language' | 'previous'>): Reading | undefined {
  if (!/[\p{L}\p{N}²³%×]/u.test(previous)) return undefined;
  const [, each = ''] = /^\/(\p{L}{2,12})(?![\p{L}\d/])/u.exec(rest) ?? [];
  const rate =
    each === '' ? undefined : perUnit(each, /[\d₀-₉×]/u.test(previous) || /\d$/u.test(before ?? ''), language);
  if (rate !== undefined) return { words: ` ${rate} `, length: 1 + each.length };
  return /^\/[\p{L}\p{N}]/u.test(rest) ? { words: ' ', length: 1 } : undefined;
}

/** Reads small figures, and powers after `^`: `CO₂`, `10⁻³`, `2^10`; the number of a footnote (`Umsatz⁴`) is silent. */
function readScriptFigures({
  rest,
  language,
  previous,
  isAfterWord,
}: Pick<TextPosition, 'rest' | 'language' | 'previous'> & { readonly isAfterWord: boolean }): Reading | undefined {
  const [below = ''] = /^[₀-₉]{1,6}/u.exec(rest) ?? [];
  if (below !== '') return { words: ` ${count(Number(below.normalize('NFKD')), language)} `, length: below.length };
  const [all = '', minus = '', above = '', figures = ''] =
    /^(?:(⁻?)([⁰¹²³⁴-⁹]{1,6})|\^[-−]?(\d{1,6}))(?![\d.,]\d)/u.exec(rest) ?? [];
  // The second and the third power have their own words.
  if (all === '' || /^[²³]$/u.test(all) || !/[\p{L}\d)]/u.test(previous)) return undefined;
  if (isAfterWord && figures === '') return { words: '', length: all.length };
  const power = Number(figures || above.normalize('NFKD'));
  const sign = minus !== '' || /^\^[-−]/u.test(all) ? `${language.signs['−']} ` : '';
  const many = { value: 10, fraction: '', mark: '', written: '' };
  const unit = unitAfter(rest.slice(all.length), many, { language, before: undefined });
  const words = ` ${language.signs['^']} ${sign}${count(power, language)} ${unit?.name ?? ''}`;
  return { words: `${words.trimEnd()} `, length: all.length + (unit?.length ?? 0) };
}

function emojiName(written: string, { emoji, regions }: Language): string | undefined {
  const flag = [...written].map((sign) => (sign.codePointAt(0) ?? 0) - 0x1f1e6 + 65);
  if (/^\p{RI}/u.test(written)) {
    const code = String.fromCharCode(...flag);
    const name = regions.of(code);
    return name === code ? undefined : name;
  }
  const plain = written.replace(/[\u{1f3fb}-\u{1f3ff}]/gu, '');
  const bare = plain.replaceAll('\ufe0f', '');
  return emoji[plain] ?? emoji[bare];
}
