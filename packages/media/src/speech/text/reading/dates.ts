import type { Language } from '../language.js';
import type { Reading, TextPosition } from '../place.js';
import { isListed } from '../word-list.js';
import { count, say, sayYear } from './numbers.js';
import { sayOrdinal } from './ordinals.js';
import { fill, formIn } from './phrases.js';

/** Reads dates in figures: `2025-04-03`, `3/4/2025`, `03.04.2025`, `12.04.` in German. */
export function readNumericDate(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  const [iso = '', year = '', , month = '', day = ''] = /^(\d{4})([-/])(\d{2})\2(\d{2})(?![\d/-])/u.exec(rest) ?? [];
  if (iso !== '') {
    const date = dated(place, { day: Number(day), month: Number(month), year: Number(year), length: iso.length });
    const time = isoTime(rest.slice(iso.length), language);
    return date && time ? { words: `${date.words}, ${time.words}`, length: date.length + time.length } : date;
  }
  const [all = '', first = '', sign = '', second = '', last = ''] =
    /^(\d{1,2})([./-])(\d{1,2})(?:\2(\d{4}|\d{2}(?!\d)|(?!\d))|(?<=\/\d{1,2}|[.-]0\d)(?![\d/.,]\d|\d|[\s\u00a0]?(?:Uhr|uur|h)))/u.exec(
      rest,
    ) ?? [];
  if (
    all === '' ||
    (last.length < 4 && sign === '/' && /^\d/u.test(last) && language.monthFirst !== undefined && Number(first) > 12)
  ) {
    return undefined;
  }
  if (last === '' && !isDayAndMonth(place, sign, all.length)) return undefined;
  // Only Americans write the month first, and only with slashes or hyphens; other dates in English are theirs if they can be no others.
  const isUsual = language.monthFirst === 'usual' && (Number(first) <= 12 || last.length < 4);
  const isMonthFirst = sign !== '.' && language.monthFirst !== undefined && (isUsual || Number(second) > 12);
  const [dayIn, monthIn] = isMonthFirst ? [second, first] : [first, second];
  const full = last.length === 2 ? Number(last) + (Number(last) > 50 ? 1900 : 2000) : Number(last);
  return dated(place, {
    day: Number(dayIn),
    month: Number(monthIn),
    ...(last === '' ? {} : { year: full }),
    length: all.length,
  });
}

/** The time of an ISO timestamp, with its zone: `T14:30Z`, `T14:30:05+02:00`. */
function isoTime(text: string, language: Language): Reading | undefined {
  const [all = '', hours = '', minutes = '', zone = ''] =
    /^T(\d{2}):(\d{2})(?::\d{2}(?:[.,]\d{1,9})?)?(Z|[+-−]\d{2}(?::?\d{2})?)?(?![\p{L}\d])/u.exec(text) ?? [];
  if (all === '' || Number(hours) > 24 || Number(minutes) > 59) return undefined;
  const time = sayTime(Number(hours), Number(minutes), { language, before: undefined });
  const offset = Number(zone.slice(1, 3));
  const sign = language.signs[zone.startsWith('+') ? '+' : '−'];
  const shift = offset === 0 ? '' : ` ${sign} ${count(offset, language)}`;
  return { words: zone === '' ? time : `${time} U T C${shift}`, length: all.length };
}

/** After other words, such as nouns, it is a fraction. */
const AFTER_SLASHED_DAY =
  /^(?:$|[.,;:!?)]|[\s\u00a0](?:at|and|or|from|to|by|in|for|through|until|is|was|à|au|et|ou|en|est|y|a|al|o|e|es)(?!\p{L}))/u;

/** Whether two figures without a year are a date: `am 3.6.`, `on 12/24`, but not `le 1/3 des gens`. */
function isDayAndMonth({ rest, before, language }: TextPosition, sign: string, length: number): boolean {
  if (isWeekday(before, language)) return true;
  if (sign === '.') return isListed(language.beforeDottedDay, before);
  return (
    sign === '/' &&
    isListed(language.beforeSlashedDay, before) &&
    (AFTER_SLASHED_DAY.test(rest.slice(length)) || !isProper(rest))
  );
}

