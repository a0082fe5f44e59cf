/** How a language says what is written in figures and signs. Numbers stay figures, which engines read well. */
interface ReadingWords {
  /** Between the ends of a range. */
  readonly to: string;
  readonly percent: string;
  /** A time of the day: hours 0 to 24, minutes 0 to 59, and whether the text calls it a time itself (`Uhr`). */
  readonly clock: (hours: number, minutes: number) => string;
  /** A sum with a fraction: `5 euros and 20 cents`. `minor` is the name of the smaller coin. */
  readonly money: (parts: { whole: string; unit: string; minor: string; cents: number }) => string;
  /** Names of smaller coins by currency; one form for all numbers but one. */
  readonly minors: Readonly<Record<string, readonly [one: string, many: string]>>;
  /** Words after a time that a reading of it says already. */
  readonly timeWord?: RegExp;
}

/** By language code. */
const READING_WORDS: Readonly<Record<string, ReadingWords>> = {
  en: {
    to: 'to',
    percent: 'percent',
    clock: (hours, minutes) =>
      minutes === 0
        ? hours > 12 || hours === 0
          ? `${hours === 0 ? 'zero' : hours} hundred`
          : `${hours} o'clock`
        : `${hours} ${minutes < 10 ? `oh ${minutes}` : minutes}`,
    money: ({ whole, unit, minor, cents }) => `${whole} ${unit} and ${cents} ${minor}`,
    minors: { USD: ['cent', 'cents'], EUR: ['cent', 'cents'], GBP: ['penny', 'pence'] },
  },
  de: {
    to: 'bis',
    percent: 'Prozent',
    clock: (hours, minutes) => `${hours} Uhr${minutes === 0 ? '' : ` ${minutes}`}`,
    money: ({ whole, unit, cents }) => `${whole} ${unit} ${cents}`,
    minors: { USD: ['Cent', 'Cent'], EUR: ['Cent', 'Cent'], GBP: ['Penny', 'Pence'] },
    timeWord: /^Uhr(?=\P{L}|$)/u,
  },
  fr: {
    to: 'à',
    percent: 'pour cent',
    clock: (hours, minutes) => `${hours} ${hours === 1 ? 'heure' : 'heures'}${minutes === 0 ? '' : ` ${minutes}`}`,
    money: ({ whole, unit, cents }) => `${whole} ${unit} ${cents}`,
    minors: { USD: ['cent', 'cents'], EUR: ['centime', 'centimes'], GBP: ['penny', 'pence'] },
  },
  es: {
    to: 'a',
    percent: 'por ciento',
    clock: (hours, minutes) => (minutes === 0 ? `${hours} en punto` : `${hours} y ${minutes}`),
    money: ({ whole, unit, cents, minor }) => `${whole} ${unit} con ${cents} ${minor}`,
    minors: { USD: ['centavo', 'centavos'], EUR: ['céntimo', 'céntimos'], GBP: ['penique', 'peniques'] },
    timeWord: /^h(?:s|oras)?(?=\P{L}|$)/u,
  },
  it: {
    to: 'a',
    percent: 'per cento',
    clock: (hours, minutes) => (minutes === 0 ? `${hours}` : `${hours} e ${minutes}`),
    money: ({ whole, unit, cents }) => `${whole} ${unit} e ${cents}`,
    minors: { USD: ['centesimo', 'centesimi'], EUR: ['centesimo', 'centesimi'], GBP: ['penny', 'pence'] },
  },
  pt: {
    to: 'a',
    percent: 'por cento',
    clock: (hours, minutes) => `${hours} ${hours === 1 ? 'hora' : 'horas'}${minutes === 0 ? '' : ` e ${minutes}`}`,
    money: ({ whole, unit, cents, minor }) => `${whole} ${unit} e ${cents} ${minor}`,
    minors: {
      USD: ['centavo', 'centavos'],
      EUR: ['cêntimo', 'cêntimos'],
      GBP: ['péni', 'pence'],
      BRL: ['centavo', 'centavos'],
    },
    timeWord: /^h(?:oras)?(?=\P{L}|$)/u,
  },
};

/** The words of a locale's language; `undefined` for languages whose engines are left to read as they can. */
export function readingWords(locale: string): ReadingWords | undefined {
  return READING_WORDS[locale.split('-')[0] ?? ''];
}

/** A time of the day in a token (`14:30`, `14h30`, `9.30 Uhr` is none); `undefined` when it is none. */
export function clockTime(core: string, locale: string): string | undefined {
  const [, hours = '', minutes = ''] = /^(\d{1,2})(?:[:h])(\d{2})$/u.exec(core) ?? /^(\d{1,2})h()$/u.exec(core) ?? [];
  const isHourSign = core.includes('h');
  if (hours === '' || Number(hours) > 24 || Number(minutes) > 59) return undefined;
  // `5h` is five hours in English and German, and a time of the day in French, Spanish and Portuguese.
  if (isHourSign && !/^(?:fr|es|pt)/.test(locale)) return undefined;
  return readingWords(locale)?.clock(Number(hours), Number(minutes === '' ? 0 : minutes));
}

/** `10–12`, `9:00-17:30`, `10-12%`: the ends with the language's word between them. A hyphen may be a minus in anything but rising figures. */
export function range(core: string, locale: string): string | undefined {
  const words = readingWords(locale);
  const [, from = '', dash = '', to = '', sign = ''] = /^(\d[\d.,:]*)([–—-])(\d[\d.,:]*?)(\s?%|)$/u.exec(core) ?? [];
  if (words === undefined || to === '') return undefined;
  if (dash === '-' && !isRising(from, to)) return undefined;
  const end = (figures: string): string => clockTime(figures, locale) ?? figures;
  return `${end(from)} ${words.to} ${end(to)}${sign === '' ? '' : ` ${words.percent}`}`;
}

/** Not the parts of a telephone number: both short, or equally long. */
function isRising(from: string, to: string): boolean {
  const isPlain =
    Math.max(from.length, to.length) <= 3 || (from.length === to.length && to.length <= 5) || to.includes(':');
  return isPlain && amountOf(from) < amountOf(to);
}

/** A figure for comparing: times in minutes. */
function amountOf(figures: string): number {
  const [hours = '', minutes] = figures.split(':');
  return minutes === undefined ? Number(figures.replace(',', '.')) : Number(hours) * 60 + Number(minutes);
}

/** A sum of money that has a fraction, in the words of the language; `unit` is the name of the currency for `whole`. */
export function moneyWithFraction(
  amount: number,
  { currency, unit, locale }: { currency: string; unit: (whole: number) => string; locale: string },
): string | undefined {
  const words = readingWords(locale);
  const minors = words?.minors[currency];
  const cents = Math.round((amount % 1) * 100);
  if (words === undefined || minors === undefined || cents === 0) return undefined;
  const minor = minors[cents === 1 ? 0 : 1];
  const whole = Math.floor(amount);
  return whole === 0 ? `${cents} ${minor}` : words.money({ whole: String(whole), unit: unit(whole), minor, cents });
}
