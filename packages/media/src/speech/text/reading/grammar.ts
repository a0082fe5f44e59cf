/** One of several forms, by the words around it; all conditions that are present must hold. */
export interface Case {
  /** Words before it. */
  readonly before?: string;
  /** True for the beginning of a sentence or a place after punctuation. */
  readonly alone?: true;
  /** Endings of the word after it. */
  readonly noun?: string;
  /** Rule set of CLDR (`ordinal-feminine`). */
  readonly form: string;
}

/** How a language's figures take the gender of the noun after them: endings, and frequently counted nouns that do not follow them. */
export interface NounRules {
  /** The values whose words differ by gender: a number, or the last figures of all (`*1`, but not 11; `*00` for hundreds). */
  readonly agrees: string;
  /** True if nouns have a capital; in other languages a capital is more often a name. */
  readonly capital?: true;
  readonly feminine: string;
  readonly isFeminine: string;
  readonly masculine?: string;
  readonly isMasculine: string;
  readonly neuter?: string;
  /** Words with such an ending that are not nouns. */
  readonly others: string;
}

/**
 * A language's words for figures, signs and abbreviations (`packages/media/data/grammar/LANGUAGE.json`), except those of CLDR (numbers, units,
 * months, emoji).
 */
export interface Grammar {
  /** The decimal mark, the word for it, and whether the fraction is read figure by figure. */
  readonly decimal: '.' | ',';
  readonly point: string;
  readonly byDigits: boolean;
  /** Word before the unit of a price (`2 €/kg`), and names of a multiple (`3x`), by plural category as in {@link money}; `''` where neither is read. */
  readonly per: string;
  readonly times: string;
  /** Word between the ends of a range, and between the two figures of a score. */
  readonly to: string;
  readonly score: string;
  /** Word between the figures of a ratio (`3:1`); {@link score} when absent. */
  readonly ratio?: string;
  /** Words for signs between or before figures. */
  readonly signs: Readonly<Record<string, string>>;
  /** Words for signs of an address, `.` to `=`. */
  readonly address: Readonly<Record<string, string>>;
  /** Common names of currencies, by plural category; `_` is the first letter of the grammatical gender, `minor` the subunit. */
  readonly money: Readonly<Record<string, string>>;
  /** Word between an amount and its subunits, and whether the subunit is named. */
  readonly moneyAnd: string;
  readonly namesCoins: boolean;
  /** Halves, thirds, … by denominator: one and many. */
  readonly parts: Readonly<Record<number, string>>;
  /** Words before or after four figures that are a year (lower case), and words before Roman numerals. */
  readonly beforeYears: string;
  readonly beforeNumerals: string;
  /** Beginnings of words after a Roman ordinal: `XXI secolo`. */
  readonly afterNumerals: string;
  readonly beforePhones: string;
  /** CLDR's word between the two units of a rate (`g/cm³`); `''` where it needs a grammatical case. */
  readonly rate: string;
  /** Words between a mark and the best one, and between the values of a blood pressure; `''` where neither is read. */
  readonly outOf: string;
  readonly over: string;
  /** The word for `#` and `№`. */
  readonly number: string;
  /** Words between a fraction and a unit (`three quarters of a mile`). */
  readonly ofUnit: string;
  /** The same before a vowel. */
  readonly ofUnitElided?: string;
  /** True if a unit after a fraction has the form that it has after decimals. */
  readonly partForm?: 'other';
  /** `half a` before masculine, feminine and neuter nouns; empty where there is no rule. */
  readonly halves: readonly string[];
  /** Words after a whole number: `½`, and before any other fraction. */
  readonly andHalf: string;
  readonly andPart: string;
  /** Words by their signs after figures (`Mio`); Slavic ones by plural category, with the gender, like the names of currencies. */
  readonly multiples: Readonly<Record<string, string>>;
  /** CLDR's names of units by signs of this language; with a full stop only if it is written. `''`: not a unit there. */
  readonly unitSigns: Readonly<Record<string, string>>;
  /** The name of the unit that CLDR does not have, like those of currencies. */
  readonly decibel: string;
  /** Words by abbreviation: see `abbreviations.ts`. */
  readonly abbreviations: Readonly<Record<string, string>>;
  /** Abbreviations (lower case) that often end a sentence: a capital letter after them begins the next one. */
  readonly closing?: string;
  /** Words before times, in a language without rules: `kl. 14.30`. */
  readonly clock?: string;

