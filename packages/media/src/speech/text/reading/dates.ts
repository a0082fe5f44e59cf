import type { Language } from '../language.js';
import { isListed, type Reading, type TextPosition } from '../place.js';
import { count, say, sayYear } from './numbers.js';
import { sayOrdinal } from './ordinals.js';

/** Reads dates in figures: `2025-04-03`, `3/4/2025`, `03.04.2025`, `12.04.` in German. */
export function readNumericDate(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  const [iso = '', year = '', month = '', day = ''] = /^(\d{4})-(\d{2})-(\d{2})(?![\d-])/u.exec(rest) ?? [];
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
    (last.length < 4 && sign === '/' && /^\d/u.test(last) && language.code === 'en' && Number(first) > 12)
  ) {
    return undefined;
  }
  if (last === '' && !isDayAndMonth(place, sign, all.length)) return undefined;
  // Only Americans write the month first, and only with slashes or hyphens; other dates in English are theirs if they can be no others.
  const isAmerican = language.locale === 'en-US' && (Number(first) <= 12 || last.length < 4);
  const isMonthFirst = sign !== '.' && language.code === 'en' && (isAmerican || Number(second) > 12);
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

/** German words before a day in figures. */
const DAY_BEFORE = /^(?:am|v\.|vom|zum|bis|ab|seit|der|den|dem|und)$/iu;

/** Words before a day and a month in figures with a slash: `on 12/24`, `le 3/5`. */
const SLASHED_DAY_BEFORE: Readonly<Record<string, RegExp>> = {
  en: /^on$/iu,
  fr: /^(?:le|du|au)$/iu,
  es: /^(?:el|del|al)$/iu,
  it: /^(?:il|dal|al)$/iu,
  pt: /^(?:dia|no|ao)$/iu,
};

/** After other words, such as nouns, it is a fraction. */
const AFTER_SLASHED_DAY =
  /^(?:$|[.,;:!?)]|[\s\u00a0](?:at|and|or|from|to|by|in|for|through|until|is|was|à|au|et|ou|en|est|y|a|al|o|e|es)(?!\p{L}))/u;

/** Whether two figures without a year are a date: `am 3.6.`, `on 12/24`, but not `le 1/3 des gens`. */
function isDayAndMonth({ rest, before, language }: TextPosition, sign: string, length: number): boolean {
  if (isWeekday(before, language)) return true;
  if (sign === '.') return language.code === 'de' && DAY_BEFORE.test(before ?? '');
  return (
    sign === '/' &&
    SLASHED_DAY_BEFORE[language.code]?.test(before ?? '') === true &&
    AFTER_SLASHED_DAY.test(rest.slice(length))
  );
}

function isWeekday(token: string | undefined, { weekdays }: Language): boolean {
  const word = (token ?? '').toLowerCase().replace(/[.,]{1,2}$/u, '');
  return weekdays.has(word) || [...weekdays.values()].some((day) => day.toLowerCase() === word);
}

interface Day {
  readonly day: number;
  readonly month: number;
  readonly year?: number;
  readonly length: number;
}

/** The word that governs a date: a German preposition before its weekday, also the abbreviated `v.` */
function governing({ before, earlier, language }: TextPosition): string | undefined {
  if (before === 'v.') return 'vom';
  return isWeekday(before, language) && DAY_BEFORE.test(earlier ?? '') ? earlier : before;
}