/** Whether the first figures are less than those after the slash, as in a fraction. */
function isProper(text: string): boolean {
  const [over = 0, under = 0] = text.split('/', 2).map((part) => Number.parseInt(part, 10));
  return over < under;
}

function isWeekday(token: string | undefined, language: Language): boolean {
  const { weekdays } = language;
  const written = (token ?? '').replace(/,$/u, '');
  return [written, writtenOut(written, language)].some((word = '') => {
    const name = word.toLowerCase().replace(/\.$/u, '');
    return weekdays.has(name) || [...weekdays.values()].some((day) => day.toLowerCase() === name);
  });
}

interface Day {
  readonly day: number;
  readonly month: number;
  readonly year?: number;
  readonly length: number;
}

/** A word before figures without its abbreviation. */
function writtenOut(word: string | undefined, { abbreviations }: Language): string | undefined {
  return abbreviations.find(`${word} 1`, 0, undefined)?.words ?? word;
}

/** The word that governs a date: a preposition before its weekday, also abbreviated (`v.`). */
function governing({ before, earlier, language }: TextPosition): string | undefined {
  const word = isWeekday(before, language) && isListed(language.beforeDottedDay, earlier) ? earlier : before;
  return isListed(language.beforeDottedDay, word) ? writtenOut(word, language) : word;
}