  /** Phrases (see `phrases.ts`) by the endings of an ordinal `n` after figures (`st nd rd th`), or by figures with their ending (`2nd`). */
  readonly ordinals?: Readonly<Record<string, string>>;
  /** Where figures with a full stop before a word are an ordinal: before any word, or only before one in lower case. */
  readonly ordinalStop?: 'any' | 'lower';
  /** The stem of an ordinal in a compound: `3.-größte`. */
  readonly ordinalStem?: string;
  /** Words before, and abbreviations after, a figure with a full stop that does not end the sentence. */
  readonly beforeOrdinals?: string;
  readonly afterOrdinals?: string;
  /** Forms of an ordinal by the words around it. */
  readonly agreement?: readonly Case[];
  /** Those of {@link ordinals} that Roman numerals have too: `XIVe`. */
  readonly numeralEndings?: string;
  /** Phrases for the numeral `n` of a ruler; above `last` it is counted. */
  readonly ruler?: {
    readonly masculine: string;
    readonly feminine: string;
    readonly first?: string;
    readonly last?: number;
  };
  /** Roman numerals of one letter that may be a ruler's; `I V` when absent. */
  readonly loneNumerals?: string;

  /** Phrases for fractions of `over` and `under`: of one, of two to four, of others. */
  readonly fraction: { readonly one: string; readonly few?: string; readonly other: string };
  /** The rule set for the whole of `1½`. */
  readonly mixed?: string;
  /** Names of wholes and of tenths, hundredths, …, in languages that read decimals so. */
  readonly decimals?: { readonly whole: string; readonly parts: readonly string[] };
  /** The word after millions of something, and before a vowel. */
  readonly ofMillions?: string;
  readonly ofMillionsElided?: string;
  /** Words before figures in the genitive. */
  readonly beforeGenitive?: string;
  readonly nouns?: NounRules;
  /** Words of a rate by the sign of its unit, where {@link rate} needs a grammatical case. */
  readonly ratesByUnit?: Readonly<Record<string, string>>;
  /** True if endings follow units and figures after an apostrophe: `5 km'de`. */
  readonly suffixes?: true;
  /** True if Roman numerals with a full stop are ordinals. */
  readonly ordinalNumerals?: true;
  /** Names of large numbers by their value, from the largest, if the language counts in them. */
  readonly large?: Readonly<Record<string, string>>;

