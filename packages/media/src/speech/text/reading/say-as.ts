import type { Language } from '../language.js';
import type { Saying } from '../piece.js';
import { count, digits, readFigures, say } from './numbers.js';
import { sayOrdinal } from './ordinals.js';

/** Attributes of `say-as`. */
type SayAsRequest = Omit<Extract<Saying, { kind: 'as' }>, 'kind' | 'from' | 'to'>;

/**
 * Rewrites text for `say-as`; the language's rules then read the remaining figures. `undefined` leaves the text unchanged to those rules.
 */
export function sayAs(text: string, { as, format }: SayAsRequest, language: Language | undefined): string | undefined {
  const written = text.trim();
  if (as === 'characters') return spelt(written, language);
  if (language === undefined) return undefined;
  const figures = readFigures(written.replace(/^\D{1,4}/u, ''), language);
  switch (as) {
    case 'digits':
      return digits(written, language);
    case 'telephone':
      return (written.match(/\d{1,20}/gu) ?? [])
        .map((group) => digits(group, language))
        .join(', ')
        .replace(/^/u, written.startsWith('+') ? `${language.signs['+']} ` : '');
    case 'ordinal':
      return figures && sayOrdinal(figures.value, language);
    case 'cardinal':
      return figures?.fraction === '' ? say(figures.value, language) : undefined;
    case 'date':
      return dateOf(written, format, language);
    // The rules recognise amounts, times and fractions by their form.
    case 'currency':
    case 'time':
    case 'fraction':
      return undefined;
  }
}

function spelt(written: string, language: Language | undefined): string {
  return [...written]
    .filter((sign) => /\S/u.test(sign))
    .map((sign) => {
      if (/\d/u.test(sign)) return language === undefined ? sign : count(Number(sign), language);
      return /\p{L}/u.test(sign) ? sign.toUpperCase() : (language?.address[sign] ?? language?.signs[sign] ?? '');
    })
    .filter((word) => word !== '')
    .join(' ');
}

/** Rewrites `12/5/2026` in the order of `format` to a date that the rules can read: `5 December 2026`. */
function dateOf(written: string, format: string, language: Language): string | undefined {
  const parts = written.match(/\d{1,4}/gu) ?? [];
  const order = format || (/^\d{4}/u.test(written) ? 'ymd' : language.monthFirst === undefined ? 'dmy' : 'mdy');
  const part = (letter: string): number | undefined => {
    const found = parts[order.indexOf(letter)];
    return order.includes(letter) && found !== undefined ? Number(found) : undefined;
  };
  const [year, month, day] = [part('y'), part('m'), part('d')];
  if (month === undefined || month < 1 || month > 12) return undefined;
  const shown = new Intl.DateTimeFormat(`${language.locale}-u-ca-gregory`, {
    timeZone: 'UTC',
    month: 'long',
    ...(day === undefined ? {} : { day: 'numeric' }),
    ...(year === undefined ? {} : { year: 'numeric' }),
  });
  return shown.format(Date.UTC(year ?? 2024, month - 1, day ?? 1));
}
