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
  /** Font size of most letters. */
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

const MARK = /^[•◦▪■□●○–—►▶✓✔➢❖*·‣o-]$|^\(?[\dA-Za-z]{1,3}[.)]$/u;
/** Letters of the longest mark, with spaces around it. */
const LONGEST_MARK = 8;
/** Scripts that are written from right to left. */
export const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** Scripts whose letters join or stack: a glyph is not a letter, so gaps between letters mean nothing. */
export const JOINING_SCRIPTS =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Thai}]/u;

/** A letter with what strokes say about it. */
interface Styled {
  readonly letter: Letter;
  /** Along the baseline of its line. */
  readonly start: number;
  readonly end: number;
  readonly rise: number;
  /** A space is missing before it. */
  readonly spaced: boolean;
  underline: boolean;
  strike: boolean;
  marker: string | null;
}

/** Puts letters into lines, and takes the strokes off the page that underline, strike out or mark them. */
export function linesOf({ letters, strokes }: PageText): PdfLine[] {
  const lines: OpenLine[] = [];
  for (const letter of letters) {
    const current = lines.at(-1);
    if (current?.add(letter) !== true) lines.push(new OpenLine(letter));
  }
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
    this.#letters.push(this.#styled(first, 0, false));
  }

  /** False when the letter starts another line. */
  add(letter: Letter): boolean {
    const [last, { em }] = [this.#letters.at(-1), this.#first];
    if (last === undefined || Math.abs(letter.angle - this.#first.angle) > 1) return false;
    if (/^(?:[\udc00-\udfff]|\p{M}|\u200d|\ufe0f)/u.test(letter.text) && letter.look === last.letter.look) {
      this.#letters.push({ ...this.#styled(letter, last.rise, false), end: Math.max(last.end, this.#endOf(letter)) });
      return true;
    }
    const [start, below] = this.#place(letter);
    const isScript = letter.em < em * 0.85 && below > -em * 0.65 && below < em * 0.35;
    if (Math.abs(below) > em * 0.1 && !isScript) return false;
    const isSpaced = /\s$/.test(last.letter.text) || /^\s/.test(letter.text);
    const gap = this.#gapBefore(letter, start, last) / em;
    if (gap < -0.5 && start !== last.start) return false;
    if (gap > GAP.mark && this.#letters.length <= LONGEST_MARK && MARK.test(this.#text().trim())) return false;
    const isJoining = JOINING_SCRIPTS.test(last.letter.text + letter.text);
    if (gap > (isSpaced || isJoining ? GAP.columnAfterSpace : GAP.column)) return false;
    const rise = Math.abs(below) > em * 0.1 ? -below : 0;
    this.#letters.push(this.#styled(letter, rise, !isSpaced && (isJoining ? letter.isApart : gap > GAP.space)));
    return true;
  }

  /** Right-to-left text continues at either end: its numbers run the other way. */
  #gapBefore(letter: Letter, start: number, last: Styled): number {
    this.#isRightToLeft ||= RIGHT_TO_LEFT.test(last.letter.text);
    if (!this.#isRightToLeft && !RIGHT_TO_LEFT.test(letter.text)) return start - last.end;
    return Math.max(start - this.#end, this.#start - (start + letter.advance), 0);
  }

  close(strokes: readonly Stroke[]): PdfLine[] {
    const { em, angle } = this.#first;
    while (/^\s*$/.test(this.#letters.at(-1)?.letter.text ?? 'x')) this.#letters.pop();
    while (/^\s*$/.test(this.#letters[0]?.letter.text ?? 'x')) this.#letters.shift();
    if (this.#letters.length === 0) return [];
    if (angle === 0) for (const stroke of strokes) this.#apply(stroke);
    const [start, end] = [this.#letters[0]?.start ?? 0, this.#letters[0]?.end ?? 0];
    const [left, right] = this.#letters.reduce(
      ([least, most], one) => [Math.min(least, one.start), Math.max(most, one.end)],
      [start, end],
    );
    const [x, y] = [this.#first.x + this.#along[0] * left, this.#first.y + this.#along[1] * left];
    return [{ spans: this.#spans(), x, y, width: right - left, em, angle }];
  }

  #apply(stroke: Stroke): void {
    const { x, y, em } = this.#first;
    const [height, middle] = [stroke.bottom - stroke.top, y - (stroke.top + stroke.bottom) / 2];
    const isThin = height < em * 0.16;
    const isMarker = height > em * 0.8 && height < em * 1.7 && stroke.top < y - em * 0.5 && stroke.bottom > y;
    const isBelow = isThin && middle > -em * 0.35 && middle < em * 0.02;
    const isThrough = isThin && middle > em * 0.15 && middle < em * 0.45;
    if (!isMarker && !isBelow && !isThrough) return;
    const [from, to, slack] = [stroke.left - x, stroke.right - x, em * 0.3];
    const hit = this.#letters.filter(({ start, end }) => (start + end) / 2 > from && (start + end) / 2 < to);
    const [left, right] = [hit[0]?.start ?? 0, hit.at(-1)?.end ?? 0];
    if (hit.length === 0 || left - from > slack || to - right > slack) return;
    for (const one of hit) {
      if (isMarker) one.marker = stroke.color;
      else if (isBelow) one.underline = true;
      else one.strike = true;
    }
    stroke.hide();
  }

  #spans(): PdfSpan[] {
    const spans: { -readonly [K in keyof PdfSpan]: PdfSpan[K] }[] = [];
    for (const { letter, rise, spaced, underline, strike, marker } of this.#letters) {
      const last = spans.at(-1);
      const style = { look: letter.look, em: letter.em, rise, underline, strike, marker };
      const text = (spaced ? ' ' : '') + letter.text.replace(/\s/g, ' ');
      const isSame =
        last?.underline === underline &&
        last.strike === strike &&
        last.marker === marker &&
        (text.trim() === '' ||
          (JSON.stringify(last.look) === JSON.stringify(style.look) &&
            Math.abs(last.em - style.em) < 0.01 * style.em &&
            Math.abs(last.rise - rise) < 0.1));
      if (isSame) last.text += text;
      else spans.push({ ...style, text });
    }
    return spans;
  }

  #styled(letter: Letter, rise: number, spaced: boolean): Styled {
    const [start] = this.#place(letter);
    this.#start = Math.min(this.#start, start);
    this.#end = Math.max(this.#end, start + letter.advance);
    return { letter, start, end: start + letter.advance, rise, spaced, underline: false, strike: false, marker: null };
  }

  #endOf(letter: Letter): number {
    return this.#place(letter)[0] + letter.advance;
  }

  /** Place along the line's baseline, and below it. */
  #place({ x, y }: Letter): readonly [along: number, below: number] {
    const [dx, dy] = [x - this.#first.x, y - this.#first.y];
    const [cos, sin] = this.#along;
    return [dx * cos + dy * sin, dy * cos - dx * sin];
  }

  #text(): string {
    return this.#letters.map(({ letter }) => letter.text).join('');
  }
}