  /** Rule set for years, and a phrase for the hundreds `c` and the rest `y` of those from 1100 to 1999. */
  readonly year?: string;
  readonly century?: string;
  /** True if two years with a dash are a span; whether four figures alone are a year: before punctuation, or also before a verb. */
  readonly yearSpans?: true;
  readonly bareYears?: 'end' | 'always';
  /** Rule set of an ordinal without an article and a noun: `Er wurde 3., sie 2.` */
  readonly freeOrdinal?: string;
  /** Words before a code whose figures are read one by one: `code: 839201`. */
  readonly beforeCodes?: string;
  /** Names of the directions after degrees by their letter: `40° N`. */
  readonly compass?: Readonly<Record<string, string>>;
  /** Phrases for a decade `y` by what is written after it. */
  readonly decades?: Readonly<Record<string, string>>;
  /** Rule sets of a day before its month; `''`: as {@link agreement} has it. */
  readonly day?: string;
  readonly firstDay?: string;
  /** Phrases for day `d` and `month` of a date in figures, of one in words (the same if absent), and for the year after them: `y` as years are read, or `n`. */
  readonly dayMonth: string;
  readonly writtenDate?: string;
  readonly dateYear: string;
  /** A phrase for the year `n` before a date in figures. */
  readonly yearDate?: string;
  /** Words between days of the same month, if these are inflected. */
  readonly dayLinks?: string;
  /** True if four figures after two capitals are read like a year: the flight `UA 1549`. */
  readonly codesInPairs?: true;
  /** Words after a year, and its forms by the word before it, if it is an ordinal there. */
  readonly yearBefore?: { readonly words: string; readonly cases: readonly Case[] };
  readonly writtenYear?: string;
  /** Whether the month of a date in figures may come first, or usually does. */
  readonly monthFirst?: 'possible' | 'usual';
  /** True for `May 3`; then also months that are words in lower case, words before a month without a day, and words between days. */
  readonly dayAfterMonth?: true;
  readonly notMonths?: string;
  readonly wholeMonth?: string;
  readonly rangeLinks?: string;
  /** Abbreviated months: with a capital, or any; only with a full stop when absent. */
  readonly shortMonths?: 'capital' | 'any';
  /** True if abbreviations of weekdays have no other meaning. */
  readonly surelyWeekdays?: true;
  /** Words before a day and a month in figures: with full stops, and with a slash. */
  readonly beforeDottedDay?: string;
  readonly beforeSlashedDay?: string;
  readonly time: TimeRules;

  /** Groups of figures that are a telephone number (`3-3-4`), and whether these are read in pairs. */
  readonly phones?: string;
  readonly phonePairs?: true;
  /** True if postal codes are read figure by figure. */
  readonly postalDigits?: true;
  /** The word after the feet of a height. */
  readonly foot?: string;
  /** True if units are singular before a noun: `a 16 GB card`. */
  readonly adjectiveUnits?: true;
  /** A unit's sign that is a word of the language. */
  readonly notUnits?: string;
  /** What is counted in multiples of one letter: `3.7m people`. */
  readonly counted?: string;
  /** True if the word for percent comes first. */
  readonly percentFirst?: true;
  /** The best mark of schools: `15/20`. */
  readonly bestMark?: string;
  /** Words of two numbers that are neither a fraction nor a date. */
  readonly pairs: Readonly<Record<string, string>>;
  /** A phrase for the plural of `initials`, and those that are spoken as words. */
  readonly initialsPlural?: string;
  readonly spokenAcronyms?: string;
  /** Abbreviations at the end of a word: `Hauptstr.` */
  readonly wordEndings?: Readonly<Record<string, string>>;
  /** True if articles are joined to words by an apostrophe. */
  readonly elisions?: true;
  /** What is different in a region (`US`). */
  readonly locales?: Readonly<Record<string, Partial<Grammar>>>;
}

/** Phrases for the time of day with hours `h` and minutes `m`. */
interface TimeRules {
  readonly hour: string;
  /** One o'clock, full hours, and full hours after noon; {@link hour} when absent. */
  readonly oneHour?: string;
  readonly full?: string;
  readonly late?: string;
  /** Minutes, and those below ten. */
  readonly minutes: string;
  readonly low?: string;
  /** Forms of the hours by the word before them. */
  readonly forms?: readonly Case[];
  /** Words that may be written after a time. */
  readonly words: string;
  /** Words before times with a full stop, where figures after it are not decimals: `o 14.30`. */
  readonly dotted?: string;
  /** Words before an hour alone (`9 h`), and its phrase. */
  readonly before?: string;
  readonly named?: string;
  /** An abbreviated noun before hours, whose case is that of the word before it. */
  readonly noun?: string;
  /** The end of {@link full} if it is also written. */
  readonly sharp?: string;
  /** True for `3 p.m.`; true if `h` is not the mark between hours and minutes. */
  readonly halfDays?: true;
  readonly noHourMark?: true;
}