function dated(place: TextPosition, { day, month, year, length }: Day): Reading | undefined {
  const { language } = place;
  const date = new Date(Date.UTC(year ?? 2024, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const name = language.months[month - 1] ?? '';
  const spoken = year === undefined ? '' : sayYear(year, language);
  const of = { es: ' de ', pt: ' de ' }[language.code as 'es'] ?? ' ';
  if (language.code === 'en') {
    const ordinal = language.spellOut(day, 'ordinal');
    const words = language.locale === 'en-US' ? `${name} ${ordinal}` : `the ${ordinal} of ${name}`;
    return { words: [words, spoken].filter((part) => part !== '').join(', '), length };
  }
  const words = `${sayDay(day, language, governing(place))}${of}${name}`;
  const after = spoken === '' ? '' : `${of}${slavicYear(year ?? 0, language) ?? spoken}`;
  return { words: words + after, length };
}

/** A day before its month in words. */
export function sayDay(day: number, language: Language, before: string | undefined): string {
  switch (language.code) {
    case 'de':
      return sayOrdinal(day, language, before);
    case 'pl':
    case 'ru':
      return language.spellOut(day, 'ordinal-masculine-genitive');
    case 'fr':
    case 'it':
    case 'pt':
    case 'es':
      return day === 1 ? language.spellOut(1, 'ordinal-masculine') : count(day, language);
    default:
      return count(day, language);
  }
}

/** Slavic years are ordinals in the genitive. */
function slavicYear(year: number, { code, spellOut }: Language): string | undefined {
  return code === 'ru' || code === 'pl' ? spellOut(year, 'ordinal-masculine-genitive') : undefined;
}

/** `3 May 2025`, `3. Mai`, `3 de mayo de 2025`, `May 3, 2025`, with or without the year. */
export function readWrittenDate(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  if (language.code === 'en') return englishDate(place);
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
    words += `${/del/u.test(of) ? ' del ' : /de/u.test(of) ? ' de ' : ' '}${slavicYear(Number(year), language) ?? sayYear(Number(year), language)}`;
    length += tail.length;
  }
  return { words, length };
}

function monthAt(text: string, language: Language): { name: string; length: number } | undefined {
  const [word = ''] = /^\p{L}{3,12}/u.exec(text) ?? [];
  if (language.months.some((month) => month.toLowerCase() === word.toLowerCase()))
    return { name: word, length: word.length };
  const name = shortMonth(word, language);
  return name === undefined ? undefined : { name, length: word.length + (text[word.length] === '.' ? 1 : 0) };
}

/** The month of an abbreviation without its full stop; in English and German it has a capital. */
function shortMonth(word: string, { shortMonths, code }: Language): string | undefined {
  return code === 'fr' || /^\p{Lu}/u.test(word) ? shortMonths.get(word.toLowerCase()) : undefined;
}

/** Words before a month without a day: `in May 12 people came`. */
const WHOLE_MONTH = /^(?:in|during|throughout|last|next|this|every|each|early|late|mid)$/iu;

function englishDate({ rest, language, before, earlier }: TextPosition): Reading | undefined {
  // In lower case, `may` and `march` are verbs.
  const isMonthBefore =
    (language.months.some((month) => month.toLowerCase() === before?.toLowerCase().replace(/\.$/u, '')) ||
      /^(?:jan|feb|mar|apr|aug|sept?|oct|nov|dec)\.$/iu.test(before ?? '') ||
      shortMonth(before ?? '', language) !== undefined) &&
    !/^(?:may|march)$/u.test(before ?? '');
  const [head = '', day = ''] = /^(\d{1,2})(?:st|nd|rd|th)?(?![\d:.,]\d|[\p{L}\d])/u.exec(rest) ?? [];
  if (head === '' || Number(day) < 1 || Number(day) > 31) return undefined;
  const ordinal = language.spellOut(Number(day), 'ordinal');
  if (isMonthBefore && !/^\s?(?:%|[ap]\.?m)/iu.test(rest.slice(head.length))) {
    const [span = '', last = ''] = /^[–-]([1-9]\d?)(?![\d:.,]\d|[\p{L}\d–-])/u.exec(rest.slice(head.length)) ?? [];
    const days = span === '' ? ordinal : `${ordinal} ${language.to} ${language.spellOut(Number(last), 'ordinal')}`;
    const end = head.length + span.length;
    const [tail = '', year = ''] = /^,?[\s\u00a0](\d{4})(?!\d)/u.exec(rest.slice(end)) ?? [];
    const isCounting =
      head === day && /^[\s\u00a0](?!(?:and|or|to|through|until)\b)\p{Ll}/u.test(rest.slice(head.length));
    if (isCounting && WHOLE_MONTH.test(earlier ?? '')) return undefined;
    const spoken = tail === '' ? '' : `, ${sayYear(Number(year), language)}`;
    return { words: days + spoken, length: end + tail.length };
  }
  const gap = /^[\s\u00a0](?:of[\s\u00a0])?/u.exec(rest.slice(head.length))?.[0] ?? '';
  const month = gap === '' ? undefined : monthAt(rest.slice(head.length + gap.length), language);
  if (month === undefined) return undefined;
  const length = head.length + gap.length + month.length;
  const [tail = '', year = ''] = /^,?[\s\u00a0](\d{4})(?!\d)/u.exec(rest.slice(length)) ?? [];
  const the = before?.toLowerCase() === 'the' ? '' : 'the ';
  const spoken = tail === '' ? '' : ` ${sayYear(Number(year), language)}`;
  return { words: `${the}${ordinal} of ${month.name}${spoken}`, length: length + tail.length };
}

/** Reads four figures as a year if the words around them indicate one. */
export function readYear(place: TextPosition): Reading | undefined {
  const { rest, language, before } = place;
  const [figures = ''] = /^(?:1[1-9]|20)\d\d(?![\d%]|[.,:]\d)/u.exec(rest) ?? [];
  if (figures === '') return undefined;
  const after = rest.slice(4);
  const [season = '', sign = '', next = ''] = /^([/–-])(\d{2})(?![\d/–-])/u.exec(after) ?? [];
  if (season !== '' && Number(next) === (Number(figures) + 1) % 100)
    return {
      words: `${sayYear(Number(figures), language)} ${sign === '/' ? '' : `${language.to} `}${count(Number(next), language)}`,
      length: 4 + season.length,
    };
  const isYear =
    (language.code === 'en' && /^[QH][1-4]$/u.test(before ?? '')) ||
    (place.previous === '(' && after.startsWith(')')) ||
    isListed(language.beforeYears, before) ||
    language.months.some((month) => month.toLowerCase() === before?.toLowerCase()) ||
    /^\s?(?:BC|AD|CE|BCE|n\. ?Chr|v\. ?Chr|election|season)/u.test(after);
  // A German number of this size is round, or has a point or a noun: `Es endete 1945.`
  const isBare =
    language.code === 'de' && /^1[5-9](?!00)/u.test(figures) && /^(?:[.,;:!?)]|$|[\s\u00a0]\p{Ll})/u.test(after);
  const isSpan = ['de', 'nl', 'en'].includes(language.code) && /^[–-](?:1[1-9]|20)\d\d(?!\d)/u.test(after);
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

/** `the 1990s`, `’80s`, `die 90er`. */
export function readDecade({ rest, language }: TextPosition): Reading | undefined {
  const { code, spellOut } = language;
  if (code === 'en') {
    const [all = '', century = '', decade = ''] = /^['’]?(1[1-9]|20)?(\d0)['’]?s(?![\p{L}\d])/u.exec(rest) ?? [];
    if (all === '' || (century === '' && decade === '00')) return undefined;
    const before = century === '' ? '' : `${spellOut(Number(century), 'cardinal')} `;
    if (decade === '00') return { words: century === '20' ? 'two thousands' : `${before}hundreds`, length: all.length };
    const tens = spellOut(Number(decade), 'cardinal');
    return { words: `${before}${tens.endsWith('y') ? `${tens.slice(0, -1)}ies` : `${tens}s`}`, length: all.length };
  }
  const [all = '', figures = ''] = /^((?:1[1-9]|20)\d0|[1-9]0)er(?=\P{L}|n?\b|$)/u.exec(rest) ?? [];
  if (code !== 'de' || all === '') return undefined;
  return { words: `${sayYear(Number(figures), language)}er`, length: all.length };
}

/** Reads times of day: `14:30`, `14h30`, `14.30 Uhr`, `3 p.m.`. */
export function readTime(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  const [all = '', hours = '', mark = '', minutes = '', , seconds] =
    /^(\d{1,2})([:h.])(\d{2})(:(\d{2}))?(?![\d\p{L}]|[:.,]\d)/u.exec(rest) ?? [];
  if (language.code === 'en') {
    const half = halfDay(rest);
    if (half !== undefined) return half(language);
  }
  if (all === '') return hourRange(place) ?? hourOnly(place);
  const after = /^[\s\u00a0\u202f]{0,2}(Uhr|uur|horas|hrs|hs|heures|ore|godz|h|s)(?![\p{L}])/u.exec(
    rest.slice(all.length),
  );
  if (Number(hours) > 24 || Number(minutes) > 59) return undefined;
  if (mark === '.' && !(after && ['Uhr', 'uur', 'h', 'heures', 'horas', 'ore'].includes(after[1] ?? '')))
    return undefined;
  if (mark === 'h' && language.code === 'en') return undefined;
  const words = sayTime(Number(hours), Number(minutes), place);
  const until = /^[–—-](?=\d{1,2}[:h])/u.exec(rest.slice(all.length))?.[0];
  const end =
    until === undefined ? undefined : readTime({ ...place, before: language.to, rest: rest.slice(all.length + 1) });
  if (end !== undefined) return { words: `${words} ${language.to} ${end.words}`, length: all.length + 1 + end.length };
  const isSharp = /^[\s\u00a0]en punto(?!\p{L})/u.test(rest.slice(all.length + (after?.[0].length ?? 0)));
  if (isSharp) return { words: words.replace(/ en punto$/u, ''), length: all.length + (after?.[0].length ?? 0) };
  const rest2 = seconds === undefined ? '' : ` ${secondsOf(Number(seconds), language)}`;
  return { words: words + rest2, length: all.length + (after?.[0].length ?? 0) };
}

function secondsOf(seconds: number, language: Language): string {
  const forms = language.units.second ?? {};
  const name = language.code === 'en' ? '' : ` ${forms[language.plural.select(seconds)] ?? ''}`;
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
    language.code === 'en' ||
    DAY_OR_TIME.test(after) ||
    monthAt(after.replace(/^\d{1,2}\.?[\s\u00a0](?:de[\s\u00a0])?/u, ''), language) !== undefined;
  const isMarked = hasCapital ? /^\p{Lu}/u.test(word) : stop + comma !== '';
  return isSure && isMarked ? { name, length: all.length } : undefined;
}

/** Reads abbreviations of weekdays, and of English months (`Jun 3`), before figures, and ranges of weekdays: `Mon.–Fri.`, `lun.-ven.` */
export function readWeekdays({ rest, language }: TextPosition): Reading | undefined {
  const day = weekdayAt(rest, language);
  if (day !== undefined) return { words: day.name, length: day.length };
  const [word = ''] = /^\p{Lu}\p{Ll}{2,3}(?=,?[\s\u00a0]\d{1,2}(?!\d))/u.exec(rest) ?? [];
  const month = language.code === 'en' ? shortMonth(word, language) : undefined;
  if (month !== undefined) return { words: month, length: word.length };
  const [all = '', first = '', link, last = ''] =
    /^(\p{L}{2,5})\.?(?:[\s\u00a0]?[–-][\s\u00a0]?|[\s\u00a0](\p{L}{1,4})[\s\u00a0])(\p{L}{2,5})(?!\p{L})\.?/u.exec(
      rest,
    ) ?? [];
  if (link !== undefined && link !== language.to) return undefined;
  const [from, to] = [first, last].map((name) => language.weekdays.get(name.toLowerCase()));
  return from && to ? { words: `${from} ${language.to} ${to}`, length: all.length } : undefined;
}

/** Reads French opening hours: `9 h–17 h`, `10h-14h30`. */
function hourRange(place: TextPosition): Reading | undefined {
  const { rest, language } = place;
  const [all = '', from = ''] = /^(\d{1,2})[\s\u00a0]?h[\s\u00a0]?[–-][\s\u00a0]?(?=\d)/u.exec(rest) ?? [];
  const to =
    language.code === 'fr' && all !== ''
      ? readTime({ ...place, before: 'à', rest: rest.slice(all.length) })
      : undefined;
  return to && { words: `${sayTime(Number(from), 0, place)} à ${to.words}`, length: all.length + to.length };
}

/** Reads `9 h`, `9h` in French, Spanish and Portuguese; `8 Uhr` needs no rule. */
function hourOnly(place: TextPosition): Reading | undefined {
  const { rest, language, before } = place;
  const [all = '', hours = ''] = /^(\d{1,2})[\s\u00a0\u202f]?h(?![\p{L}\d/])/u.exec(rest) ?? [];
  const isTime = { fr: /^[àaÀA]$|^vers$/u, es: /^[Ll]as?$/u, pt: /^[ÀàAa]s?$/u }[language.code as 'fr']?.test(
    before ?? '',
  );
  if (all === '' || isTime !== true || Number(hours) > 24) return undefined;
  return { words: sayTime(Number(hours), 0, place).replace(/ en punto$/u, ' horas'), length: all.length };
}

function halfDay(rest: string): ((language: Language) => Reading) | undefined {
  const [all = '', hours = '', minutes, half = ''] =
    /^(\d{1,2})(?:[:.](\d{2}))?[\s\u00a0\u202f]?([ap])(?:\.[\s\u00a0]?m\.|\.?m(?!\p{L}))/iu.exec(rest) ?? [];
  if (all === '') return undefined;
  return (language) => {
    const low = minutes === undefined || minutes === '00' ? '' : ` ${minutesOf(Number(minutes), language)}`;
    const words = `${count(Number(hours), language)}${low} ${half.toUpperCase()} M`;
    const dash = /^[\s\u00a0]?[–—-][\s\u00a0]?(?=\d)/u.exec(rest.slice(all.length))?.[0] ?? '';
    const until = dash === '' ? undefined : halfDay(rest.slice(all.length + dash.length))?.(language);
    if (until === undefined) return { words, length: all.length, closes: true };
    return {
      ...until,
      words: `${words} ${language.to} ${until.words}`,
      length: all.length + dash.length + until.length,
    };
  };
}

function minutesOf(minutes: number, language: Language): string {
  return minutes < 10 ? `oh ${count(minutes, language)}` : count(minutes, language);
}

/** Polish words before a time, after which the hour has another grammatical case. */
const POLISH_BEFORE_TIME = /^(?:o|od|do|po|około|ok\.|koło|godz\.|godzinie)$/iu;

function polishHour(hours: number, { spellOut }: Language, before: string): string {
  if (/^przed$/iu.test(before)) return spellOut(hours, 'ordinal-feminine-instrumental');
  return spellOut(hours, POLISH_BEFORE_TIME.test(before) ? 'ordinal-feminine-locative' : 'ordinal-feminine');
}

function sayTime(
  hours: number,
  minutes: number,
  { language, before }: Pick<TextPosition, 'language' | 'before'>,
): string {
  const both = (hour: string, between: string): string =>
    minutes === 0 ? hour : `${hour}${between}${count(minutes, language)}`;
  switch (language.code) {
    case 'en':
      if (minutes > 0) return `${count(hours, language)} ${minutesOf(minutes, language)}`;
      return hours > 12 || hours === 0 ? `${count(hours, language)} hundred` : `${count(hours, language)} o'clock`;
    case 'de':
      return both(`${say(hours, language)} Uhr`, ' ');
    case 'nl':
      return both(`${count(hours, language)} uur`, ' ');
    case 'fr':
      return both(`${say(hours, language, 'feminine')} heure${hours < 2 ? '' : 's'}`, ' ');
    case 'es':
      return minutes === 0
        ? `${say(hours, language, 'feminine')} en punto`
        : both(say(hours, language, 'feminine'), ' y ');
    case 'it':
      return both(count(hours, language), ' e ');
    case 'pt':
      return both(`${say(hours, language, 'feminine')} hora${hours < 2 ? '' : 's'}`, ' e ');
    case 'pl':
      return both(polishHour(hours, language, before ?? ''), minutes < 10 ? ' zero ' : ' ');
    case 'ru':
      return minutes === 0
        ? `${count(hours, language)} ноль ноль`
        : both(count(hours, language), minutes < 10 ? ' ноль ' : ' ');
    default:
      return both(count(hours, language), minutes < 10 ? ' sıfır ' : ' ');
  }
}
