const UNITS = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ');
const TENS = ' ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

/** Cardinal of 0 to 99. */
export function englishBelowHundred(value: number): string {
  if (value < 20) return UNITS[value]!;
  const unit = value % 10;
  return `${TENS[Math.floor(value / 10)]}${unit === 0 ? '' : ` ${UNITS[unit]}`}`;
}

/** Ordinal of 1 to 999; `undefined` beyond. */
export function englishOrdinal(value: number): string | undefined {
  if (!Number.isInteger(value) || value < 1 || value > 999) return undefined;
  const rest = value % 100;
  const hundreds = value < 100 ? '' : `${UNITS[Math.floor(value / 100)]} hundred`;
  if (rest === 0) return `${hundreds}th`;
  const words = englishBelowHundred(rest).split(' ');
  const last = words.pop()!;
  const ordinal = ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return [hundreds, ...words, ordinal].filter((word) => word !== '').join(' ');
}

/** A year of 1100 to 1999 as people say it: `nineteen oh five`. */
export function englishYear(figures: string): string | undefined {
  const year = /^(1[1-9])(\d\d)$/.exec(figures);
  if (!year) return undefined;
  const century = englishBelowHundred(Number(year[1]));
  const rest = Number(year[2]);
  if (rest === 0) return `${century} hundred`;
  return `${century} ${rest < 10 ? 'oh ' : ''}${englishBelowHundred(rest)}`;
}

/** `1990s`, `'90s`, `90s`, `1800s`, `2000s`. */
export function englishDecade(text: string): string | undefined {
  const [, century = '', decade = ''] = /^['’]?(1[1-9]|20)?(\d0)['’]?s$/u.exec(text) ?? [];
  if (decade === '' || (century === '' && decade === '00')) return undefined;
  if (decade === '00') return century === '20' ? 'two thousands' : `${englishBelowHundred(Number(century))} hundreds`;
  const tens = englishBelowHundred(Number(decade));
  const plural = tens.endsWith('y') ? `${tens.slice(0, -1)}ies` : `${tens}s`;
  return `${century === '' ? '' : `${englishBelowHundred(Number(century))} `}${plural}`;
}
