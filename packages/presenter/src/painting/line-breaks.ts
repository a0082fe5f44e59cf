import { segmentsOf } from '@figurehead/contract/document/segments';

/** A unit that stays on one line: text from `start` to `solidEnd`, then spaces up to `end`. Offsets are UTF-16. */
export interface BreakUnit {
  readonly start: number;
  readonly solidEnd: number;
  readonly end: number;
}

/** Scripts without spaces in which a line may end after almost any character. */
const IDEOGRAPHIC =
  /[\u2E80-\u2FFF\u3005-\u3007\u3040-\u30FF\u3100-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{3FFFF}]/u;
/** Scripts without spaces whose words are found by a dictionary. */
const DICTIONARY = /[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF]/;
/** Must not start a line (JIS X 4051 kinsoku, abridged). */
const NOT_FIRST = /^[、。，．・：；？！）」』】〕〉》”’ー々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ,.:;?!)\]}%‰°…]/;
/** Must not end a line. */
const NOT_LAST = /[（「『【〔〈《“‘([{]$/;

/** The units of a paragraph (without line feeds), in order and without gaps: the part of UAX #14 that slides need. */
export function breakParagraph(text: string): BreakUnit[] {
  const units: BreakUnit[] = [];
  for (const match of text.matchAll(/([^\s\u200B]*)([\s\u200B]*)/gu)) {
    const [whole, word = '', spaces = ''] = match;
    if (whole === '') continue;
    const start = match.index;
    const parts = breakWithin(word);
    for (const [index, part] of parts.entries()) {
      const from = start + part.start;
      const solidEnd = start + part.end;
      units.push({ start: from, solidEnd, end: index === parts.length - 1 ? solidEnd + spaces.length : solidEnd });
    }
    if (parts.length === 0) units.push({ start, solidEnd: start, end: start + spaces.length });
  }
  return units;
}

/** Break opportunities inside a word without spaces: between ideographs, dictionary words, after hyphens and dashes. */
function breakWithin(word: string): { start: number; end: number }[] {
  if (word === '') return [];
  if (DICTIONARY.test(word)) return segments(word);
  if (!IDEOGRAPHIC.test(word) && !/[-–—/]/.test(word)) return [{ start: 0, end: word.length }];
  const pieces: { start: number; end: number }[] = [];
  let start = 0;
  let before = '';
  let at = 0;
  for (const letter of word) {
    if (at > start && mayBreak(before, letter, word.slice(start, at))) {
      pieces.push({ start, end: at });
      start = at;
    }
    before = letter;
    at += letter.length;
  }
  pieces.push({ start, end: word.length });
  return pieces;
}

function mayBreak(before: string, after: string, piece: string): boolean {
  if (NOT_FIRST.test(after) || NOT_LAST.test(before)) return false;
  if (IDEOGRAPHIC.test(before) || IDEOGRAPHIC.test(after)) return true;
  if (/[、。，．！？）」』】]/.test(before)) return true;
  // A line may break at a hyphen between letters; a hyphen before a digit is a minus sign, a slash in "1/2" a fraction.
  return /[-–—/]/.test(before) && piece.length > 2 && /\p{L}/u.test(after);
}

function segments(word: string): { start: number; end: number }[] {
  const segmenter = new Intl.Segmenter('th', { granularity: 'word' });
  return Array.from(segmentsOf(word, segmenter), ({ index, segment }) => ({
    start: index,
    end: index + segment.length,
  }));
}

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** Direction of a paragraph by its first strong letter (UAX #9, rules P2 and P3). */
export function isRightToLeft(text: string): boolean {
  const strong = /\p{L}/u.exec(text);
  return strong !== null && RIGHT_TO_LEFT.test(strong[0]);
}
