const GERMAN_UNITS = (
  'null ers zwei drit vier fünf sechs sieb ach neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn ' +
  'achtzehn neunzehn'
).split(' ');

const FRENCH = (
  'premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième onzième douzième treizième ' +
  'quatorzième quinzième seizième dix-septième dix-huitième dix-neuvième vingtième vingt-et-unième'
).split(' ');

const STEMS = {
  es: 'primer segund tercer cuart quint sext séptim octav noven décim'.split(' '),
  pt: 'primeir segund terceir quart quint sext sétim oitav non décim'.split(' '),
  it: 'prim second terz quart quint sest settim ottav non decim'.split(' '),
};

const ROMAN: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10 };

/** German ordinal of 1 to 31 (`dritten`, `dritte`, `dritter`), inflected as the word before it asks for. */
export function germanOrdinal(value: number, before: string | undefined): string | undefined {
  if (value < 1 || value > 31) return undefined;
  const ending = /^(?:der|die|das)$/i.test(before ?? '')
    ? 'e'
    : before === undefined || /[.,:;]$/.test(before)
      ? 'er'
      : 'en';
  if (value < 20) return `${GERMAN_UNITS[value]}t${ending}`;
  const tens = value < 30 ? 'zwanzig' : 'dreißig';
  const unit = value % 10;
  const units = {
    0: '',
    1: 'einund',
    2: 'zweiund',
    3: 'dreiund',
    6: 'sechsund',
    7: 'siebenund',
    8: 'achtund',
  } as const;
  return `${units[unit as keyof typeof units] ?? `${GERMAN_UNITS[unit]}und`}${tens}st${ending}`;
}

/** `21e` or `XXIe`, 1 to 21. */
export function frenchOrdinal(text: string): string | undefined {
  if (/^(?:1|I)er$/.test(text)) return 'premier';
  if (/^(?:1|I)(?:re|ère)$/.test(text)) return 'première';
  const [, figures, numeral] = /^(?:(\d{1,2})|([IVX]+))(?:e|ème)$/.exec(text) ?? [];
  if (figures === undefined && numeral === undefined) return undefined;
  return FRENCH[(figures === undefined ? romanValue(numeral!) : Number(figures)) - 1];
}

/** `1.º`, `2ª`; 1 to 10, in Spanish, Portuguese and Italian. */
export function romanceOrdinal(text: string, language: 'es' | 'pt' | 'it'): string | undefined {
  const [, figures, gender] = /^(\d{1,2})\.?([ºª°])$/u.exec(text) ?? [];
  const stem = STEMS[language][Number(figures ?? 0) - 1];
  return stem && `${stem}${gender === 'ª' ? 'a' : 'o'}`;
}

function romanValue(numeral: string): number {
  const values = [...numeral].map((letter) => ROMAN[letter]!);
  return values.reduce((sum, value, index) => sum + (value < (values[index + 1] ?? 0) ? -value : value), 0);
}
