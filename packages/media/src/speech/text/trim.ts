/**
 * Removes the characters at the end that match `sign`, a pattern for one character. Takes linear time in the removed
 * characters, whereas `/sign+$/` takes quadratic time in a run inside the text.
 */
export function trimEnd(text: string, sign: RegExp): string {
  let end = text.length;
  while (end > 0) {
    const start = end - (/[\udc00-\udfff]/.test(text[end - 1] ?? '') && end > 1 ? 2 : 1);
    if (!sign.test(text.slice(start, end))) break;
    end = start;
  }
  return text.slice(0, end);
}

/** Quotes and brackets before a word. */
export const OPENING_SIGN = /[\p{Ps}\p{Pi}"'¿¡]/u;

/** A text in three parts: its first characters that match `opening`, its last ones that match `closing`, and what is between. */
export function splitAffixes(
  text: string,
  opening: RegExp | undefined,
  closing: RegExp,
): readonly [before: string, core: string, after: string] {
  let start = 0;
  for (const letter of opening === undefined ? '' : text) {
    if (!opening?.test(letter)) break;
    start += letter.length;
  }
  const core = trimEnd(text.slice(start), closing);
  return [text.slice(0, start), core, text.slice(start + core.length)];
}
