import anyAscii from 'any-ascii';

/** Whether a language (BCP 47) is written in Latin letters. */
export function isLatin(locale: string): boolean {
  return new Intl.Locale(locale).maximize().script === 'Latn';
}

/** Two letters or more: a single one, such as in `α-carotene`, is a sign that engines name. */
const OTHER_SCRIPTS = /(?:(?!\p{Script=Latin})\p{L}\p{M}*){2,}|\p{Script=Han}/gu;

/**
 * Words of other scripts in Latin letters (`Moskva`, `BeiJing`): voices of a language with Latin letters spell them letter by letter, or
 * leave them out.
 */
export function transliterated(spoken: string): string {
  return spoken.replace(OTHER_SCRIPTS, (word) => anyAscii(word));
}
