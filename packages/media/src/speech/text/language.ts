import { type Abbreviations, createAbbreviations } from './reading/abbreviations.js';
import type { Grammar } from './reading/grammar.js';
import { createSpellOut, optionalJson, type SpellOut, withLarge } from './reading/rbnf.js';

/** A unit's forms by plural category, and its grammatical gender (`masculine`), by its CLDR name. */
type Units = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Data and rules for reading texts of one language. */
export interface Language extends Omit<Grammar, 'abbreviations'> {
  readonly code: string;
  readonly locale: string;
  readonly spellOut: SpellOut;
  readonly units: Units;
  /** Names of pictographs. */
  readonly emoji: Readonly<Record<string, string>>;
  readonly abbreviations: Abbreviations;
  /** Names of months in the form after a day, in the locale's spelling. */
  readonly months: readonly string[];
  /** Names of months by their abbreviations in lower case, without a full stop. */
  readonly monthsByShort: ReadonlyMap<string, string>;
  /** Names of weekdays by their abbreviations in lower case, without a full stop. */
  readonly weekdays: ReadonlyMap<string, string>;
  readonly plural: Intl.PluralRules;
  /** Names of countries, for flags. */
  readonly regions: Intl.DisplayNames;
}

/** Cache by locale: the tables are the same for each text. */
const made = new Map<string, Language | undefined>();

/** The language of a locale (`de-AT`); `undefined` for languages without rules, whose texts the engine reads itself. */
export function languageOf(locale: string): Language | undefined {
  if (!made.has(locale)) made.set(locale, createLanguage(locale));
  return made.get(locale);
}

const DATA = '../../../../data';

/** The grammar of a locale with what its region has of its own; one without rules has only abbreviations. */
function grammarOf(locale: string): Grammar | Pick<Grammar, 'closing' | 'clock' | 'abbreviations'> | undefined {
  const [code = '', region = ''] = locale.split('-');
  if (!/^[a-z]{2,3}$/u.test(code)) return undefined;
  const grammar = optionalJson(`${DATA}/grammar/${code}.json`) as Grammar | undefined;
  return grammar && { ...grammar, ...grammar.locales?.[region] };
}

/** Cache by locale, for languages without rules too. */
const abbreviations = new Map<string, Abbreviations>();

/** The abbreviations of a locale, also of one whose language has no rules. */
export function abbreviationsOf(locale: string): Abbreviations {
  const grammar = abbreviations.has(locale) ? undefined : grammarOf(locale);
  const known = abbreviations.get(locale) ?? createAbbreviations(grammar?.abbreviations ?? {}, grammar?.closing);
  abbreviations.set(locale, known);
  return known;
}

/** Words before times of day in a language without rules; `undefined` where nothing is known of its times. */
export function clockOf(locale: string): string | undefined {
  return grammarOf(locale)?.clock;
}

function createLanguage(locale: string): Language | undefined {
  const code = locale.split('-')[0] ?? '';
  const grammar = grammarOf(locale);
  const spellOut = grammar && createSpellOut(code);
  if (grammar === undefined || !('decimal' in grammar) || spellOut === undefined) return undefined;
  const words = optionalJson(`${DATA}/words/${code}.json`) as Pick<Language, 'units' | 'emoji'>;
  const unitSigns = optionalJson(`${DATA}/grammar/units.json`) as Language['unitSigns'];
  const months = monthsOf(locale);
  return {
    ...grammar,
    code,
    locale,
    spellOut: grammar.large === undefined ? spellOut : withLarge(spellOut, grammar.large),
    ...words,
    unitSigns: { ...unitSigns, ...grammar.unitSigns },
    abbreviations: abbreviationsOf(locale),
    months,
    monthsByShort: shortMonthsOf(locale, months),
    weekdays: weekdaysOf(locale),
    plural: new Intl.PluralRules(code),
    regions: new Intl.DisplayNames(code, { type: 'region' }),
  };
}

/** Cache by locale, for languages without rules too. */
const monthNames = new Map<string, readonly string[]>();

/** Names of months in the form after a day, in the locale's spelling. */
export function monthsOf(locale: string): readonly string[] {
  const known = monthNames.get(locale);
  if (known !== undefined) return known;
  const dates = new Intl.DateTimeFormat(`${locale}-u-ca-gregory`, { day: 'numeric', month: 'long', timeZone: 'UTC' });
  const months = Array.from(
    { length: 12 },
    (_, month) => dates.formatToParts(Date.UTC(2024, month, 2)).find(({ type }) => type === 'month')?.value ?? '',
  );
  monthNames.set(locale, months);
  return months;
}

function shortMonthsOf(locale: string, months: readonly string[]): Map<string, string> {
  const format = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' });
  return new Map(
    months.map((name, month) => [
      format
        .format(Date.UTC(2024, month, 2))
        .toLowerCase()
        .replace('.', ''),
      name,
    ]),
  );
}

function weekdaysOf(locale: string): Map<string, string> {
  const named = (weekday: 'short' | 'long') => new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' });
  const [short, long] = [named('short'), named('long')];
  // 1 January 2024 is a Monday.
  const days = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(2024, 0, 1 + day)));
  return new Map(days.map((day) => [short.format(day).toLowerCase().replace('.', ''), long.format(day)]));
}
