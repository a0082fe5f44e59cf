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
  /** Words after a Roman ordinal: `XXI secolo`. */
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
}
