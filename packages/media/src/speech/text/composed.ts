/** A text in composed form, and where its parts come from. */
export interface ComposedText {
  readonly text: string;
  /** The range of the original text of a range that is not empty. */
  rangeOf(from: number, to: number): { readonly start: number; readonly end: number };
  /** The offset in the composed text of an offset of the original one. */
  offsetOf(at: number): number;
}

/**
 * What is composed: letters with marks, Korean letters of one syllable, and letters and figures that Unicode has again for the sake of their
 * look (ligatures, full and half width, mathematical alphabets, Roman numerals). Signs such as `²`, `½`, `ª` and `™` have a meaning of their
 * own and stay.
 */
const COMPOSABLE =
  /\P{M}\p{M}{1,8}|[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|[\uff66-\uff9d][\uff9e\uff9f]?|[\u0132\u0133\u0149\u017f\u01c4-\u01cc\u01f1-\u01f3\u2126\u212a\u212b\u2160-\u217f\uf900-\ufaff\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufb28\ufb2a-\ufd3d\ufd50-\ufdfb\ufe70-\ufefc\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uffa0-\uffdc]|[\u{1d400}-\u{1d7ff}]/gu;

/** The text as people read it (NFC, for letters in another form NFKC); `undefined` when it already is. Takes linear time. */
export function composed(text: string): ComposedText | undefined {
  const changes: { at: number; written: string; read: string }[] = [];
  for (const { 0: written, index: at } of text.matchAll(COMPOSABLE)) {
    const read = written.normalize(/\p{M}/u.test(written) ? 'NFC' : 'NFKC');
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
