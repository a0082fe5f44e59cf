import type { Language } from '../language.js';
import type { Reading, TextPosition } from '../place.js';
import { trimEnd } from '../trim.js';
import { isListed } from '../word-list.js';
import { count, digits } from './numbers.js';

const ADDRESS = /^(?:https?:\/\/|ftp:\/\/|www\.)[^\s<>"]{1,2000}/iu;
/** Host names without a scheme are recognised by top-level domains that are not abbreviations. */
const BARE_ADDRESS =
  /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,6}\.(?:com|org|net|info|io|dev|app|edu|gov|ai|de|at|ch|fr|es|it|pt|br|uk|eu|nl|pl|ru|tr)(?![\p{L}\d.-]\p{L})(?:[/?#][^\s<>"]{0,2000})?/u;
const MAIL = /^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}/u;

/** Reads URLs, host names and email addresses sign by sign, without scheme and `www.`. */
export function readAddress({ rest, language }: TextPosition): Reading | undefined {
  const found = MAIL.exec(rest)?.[0] ?? ADDRESS.exec(rest)?.[0] ?? BARE_ADDRESS.exec(rest)?.[0];
  if (found === undefined) return readFileName(rest, language);
  const written = trimEnd(found, /[\p{Pe}\p{Pf}"'.,;:!?…/]/u);
  const place = written.replace(/^(?:https?|ftp):\/\//iu, '').replace(/^www\./iu, '');
  return {
    words: spelt(place, language),
    length: found.endsWith('/') ? trimEnd(found, /[.,;:!?…]/u).length : written.length,
  };
}

const FILE_NAME =
  /^([\p{L}\d_-]{1,64})\.(pdf|docx?|xlsx?|pptx?|od[tsp]|csv|txt|zip|mp[34]|wav|mov|jpe?g|png|gif|svg|webp|json|xml|html?|css|js|ts|py|md|exe)(?![\p{L}\d]|[./-]\p{L})/u;

/** Reads a file's name with the letters of its type: `report_v2.pdf`. */
function readFileName(rest: string, language: Language): Reading | undefined {
  const [all = '', name = '', type = ''] = FILE_NAME.exec(rest) ?? [];
  if (all === '') return undefined;
  return { words: spelt(`${name}.${type.toUpperCase()}`, language), length: all.length };
}

/** Reads a user name or a hashtag of a social network. */
export function readHandle({ rest, language, previous }: TextPosition): Reading | undefined {
  const [all = '', sign = '', name = ''] = /^([@#])(\p{L}[\p{L}\d_.]{0,60})/u.exec(rest) ?? [];
  if (all === '' || /[\p{L}\d]/u.test(previous)) return undefined;
  // `order #AB-1234`: a number with letters.
  if (sign === '#' && /^.\p{Lu}{1,4}-?\d/u.test(rest)) return { words: language.number, length: 1 };
  const written = trimEnd(name, /\./u);
  const word = sign === '#' ? 'hashtag' : (language.address['@'] ?? '');
  const words = written.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ');
  return { words: `${word} ${spelt(words, language)}`, length: 1 + written.length };
}

function spelt(text: string, language: Language): string {
  return text
    .replace(/[./:@\-_=&?#%+~,]/gu, (sign) => ` ${language.address[sign] ?? ''} `)
    .replace(/\d{1,30}/gu, (figures) => ` ${sayCode(figures, language)} `)
    .replace(/ {2,9}/gu, ' ')
    .trim();
}

/** Figures of a code: as a number if there are few, otherwise one by one. */
export function sayCode(figures: string, language: Language): string {
  return figures.length > 4 || figures.startsWith('0') ? digits(figures, language) : count(Number(figures), language);
}

const PHONE = /^(?:\+\d{1,3}|\(0?\d{2,5}\)|0\d{1,5})(?:[\s\u00a0./-]{0,3}\(?\d{1,8}\)?){1,7}(?![\d\p{L}]|[.,]\d)/u;
/** Groups of figures, compared with the language's shapes of numbers (`3-3-4`). */
const GROUPS = /^\d{1,4}(?:[-.\s]\d{2,4}){0,2}[-.]\d{3,4}(?![\d-])/u;
const CALLED = /^\d{2,9}(?:[\s\u00a0./-]\d{2,7}){0,5}(?!\d)/u;

function groupedPhone(rest: string, { phones }: Language): string | undefined {
  const [written] = GROUPS.exec(rest) ?? [];
  const lengths = written?.split(/[-.\s]/u).map((group) => group.length);
  return lengths !== undefined && isListed(phones, lengths.join('-')) ? written : undefined;
}

/** Reads telephone numbers figure by figure, in French in pairs. */
export function readPhone(place: TextPosition): Reading | undefined {
  const { rest, language, before } = place;
  const isCalled = language.beforePhones.split(' ').includes((before ?? '').toLowerCase().replace(/:$/u, ''));
  const written =
    PHONE.exec(rest)?.[0] ?? groupedPhone(rest, language) ?? (isCalled ? CALLED.exec(rest)?.[0] : undefined);
  if (written === undefined) return undefined;
  const figures = written.replace(/\D/gu, '').length;
  const isShort = figures < (isCalled ? 3 : 7);
  const groups = written.match(/\d{1,20}/gu) ?? [];
  const isDate = groups.length <= 3 && /^\d{1,2}[./-]\d{1,2}[./-]/u.test(written);
  if (isShort || figures > 16 || isDate) return undefined;
  const plus = written.startsWith('+') ? `${language.signs['+']} ` : '';
  const words =
    language.phonePairs === true
      ? groups.map((group) =>
          group.length === 2 && !group.startsWith('0') ? count(Number(group), language) : digits(group, language),
        )
      : groups.map((group) => digits(group, language));
  return { words: plus + words.join(', '), length: written.length };
}
