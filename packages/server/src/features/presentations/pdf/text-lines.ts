import { isDeepStrictEqual } from 'node:util';
import type { Letter, LetterLook, PageText, Stroke } from './page-text.js';

/** A stretch of letters with one look; lengths in font sizes of the line where not said otherwise. */
export interface PdfSpan {
  readonly text: string;
  readonly look: LetterLook;
  /** Font size, pt. */
  readonly em: number;
  /** Height of its baseline above the line's, pt: of superscripts. */
  readonly rise: number;
  readonly underline: boolean;
  readonly strike: boolean;
  /** Colour of a marker behind the letters. */
  readonly marker: string | null;
}

/** Text on one baseline without wide gaps; lengths in points from the page's upper left corner. */
export interface PdfLine {
  readonly spans: readonly PdfSpan[];
  /** Its left end on the baseline, seen in the direction of the baseline. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Largest font size, which decides the distance of lines. */
  readonly em: number;
  /** Degrees clockwise. */
  readonly angle: number;
}

/** Distances in font sizes. */
const GAP = {
  /** A space that is not written as a letter. */
  space: 0.12,
  /** Another column. */
  column: 0.6,
  /** Another column after a written space, which a justified line widens. */
  columnAfterSpace: 1.1,
  /** A list's mark is followed by a tab. */
  mark: 0.2,
} as const;

const MARK = /^[•◦▪■□●○–—►▶✓✔➢❖*·‣o-]$|^\(?[\dA-Za-z]{1,3}[.):]$/u;
/** Spaces that one may stand for; more are a tab. */
const MOST_SPACES = 4;
/** Letters of the longest mark, with spaces around it. */
const LONGEST_MARK = 8;
/** Scripts that are written from right to left. */
export const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** Scripts whose letters join or stack: a glyph is not a letter, so gaps between letters mean nothing. */
export const JOINING_SCRIPTS =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Thai}]/u;
/** The second half of a character, or a mark on the letter before it. */
const CONTINUATION = /^(?:[\udc00-\udfff]|\p{M}|\u200d|\ufe0f)/u;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A letter as a span, with what strokes say about it. */
interface Styled extends Mutable<PdfSpan> {
  /** Along the baseline of its line. */
  readonly start: number;
  end: number;
  /** A space is missing before it. */
  readonly spaced: boolean;
}

/** Puts letters into lines, and takes the strokes off the page that underline, strike out or mark them. */
export function linesOf({ letters, strokes }: PageText): PdfLine[] {
  const lines: OpenLine[] = [];
  for (const letter of letters) if (lines.at(-1)?.add(letter) !== true) lines.push(new OpenLine(letter));
  return lines.flatMap((line) => line.close(strokes));
}

class OpenLine {
  readonly #letters: Styled[] = [];
  readonly #first: Letter;
  readonly #along: readonly [x: number, y: number];
  #isRightToLeft = false;
  /** Ends of its letters along the baseline. */
  #start = 0;
  #end = 0;

  constructor(first: Letter) {
    this.#first = first;
    const turn = (first.angle * Math.PI) / 180;
    this.#along = [Math.cos(turn), Math.sin(turn)];
    this.#push(first, 0, false);
  }

