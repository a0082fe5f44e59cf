import { analyse } from 'chardet';

/** Encodings that a table can be read with: labels of the Encoding Standard, with what people call them. */
export const ENCODINGS = {
  'utf-8': 'Unicode (UTF-8)',
  'utf-16le': 'Unicode (UTF-16 LE)',
  'utf-16be': 'Unicode (UTF-16 BE)',
  'windows-1252': 'Western European (Windows-1252)',
  'windows-1250': 'Central European (Windows-1250)',
  'iso-8859-2': 'Central European (ISO 8859-2)',
  'windows-1251': 'Cyrillic (Windows-1251)',
  'koi8-r': 'Cyrillic (KOI8-R)',
  'windows-1253': 'Greek (Windows-1253)',
  'windows-1254': 'Turkish (Windows-1254)',
  'windows-1255': 'Hebrew (Windows-1255)',
  'windows-1256': 'Arabic (Windows-1256)',
  'windows-1257': 'Baltic (Windows-1257)',
  'windows-1258': 'Vietnamese (Windows-1258)',
  'windows-874': 'Thai (Windows-874)',
  macintosh: 'Western European (Macintosh)',
  shift_jis: 'Japanese (Shift JIS)',
  'euc-jp': 'Japanese (EUC-JP)',
  gb18030: 'Simplified Chinese (GB18030)',
  big5: 'Traditional Chinese (Big5)',
  'euc-kr': 'Korean (EUC-KR)',
} as const;

/** A key of {@link ENCODINGS}. */
export type Encoding = keyof typeof ENCODINGS;

/** What spreadsheets save as "CSV" in each language, as in the Encoding Standard's table of default encodings. */
const OF_LANGUAGES: readonly (readonly [encoding: Encoding, languages: string])[] = [
  ['windows-1250', 'bs cs hr hu pl ro sk sl sq'],
  ['windows-1251', 'be bg kk ky mk mn ru sr tg uk'],
  ['windows-1253', 'el'],
  ['windows-1254', 'az tr'],
  ['windows-1255', 'he'],
  ['windows-1256', 'ar fa ur'],
  ['windows-1257', 'et lt lv'],
  ['windows-1258', 'vi'],
  ['windows-874', 'th'],
  ['shift_jis', 'ja'],
  ['big5', 'zh-TW zh-HK zh-MO zh-Hant'],
  ['gb18030', 'zh'],
  ['euc-kr', 'ko'],
];

/** Windows' counterparts of the standards that the detector names: spreadsheets write the former. */
const OF_WINDOWS: Readonly<Record<string, Encoding>> = {
  'iso-8859-1': 'windows-1252',
  'iso-8859-2': 'windows-1250',
  'iso-8859-7': 'windows-1253',
  'iso-8859-8': 'windows-1255',
  'iso-8859-9': 'windows-1254',
};

/** How much the reader's language counts, in the detector's percent: short tables say little about themselves. */
const LANGUAGE_BONUS = 20;

/**
 * The most likely encoding of a text. A byte order mark and valid UTF-8 decide; otherwise the frequencies of letters, the
 * signs that no text contains, and the reader's language do. @param language BCP 47, as of the browser.
 */
export function detectEncoding(bytes: Uint8Array, language: string): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // A table has a letter, digit or separator of ASCII at its start or soon after, which UTF-16 pads by a zero.
  const zero = bytes.subarray(0, 1000).indexOf(0);
  if (zero >= 0) return zero % 2 === 1 ? 'utf-16le' : 'utf-16be';
  if (decoded(bytes, 'utf-8') !== undefined) return 'utf-8';

  const usual = encodingOf(language);
  const scores = new Map<Encoding, number>([
    ['windows-1252', 0],
    [usual, 0],
  ]);
  for (const { name, confidence } of analyse(bytes)) {
    const label = name.toLowerCase();
    for (const encoding of [OF_WINDOWS[label], label])
      if (isEncoding(encoding)) scores.set(encoding, Math.max(scores.get(encoding) ?? 0, confidence));
  }
  let best: { readonly encoding: Encoding; readonly score: number } | undefined;
  for (const [encoding, confidence] of scores) {
    const text = decoded(bytes, encoding);
    if (text === undefined) continue;
    const score = confidence + (encoding === usual ? LANGUAGE_BONUS : 0) - 100 * shareOfSigns(text);
    if (best === undefined || score > best.score) best = { encoding, score };
  }
  return best?.encoding ?? 'windows-1252';
}

/** The usual encoding of a language; Western European for all that are not listed. */
function encodingOf(language: string): Encoding {
  const isListed = (prefix: string) => language === prefix || language.startsWith(`${prefix}-`);
  return OF_LANGUAGES.find(([, languages]) => languages.split(' ').some(isListed))?.[0] ?? 'windows-1252';
}

/** Whether a label is one of {@link ENCODINGS}. */
export function isEncoding(label: string | null | undefined): label is Encoding {
  return typeof label === 'string' && Object.hasOwn(ENCODINGS, label);
}

/** `undefined` when the bytes are not valid in this encoding. */
function decoded(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Share of signs among the characters beyond ASCII: a wrong encoding makes fractions, boxes and controls of letters. */
function shareOfSigns(text: string): number {
  const others = text.match(/[^\p{ASCII}]/gu) ?? [];
  return others.filter((character) => !/[\p{L}\p{M}]/u.test(character)).length / Math.max(1, others.length);
}