function dated(place: TextPosition, { day, month, year, length }: Day): Reading | undefined {
  const { language } = place;
  const date = new Date(Date.UTC(year ?? 2024, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const values = { d: sayDay(day, language, governing(place)), k: month, month: language.months[month - 1] ?? '' };
  const after = year === undefined ? '' : fill(language.dateYear, { n: year, y: sayYear(year, language) }, language);
  const ahead = year === undefined ? '' : fill(language.yearDate ?? '', { n: year }, language);
  return { words: ahead + fill(language.dayMonth, values, language) + after, length };
}

/** A day before its month in words. */
function sayDay(day: number, language: Language, before: string | undefined): string {
  if (language.day === '') return sayOrdinal(day, language, before);
  return language.spellOut(
    day,
    (day === 1 ? language.firstDay : undefined) ?? language.day ?? 'numbering',
    'numbering',
  );
}

/** `3 May 2025`, `3. Mai`, `3 de mayo de 2025`, `May 3, 2025`, with or without the year. */
export function readWrittenDate(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  const [span = '', first = '', between = '', , last = ''] =
    /^((\d{1,2})[\s\u00a0](\p{L}{1,4})[\s\u00a0])((\d{1,2})[\s\u00a0])(?=\p{L})/u.exec(rest)?.slice(1) ?? [];
  if (
    isListed(language.dayLinks, between) &&
    Number(last) <= 31 &&
    monthAt(rest.slice(span.length + last.length + 1), language)
  )
    return { words: sayDay(Number(first), language, place.before), length: first.length };
  if (language.dayAfterMonth === true) return dateEitherWay(place);
  const [head = '', figures = '', link = ''] =
    /^(\d{1,2})(?:er|º|°|\.)?([\s\u00a0\u202f]{1,2}(?:de[\s\u00a0])?)/u.exec(rest) ?? [];
  const day = Number(figures);
  const month = head === '' || day < 1 || day > 31 ? undefined : monthAt(rest.slice(head.length), language);
  if (month === undefined) return undefined;
  let words = `${sayDay(day, language, governing(place))}${/de/u.test(link) ? ' de ' : ' '}${month.name}`;
  let length = head.length + month.length;
  const [tail = '', of = '', year = ''] =
    /^((?:[\s\u00a0]{1,2}(?:de|del)?[\s\u00a0]?)|,?[\s\u00a0])(\d{4})(?!\d)/u.exec(rest.slice(length)) ?? [];
  if (tail !== '') {
    words += `${/del/u.test(of) ? ' del ' : /de/u.test(of) ? ' de ' : ' '}${fill(language.dateYear, { n: Number(year), y: sayYear(Number(year), language) }, language).replace(/^[^\p{L}]*(?:de )?/u, '')}`;
    length += tail.length;
  }
  return { words, length };
}

function monthAt(text: string, language: Language): { name: string; length: number } | undefined {
  const [word = ''] = /^\p{L}{3,12}/u.exec(text) ?? [];
  if (language.months.some((month) => month.toLowerCase() === word.toLowerCase()))
    return { name: word, length: word.length };
  const isDotted = text[word.length] === '.';
  const name = shortMonth(word, language, isDotted);
  return name === undefined ? undefined : { name, length: word.length + (isDotted ? 1 : 0) };
}

/** The month of an abbreviation without its full stop, which is also a word in some languages. */
function shortMonth(word: string, { monthsByShort, shortMonths }: Language, isDotted = false): string | undefined {
  const isSure = shortMonths === 'any' || (shortMonths === 'capital' ? /^\p{Lu}/u.test(word) : isDotted);
  return isSure ? monthsByShort.get(word.toLowerCase()) : undefined;
}

/** A date whose day is before or after its month: `3 May 2025`, `May 3, 2025`. */
function dateEitherWay({ rest, language, before, earlier }: TextPosition): Reading | undefined {
  const month = (writtenOut(before, language) ?? '').replace(/\.$/u, '');
  const isMonthBefore =
    (language.months.some((name) => name.toLowerCase() === month.toLowerCase()) ||
      shortMonth(month, language) !== undefined) &&
    !(before === before?.toLowerCase() && isListed(language.notMonths, before));
  const [head = '', day = ''] = /^(\d{1,2})(?:st|nd|rd|th)?(?![\d:.,]\d|[\p{L}\d])/u.exec(rest) ?? [];
  if (head === '' || Number(day) < 1 || Number(day) > 31) return undefined;
  const ordinal = sayDay(Number(day), language, before);
  if (isMonthBefore && !/^\s?(?:%|[ap]\.?m)/iu.test(rest.slice(head.length))) {
    const [span = '', last = ''] = /^[–-]([1-9]\d?)(?![\d:.,]\d|[\p{L}\d–-])/u.exec(rest.slice(head.length)) ?? [];
    const days = span === '' ? ordinal : `${ordinal} ${language.to} ${sayDay(Number(last), language, before)}`;
    const end = head.length + span.length;
    const [tail = '', year = ''] = /^,?[\s\u00a0](\d{4})(?!\d)/u.exec(rest.slice(end)) ?? [];
    const [, next] = head === day ? (/^[\s\u00a0](\p{Ll}\p{L}{0,20})/u.exec(rest.slice(head.length)) ?? []) : [];
    const isCounting = next !== undefined && !isListed(language.rangeLinks, next);
    if (isCounting && isListed(language.wholeMonth, earlier)) return undefined;
    const spoken = tail === '' ? '' : fill(language.dateYear, { y: sayYear(Number(year), language) }, language);
    return { words: days + spoken, length: end + tail.length };
  }
  const gap = /^[\s\u00a0](?:of[\s\u00a0])?/u.exec(rest.slice(head.length))?.[0] ?? '';
  const found = gap === '' ? undefined : monthAt(rest.slice(head.length + gap.length), language);
  if (found === undefined) return undefined;
  const length = head.length + gap.length + found.length;
  const [tail = '', year = ''] = /^,?[\s\u00a0](\d{4})(?!\d)/u.exec(rest.slice(length)) ?? [];
  const words = fill(language.writtenDate ?? language.dayMonth, { d: ordinal, month: found.name }, language);
  // The article may be written: `the 3rd of May`.
  const article = `${before?.toLowerCase() ?? ''} `;
  const spoken = tail === '' ? '' : fill(language.writtenYear ?? '', { y: sayYear(Number(year), language) }, language);
  return {
    words: (words.startsWith(article) ? words.slice(article.length) : words) + spoken,
    length: length + tail.length,
  };
}

/** Reads four figures as a year if the words around them indicate one. */
export function readYear(place: TextPosition): Reading | undefined {
  const { rest, language, before, earlier } = place;
  const [code] = /^[1-9]\d{3}(?![\p{L}\d%]|[.,:/-]\d)/u.exec(rest) ?? [];
  if (code !== undefined && language.codesInPairs === true && /^\p{Lu}{2}$/u.test(before ?? ''))
    return { words: sayYear(Number(code), language), length: 4 };
  const [figures = ''] = /^(?:1[1-9]|20)\d\d(?![\d%]|[.,:]\d)/u.exec(rest) ?? [];
  if (figures === '') return undefined;
  const after = rest.slice(4);
  const { yearBefore } = language;
  if (yearBefore && isListed(yearBefore.words, /^[\s\u00a0](\p{L}{1,4}\.?)(?!\p{L})/u.exec(after)?.[1]))
    return { words: language.spellOut(Number(figures), formIn(yearBefore.cases, before)), length: 4 };
  const [season = '', sign = '', next = ''] = /^([/–-])(\d{2})(?![\d/–-])/u.exec(after) ?? [];
  if (season !== '' && Number(next) === (Number(figures) + 1) % 100)
    return {
      words: `${sayYear(Number(figures), language)} ${sign === '/' ? '' : `${language.to} `}${count(Number(next), language)}`,
      length: 4 + season.length,
    };
  const isYear =
    /^[QH][1-4]$/u.test(before ?? '') ||
    (place.previous === '(' && after.startsWith(')')) ||
    isListed(language.beforeYears, before) ||
    endsInMonth(before, language) ||
    // `FY2023`, and the second of two years.
    (/\p{Lu}/u.test(place.previous) && /^(?:19|20)/u.test(figures)) ||
    (isListed(language.rangeLinks, before) && /^(?:1[1-9]|20)\d\d$/u.test(earlier ?? '')) ||
    /^\s?(?:BC|AD|CE|BCE|n\. ?Chr|v\. ?Chr|election|season)/u.test(after);
  // A German number of this size is round, or has a point or a noun: `Es endete 1945.`
  const isBare =
    language.bareYears !== undefined &&
    /^1[5-9](?!00)/u.test(figures) &&
    (/^(?:[.,;:!?)]|$)/u.test(after) || (language.bareYears === 'always' && /^[\s\u00a0]\p{Ll}/u.test(after)));
  const isSpan = language.yearSpans === true && /^[–-](?:1[1-9]|20)\d\d(?!\d)/u.test(after);
  if (
    !(isYear || isSpan || isBare) ||
    /^[\s\u00a0]?(?:km|kg|m|g|€|\$|£|%|people|Euro|Dollar|Meter)(?![\p{L}])/u.test(after)
  )
    return undefined;
  const range = /^[–-](\d{2,4})(?!\d)/u.exec(after);
  if (range) {
    const end = range[1] ?? '';
    return {
      words: `${sayYear(Number(figures), language)} ${language.to} ${end.length === 4 ? sayYear(Number(end), language) : count(Number(end), language)}`,
      length: 4 + range[0].length,
    };
  }
  return { words: sayYear(Number(figures), language), length: 4 };
}

/** Whether a token is a month or a range of abbreviated ones: `March`, `Jan.–Mar.` */
function endsInMonth(token: string | undefined, { months, monthsByShort }: Language): boolean {
  const last = token?.split(/[–-]/u).at(-1)?.toLowerCase() ?? '';
  if (months.some((month) => month.toLowerCase() === last)) return true;
  return token?.includes('–') === true && monthsByShort.has(last.replace(/\.$/u, ''));
}

/** `the 1990s`, `’80s`, `die 90er`. */
export function readDecade({ rest, language }: TextPosition): Reading | undefined {
  const { decades = {} } = language;
  const [all = '', figures = '', mark = ''] =
    /^['’]?((?:1[1-9]|20)\d0|[1-9]0)(['’]?\p{Ll}{1,3})(?![\p{L}\d])/u.exec(rest) ?? [];
  const phrase = Object.entries(decades).find(([marks]) => marks.split(' ').includes(mark))?.[1];
  return phrase === undefined
    ? undefined
    : { words: fill(phrase, { y: Number(figures) }, language), length: all.length };
}