  /** False when the letter starts another line. */
  add(letter: Letter): boolean {
    const [last, { em }] = [this.#letters.at(-1), this.#first];
    if (last === undefined || Math.abs(letter.angle - this.#first.angle) > 1) return false;
    const [start, below] = this.#place(letter);
    if (CONTINUATION.test(letter.text) && letter.look === last.look) {
      this.#push(letter, last.rise, false, last.end);
      return true;
    }
    const isRaised = Math.abs(below) > em * 0.1;
    const isScript = letter.em < em * 0.85 && below > -em * 0.65 && below < em * 0.35;
    if (isRaised && !isScript) return false;
    const isSpaced = /\s$/.test(last.text) || /^\s/.test(letter.text);
    const isJoining = JOINING_SCRIPTS.test(last.text + letter.text);
    const gap = (this.#gapBefore(letter, start, last) - this.#restoreSpaces(last, start)) / em;
    if (gap < -0.5 && start !== last.start) return false;
    if (gap > GAP.mark && this.#isMark()) return false;
    if (gap > (isSpaced || isJoining ? GAP.columnAfterSpace : GAP.column)) return false;
    this.#push(letter, isRaised ? -below : 0, !isSpaced && (isJoining ? letter.isApart : gap > GAP.space));
    return true;
  }

  /** Right-to-left text continues at either end: its numbers run the other way. */
  #gapBefore(letter: Letter, start: number, last: Styled): number {
    this.#isRightToLeft ||= RIGHT_TO_LEFT.test(last.text);
    if (!this.#isRightToLeft && !RIGHT_TO_LEFT.test(letter.text)) return start - last.end;
    return Math.max(start - this.#end, this.#start - (start + letter.advance), 0);
  }

  /** pdfium gives spaces one after the other as one: adds the others when they fit. @returns their width. */
  #restoreSpaces(last: Styled, next: number): number {
    const each = last.end - last.start;
    const missing = (next - last.end) / each;
    const count = Math.round(missing);
    if (last.text !== ' ' || count < 1 || count > MOST_SPACES || Math.abs(missing - count) > 0.1) return 0;
    last.text += ' '.repeat(count);
    last.end += count * each;
    return count * each;
  }

  #isMark(): boolean {
    if (this.#letters.length > LONGEST_MARK) return false;
    const text = this.#letters.map((one) => one.text).join('');
    return MARK.test(text.trim());
  }

  close(strokes: readonly Stroke[]): PdfLine[] {
    const { angle, x, y } = this.#first;
    const isBlank = ({ text }: Styled): boolean => text.trim() === '';
    const from = this.#letters.findIndex((one) => !isBlank(one));
    if (from < 0) return [];
    const letters = this.#letters.slice(from, this.#letters.findLastIndex((one) => !isBlank(one)) + 1);
    if (angle === 0) for (const stroke of strokes) this.#apply(stroke, letters);
    const left = Math.min(...letters.map(({ start }) => start));
    const width = Math.max(...letters.map(({ end }) => end)) - left;
    const em = Math.max(...letters.map((one) => one.em));
    const [cos, sin] = this.#along;
    return [{ spans: spansOf(letters), x: x + cos * left, y: y + sin * left, width, em, angle }];
  }

  #apply(stroke: Stroke, letters: readonly Styled[]): void {
    const { x, y, em } = this.#first;
    const [height, middle] = [stroke.bottom - stroke.top, y - (stroke.top + stroke.bottom) / 2];
    const isThin = height < em * 0.16;
    const isMarker = height > em * 0.8 && height < em * 1.7 && stroke.top < y - em * 0.5 && stroke.bottom > y;
    const isBelow = isThin && middle > -em * 0.35 && middle < em * 0.02;
    const isThrough = isThin && middle > em * 0.15 && middle < em * 0.45;
    if (!isMarker && !isBelow && !isThrough) return;
    const [from, to, slack] = [stroke.left - x, stroke.right - x, em * 0.3];
    const hit = letters.filter(({ start, end }) => (start + end) / 2 > from && (start + end) / 2 < to);
    const [left, right] = [hit[0]?.start ?? 0, hit.at(-1)?.end ?? 0];
    if (hit.length === 0 || left - from > slack || to - right > slack) return;
    for (const one of hit) {
      if (isMarker) one.marker = stroke.color;
      else if (isBelow) one.underline = true;
      else one.strike = true;
    }
    stroke.hide();
  }

  #push(letter: Letter, rise: number, spaced: boolean, least = Number.NEGATIVE_INFINITY): void {
    const [start] = this.#place(letter);
    const end = Math.max(least, start + letter.advance);
    this.#start = Math.min(this.#start, start);
    this.#end = Math.max(this.#end, end);
    const { text, look, em } = letter;
    const lines = { underline: false, strike: false, marker: null };
    this.#letters.push({ text, look, em, start, end, rise, spaced, ...lines });
  }

  /** Place along the line's baseline, and below it. */
  #place({ x, y }: Letter): readonly [along: number, below: number] {
    const [dx, dy] = [x - this.#first.x, y - this.#first.y];
    const [cos, sin] = this.#along;
    return [dx * cos + dy * sin, dy * cos - dx * sin];
  }
}

function spansOf(letters: readonly Styled[]): PdfSpan[] {
  const spans: Mutable<PdfSpan>[] = [];
  for (const { start: _start, end: _end, spaced, ...one } of letters) {
    const [last, text] = [spans.at(-1), one.text.replace(/\s/g, ' ')];
    // A space that no letter is belongs to the words before it, so that a line below the next ones begins with them.
    if (spaced && last !== undefined) last.text += ' ';
    if (last !== undefined && continues(last, one)) last.text += text;
    else spans.push({ ...one, text });
  }
  return spans;
}

function continues(span: PdfSpan, next: PdfSpan): boolean {
  const { underline, strike, marker, look, em, rise, text } = next;
  if (span.underline !== underline || span.strike !== strike || span.marker !== marker) return false;
  const isAsHigh = Math.abs(span.em - em) < 0.01 * em && Math.abs(span.rise - rise) < 0.1;
  return text.trim() === '' || (isAsHigh && isDeepStrictEqual(span.look, look));
}
