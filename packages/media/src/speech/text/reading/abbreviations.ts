import { isListed } from '../word-list.js';

interface Abbreviation {
  readonly words: string;
  /** Offset after it in the text. */
  readonly end: number;
  /** True when a sentence may end with it. */
  readonly closes: boolean;
}

/** Finds abbreviations of one language. */
export interface Abbreviations {
  /** The longest one at an offset of the text whose condition holds. `before` is the token before it. */
  find(text: string, at: number, before: string | undefined): Abbreviation | undefined;
}

/** Maximum characters of an abbreviation with its spaces. */
const LONGEST = 24;

/**
 * Finds the abbreviations of a list, written without spaces. Signs after an abbreviation restrict its context: `#` before figures, `§` before
 * figures or a single letter, `^` before a name, `<` after a name or figures, `>` after the figures of a paragraph (`Abs. 1 S. 2`); with
 * several signs, all of them hold. The first match is used. Those of `closing` often end a sentence: a capital letter after them begins the next one.
 */
export function createAbbreviations(list: Readonly<Record<string, string>>, closing = ''): Abbreviations {
  const table = new Map<string, { condition: string; words: string }[]>();
  for (const [written, words] of Object.entries(list)) {
    const [condition = ''] = /[#^<>§]{0,2}$/u.exec(written) ?? [];
    const spelling = written.slice(0, written.length - condition.length);
    table.set(spelling, [...(table.get(spelling) ?? []), { condition, words }]);
  }
  // Most words begin like no abbreviation, so that the search below is rare.
  const beginnings = new Set([...table.keys()].map((key) => key.slice(0, 2).toLowerCase()));
  return {
    find(text, at, before) {
      const window = text.slice(at, at + LONGEST);
      const beginning = window.replace(/\s/gu, '').slice(0, 2).toLowerCase();
      if (!beginnings.has(beginning) && !beginnings.has(beginning.slice(0, 1))) return undefined;
      const first = window[0] ?? '';
      for (let end = window.length; end > 0; end--) {
        if (/[\p{L}\p{N}\s]/u.test(window[end - 1]!) && /[\p{L}\p{N}]/u.test(text[at + end] ?? ' ')) continue;
        const written = window.slice(0, end);
        if (/\s$/u.test(written) || /[\n\r]/u.test(written)) continue;
        const key = written.replace(/\s/gu, '');
        const own = table.get(key) ?? [];
        const isFirst = key.length > 2 && before === undefined && /\p{Lu}/u.test(first);
        const entries = isFirst ? [...own, ...(table.get(first.toLowerCase() + key.slice(1)) ?? [])] : own;
        // A single letter after an initial is also an initial: `J. R. Dupont`.
        if (key.length === 2 && /^\p{Lu}\.$/u.test(before ?? '')) continue;
        const rest = text.slice(at + end, at + end + 12);
        const behind = text.slice(Math.max(0, at - 14), at);
        const found = entries.find(({ condition }) =>
          [...condition].every((sign) => isMet(sign, { rest, before, behind })),
        );
        if (found)
          return {
            words: found.words,
            end: at + end,
            closes: found.condition === '' && isListed(closing, key),
          };
      }
      return undefined;
    },
  };
}

function isMet(
  condition: string,
  { rest, before, behind }: { rest: string; before: string | undefined; behind: string },
): boolean {
  switch (condition) {
    case '#':
      return /^\s{0,2}(?:\d|[IVXLC]{1,6}\b)/u.test(rest);
    case '§':
      return /^\s{0,2}(?:\d|[IVXLC]{1,6}\b|\p{L}(?![\p{L}\p{N}.'’]))/u.test(rest);
    case '^':
      return /^\s{1,2}(?:[\p{Lu}&]|d[eu]s? |von |van |le |la |et )/u.test(rest);
    case '>':
      return /Abs(?:\.|atz)\s\d{1,3}\p{L}?\s$/u.test(behind);
    case '<':
      return /^(?:\p{Lu}|[+−(<>≤≥~≈-]{0,2}\d)/u.test(before ?? '');
    default:
      return true;
  }
}
