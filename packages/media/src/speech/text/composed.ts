/** A text in composed form, and where its parts come from. */
export interface ComposedText {
  readonly text: string;
  /** The range of the original text of a range that is not empty. */
  rangeOf(from: number, to: number): { readonly start: number; readonly end: number };
  /** The offset in the composed text of an offset of the original one. */
  offsetOf(at: number): number;
}

/**
 * What is composed: letters with marks, Korean letters of one syllable, and letters, figures and units that Unicode has again for the sake of
 * their look (ligatures, full and half width, mathematical alphabets, Roman numerals, circles, squares; full-width punctuation within figures).
 * Signs such as `²`, `½`, `ª` and `™` have a meaning of their own and stay.
 */
const COMPOSABLE =
  /\P{M}\p{M}{1,8}|[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|[\uff66-\uff9d][\uff9e\uff9f]?|(?<=[\d\uff10-\uff19])[\uff0c\uff0e\uff0f\uff1a](?=[\d\uff10-\uff19])|[\u0132\u0133\u0149\u017f\u01c4-\u01cc\u01f1-\u01f3\u2103\u2109\u2126\u212a\u212b\u2160-\u217f\u2460-\u24ff\u2776-\u2793\u3200-\u33ff\uf900-\ufaff\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufb28\ufb2a-\ufd3d\ufd50-\ufdfb\ufe70-\ufefc\uff03-\uff06\uff0b\uff10-\uff19\uff1c-\uff1e\uff20-\uff3a\uff41-\uff5a\uffa0-\uffdc\uffe0\uffe1\uffe5\uffe6]|[\u{1d400}-\u{1d7ff}]/gu;

/** Where runs of numbers in circles, brackets and with full stops begin, and the first number of each. */
const ENCLOSED_NUMBERS: readonly (readonly [first: number, last: number, number: number])[] = [
  [0x2460, 0x2473, 1],
  [0x2474, 0x2487, 1],
  [0x2488, 0x249b, 1],
  [0x24ea, 0x24ea, 0],
  [0x24eb, 0x24f4, 11],
  [0x24f5, 0x24fe, 1],
  [0x24ff, 0x24ff, 0],
  [0x2776, 0x277f, 1],
  [0x2780, 0x2789, 1],
  [0x278a, 0x2793, 1],
  [0x3251, 0x325f, 21],
  [0x32b1, 0x32bf, 36],
];

/** Kinds of Japanese companies, whose signs have only one letter of their names. */
const COMPANIES: Readonly<Record<string, string>> = {
  '㈱': '株式会社',
  '㈲': '有限会社',
  '㈳': '社団法人',
  '㈶': '財団法人',
  '㈻': '学校法人',
};

/** The numerals from one to twelve. */
function isRoman(code: number): boolean {
  return code >= 0x2160 && code <= 0x217b && (code - 0x2160) % 16 < 12;
}

/** A sign or a letter with its marks as people read it, after another character. */
function readingOf(written: string, before: string): string {
  if (/\p{M}/u.test(written)) return written.normalize('NFC');
  const code = written.codePointAt(0) ?? 0;
  // In Japanese and Chinese, Roman numerals of one sign are numbers: `第Ⅲ章`.
  if (isRoman(code) && /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(before))
    return String(((code - 0x2160) % 16) + 1);
  const [first, , number] = ENCLOSED_NUMBERS.find(([from, last]) => code >= from && code <= last) ?? [];
  // Two of them beside each other are not one number.
  if (first !== undefined && number !== undefined) return ` ${number + code - first} `;
  // `㎧` has a slash of its own.
  return COMPANIES[written] ?? written.normalize('NFKC').replaceAll('\u2215', '/');
}

/** The text as people read it (NFC, for letters in another form NFKC); `undefined` when it already is. Takes linear time. */
export function composed(text: string): ComposedText | undefined {
  const changes: { at: number; written: string; read: string }[] = [];
  for (const { 0: written, index: at } of text.matchAll(COMPOSABLE)) {
    const read = readingOf(written, text[at - 1] ?? '');
    if (read !== written) changes.push({ at, written, read });
  }
  if (changes.length === 0) return undefined;
  let out = '';
  const starts: number[] = [];
  const ends: number[] = [];
  const offsets: number[] = [];
  const copy = (to: number): void => {
    for (let at = offsets.length; at < to; at++) {
      offsets.push(out.length);
      starts.push(at);
      ends.push(at + 1);
      out += text[at];
    }
  };
  for (const { at, written, read } of changes) {
    copy(at);
    const [offset, end] = [out.length, at + written.length];
    for (let unit = at; unit < end; unit++) offsets.push(offset);
    for (const _ of read.split('')) {
      starts.push(at);
      ends.push(end);
    }
    out += read;
  }
  copy(text.length);
  return {
    text: out,
    rangeOf: (from, to) => ({ start: starts[from] ?? text.length, end: ends[to - 1] ?? text.length }),
    offsetOf: (at) => offsets[at] ?? out.length,
  };
}