/** Reads times of day: `14:30`, `14h30`, `14.30 Uhr`, `3 p.m.`. */
export function readTime(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  const [all = '', hours = '', mark = '', minutes = '', , seconds] =
    /^(\d{1,2})([:.]|[\s\u00a0\u202f]?h[\s\u00a0\u202f]?)(\d{2})(:(\d{2}))?(?![\d\p{L}]|[:.,]\d)/u.exec(rest) ?? [];
  const half = language.time.halfDays === true ? halfDay(rest, language) : undefined;
  if (half !== undefined) return half;
  if (all === '') return hourRange(place) ?? toTime(place) ?? hourOnly(place);
  const [next = '', word = ''] = /^[\s\u00a0\u202f]{0,2}(\p{L}{1,6})(?!\p{L})/u.exec(rest.slice(all.length)) ?? [];
  const after = isListed(language.time.words, word) ? next.length : 0;
  const until = /^[–—-](?=\d{1,2}[:h.]\d)/u.exec(rest.slice(all.length))?.[0];
  const end =
    until === undefined ? undefined : readTime({ ...place, before: language.to, rest: rest.slice(all.length + 1) });
  // `9.30 bis 11 Uhr`: the word is after the second time.
  const [, link, closing] =
    /^[\s\u00a0](\p{L}{1,5})[\s\u00a0]\d{1,2}(?:[.:]\d{2})?[\s\u00a0](\p{L}{1,6})(?!\p{L})/u.exec(
      rest.slice(all.length),
    ) ?? [];
  const isFirst = link === language.to && isListed(language.time.words, closing);
  const isDotted =
    isListed(language.time.dotted, place.before) && !/^[\s\u00a0\u202f]?[%‰€$£]/u.test(rest.slice(all.length));
  // An ending of place or time, where fractions have a comma: the Turkish `14.30'da`.
  const isInflected = language.suffixes === true && /^['’]\p{L}/u.test(rest.slice(all.length));
  const isSure = mark !== '.' || after > 0 || end !== undefined || isFirst || isDotted || isInflected;
  if (Number(hours) > 24 || Number(minutes) > 59 || !isSure) return undefined;
  if (mark.includes('h') && language.time.noHourMark === true) return undefined;
  // With spaces it is a duration (`1 h 30 min`), unless hours are written so.
  const isSpaced = mark.length > 1;
  if (isSpaced && (language.time.before === undefined || Object.hasOwn(language.unitSigns, word))) return undefined;
  const words = sayTime(Number(hours), Number(minutes), place);
  if (end !== undefined) return { words: `${words} ${language.to} ${end.words}`, length: all.length + 1 + end.length };
  const { sharp, hour } = language.time;
  const isSharp =
    sharp !== undefined &&
    /^[\s\u00a0]/u.test(rest.slice(all.length + after)) &&
    rest.startsWith(sharp, all.length + after + 1);
  if (isSharp && Number(minutes) === 0)
    return { words: fill(hour, { h: Number(hours) }, language), length: all.length + after };
  const low = seconds === undefined ? '' : ` ${secondsOf(Number(seconds), language)}`;
  return { words: words + low, length: all.length + after };
}

function secondsOf(seconds: number, language: Language): string {
  const forms = language.units.second ?? {};
  const name = language.time.halfDays === true ? '' : ` ${forms[language.plural.select(seconds)] ?? ''}`;
  return `${say(seconds, language, forms.gender)}${name}`;
}

/** A date, a time of day or opening hours after a weekday: `12.06.`, `3. Mai`, `9:30`, `10–14`, `9 Uhr`. */
const DAY_OR_TIME = /^\d{1,2}(?:[./:h–-]\d|\.[\s\u00a0]\p{Lu}|[\s\u00a0]?(?:Uhr|uur|h)(?!\p{L}))/u;

/**
 * The abbreviation of a weekday before figures: `Fr., 12.06.`, `Tue, 3`, `ven. 12/06`. `So` and `mar` are also words, so that a date or a
 * time of day must follow, and a full stop or a comma where weekdays have no capital.
 */
export function weekdayAt(rest: string, language: Language): { name: string; length: number } | undefined {
  const [all = '', word = '', stop = '', comma = ''] =
    /^((\p{L}{2,5})(\.?))(,?)[\s\u00a0](?=\d{1,2}(?!\d))/u.exec(rest)?.slice(1) ?? [];
  const name = language.weekdays.get(word.toLowerCase());
  if (name === undefined) return undefined;
  const hasCapital = /^\p{Lu}/u.test(name);
  const after = rest.slice(all.length).replace(/^,?./u, '');
  const isSure =
    language.surelyWeekdays === true ||
    DAY_OR_TIME.test(after) ||
    monthAt(after.replace(/^\d{1,2}\.?[\s\u00a0](?:de[\s\u00a0])?/u, ''), language) !== undefined;
  const isMarked = hasCapital ? /^\p{Lu}/u.test(word) : stop + comma !== '';
  return isSure && isMarked ? { name, length: all.length } : undefined;
}

/**
 * Reads abbreviations of weekdays, and of English months (`Jun 3`), before figures, lists of weekdays (`Mo / Mi / Fr`), and ranges
 * of weekdays and months: `Mon.–Fri.`, `Jan.–Mar.`
 */
export function readWeekdays({ rest, language }: TextPosition): Reading | undefined {
  const day = weekdayAt(rest, language);
  if (day !== undefined) return { words: day.name, length: day.length };
  const several = weekdayList(rest, language);
  if (several !== undefined) return several;
  const [word = ''] = /^\p{Lu}\p{Ll}{2,3}(?=,?[\s\u00a0]\d{1,2}(?!\d))/u.exec(rest) ?? [];
  const month = language.dayAfterMonth === true ? shortMonth(word, language) : undefined;
  if (month !== undefined) return { words: month, length: word.length };
  const [all = '', first = '', link, last = ''] =
    /^(\p{L}{2,5})\.?(?:[\s\u00a0]?[–-][\s\u00a0]?|[\s\u00a0](\p{L}{1,4})[\s\u00a0])(\p{L}{2,5})(?!\p{L})\.?/u.exec(
      rest,
    ) ?? [];
  if (link !== undefined && link !== language.to) return undefined;
  const named = (names: ReadonlyMap<string, string>) => [first, last].map((name) => names.get(name.toLowerCase()));
  const days = named(language.weekdays);
  const [from, to] = days.includes(undefined) && link === undefined ? named(language.monthsByShort) : days;
  return from && to ? { words: `${from} ${language.to} ${to}`, length: all.length } : undefined;
}

/** Weekdays with slashes between them, or three with commas: two may be other words. */
function weekdayList(rest: string, { weekdays }: Language): Reading | undefined {
  const [all = ''] = /^\p{L}{2,5}\.?(?:[\s\u00a0]?[/,][\s\u00a0]?\p{L}{2,5}(?!\p{L})\.?){1,6}/u.exec(rest) ?? [];
  const written = all.split(/[\s\u00a0]?[/,][\s\u00a0]?/u).map((each) => each.replace(/\.$/u, ''));
  const names = written.map((each) => weekdays.get(each.toLowerCase()));
  const hasCapitals =
    names.every((name) => !/^\p{Lu}/u.test(name ?? '')) || written.every((each) => /^\p{Lu}/u.test(each));
  const isSure = hasCapitals && written.length > (all.includes(',') ? 2 : 1) && !names.includes(undefined);
  return isSure ? { words: names.join(', '), length: all.length } : undefined;
}

/** Reads opening hours: `9 h–17 h`, `10h-14h30` in French. */
function hourRange(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  const [all = '', from = ''] = /^(\d{1,2})[\s\u00a0]?h[\s\u00a0]?[–-][\s\u00a0]?(?=\d)/u.exec(rest) ?? [];
  const to =
    all !== '' && isListed(language.time.before, language.to)
      ? readTime({ ...place, before: language.to, rest: rest.slice(all.length) })
      : undefined;
  return (
    to && { words: `${sayTime(Number(from), 0, place)} ${language.to} ${to.words}`, length: all.length + to.length }
  );
}

/** Reads an hour before a time: `8–17:30 Uhr`. */
function toTime(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  const [all = '', hours = ''] = /^(\d{1,2})[–-](?=\d{1,2}[:.]\d{2}(?!\d))/u.exec(rest) ?? [];
  const to = all === '' ? undefined : readTime({ ...place, before: language.to, rest: rest.slice(all.length) });
  return (
    to && { words: `${count(Number(hours), language)} ${language.to} ${to.words}`, length: all.length + to.length }
  );
}

/** Reads `9 h`, `9h` in languages that write hours so; `8 Uhr` needs no rule. */
function hourOnly(place: TextPosition): Reading | undefined {
  const { rest, language, before } = place;
  const [all = '', hours = ''] = /^(\d{1,2})[\s\u00a0\u202f]?h(?![\p{L}\d/])/u.exec(rest) ?? [];
  if (all === '' || !isListed(language.time.before, before) || Number(hours) > 24) return undefined;
  const { named } = language.time;
  const words = named === undefined ? sayTime(Number(hours), 0, place) : fill(named, { h: Number(hours) }, language);
  return { words, length: all.length };
}

function halfDay(rest: string, language: Language): Reading | undefined {
  const [all = '', hours = '', minutes, half = ''] =
    /^(\d{1,2})(?:[:.](\d{2}))?[\s\u00a0\u202f]?([ap])(?:\.[\s\u00a0]?m\.|\.?m(?!\p{L}))/iu.exec(rest) ?? [];
  if (all === '') return undefined;
  const hour = fill(language.time.hour, { h: Number(hours) }, language);
  const words = `${hour}${sayMinutes(Number(minutes ?? 0), language)} ${half.toUpperCase()} M`;
  const dash = /^[\s\u00a0]?[–—-][\s\u00a0]?(?=\d)/u.exec(rest.slice(all.length))?.[0] ?? '';
  const until = dash === '' ? undefined : halfDay(rest.slice(all.length + dash.length), language);
  if (until === undefined) return { words, length: all.length, closes: true };
  const length = all.length + dash.length + until.length;
  return { ...until, words: `${words} ${language.to} ${until.words}`, length };
}

function sayMinutes(minutes: number, language: Language): string {
  const { low, minutes: phrase } = language.time;
  return minutes === 0 ? '' : fill(minutes < 10 && low !== undefined ? low : phrase, { m: minutes }, language);
}

function sayTime(
  hours: number,
  minutes: number,
  { language, before, earlier }: Pick<TextPosition, 'language' | 'before' | 'earlier'>,
): string {
  const { forms, noun, hour, oneHour = hour, full, late } = language.time;
  const governing = isListed(noun, before) ? earlier : before;
  const h = forms === undefined ? hours : language.spellOut(hours, formIn(forms, governing));
  const isLate = late !== undefined && (hours > 12 || hours === 0);
  const whole = minutes === 0 ? (isLate ? late : full) : undefined;
  return fill(whole ?? (hours < 2 ? oneHour : hour), { h }, language) + sayMinutes(minutes, language);
}
