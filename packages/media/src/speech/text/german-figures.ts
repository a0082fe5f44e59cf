const UNITS = (
  'null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn ' +
  'achtzehn neunzehn'
).split(' ');
const TENS = '  zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'.split(' ');

function belowHundred(value: number): string {
  if (value === 1) return 'eins';
  if (value < 20) return UNITS[value]!;
  const unit = value % 10;
  return `${unit === 0 ? '' : `${UNITS[unit]}und`}${TENS[Math.floor(value / 10)]}`;
}

/** A year of 1100 to 1999 as people say it: `neunzehnhundertneunundneunzig`. */
export function germanYear(figures: string): string | undefined {
  const year = /^(1[1-9])(\d\d)$/.exec(figures);
  if (!year) return undefined;
  const rest = Number(year[2]);
  return `${UNITS[Number(year[1])]}hundert${rest === 0 ? '' : belowHundred(rest)}`;
}

/** `1990er`, `90er`: `neunzehnhundertneunziger`. */
export function germanDecade(text: string): string | undefined {
  const [, century = '', decade = ''] = /^(1[1-9])?([1-9]0)er$/u.exec(text) ?? [];
  if (decade === '') return undefined;
  return `${century === '' ? '' : `${UNITS[Number(century)]}hundert`}${belowHundred(Number(decade))}er`;
}
