import type { TextObject, TextStyle } from '@figurehead/contract/document';
import { segmentsOf } from '@figurehead/contract/document/segments';
import type { PaintingContext, PaintingLibrary } from './context.js';
import { breakParagraph, isRightToLeft } from './line-breaks.js';

/** A run of text on one line in one style; `width` in canvas units. */
export interface TextRun {
  readonly text: string;
  readonly style: TextStyle;
  readonly families: string;
  readonly width: number;
}

/** One line. `left` is the distance of its first pixel from the box's left edge, `baseline` that from the box's top. */
export interface TextLine {
  readonly runs: readonly TextRun[];
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly baseline: number;
  readonly rightToLeft: boolean;
  /** Extra width of every space of a justified line. */
  readonly spaceExtra: number;
  /** Bullet or number before the line, drawn at `markerLeft`. */
  readonly marker: { readonly run: TextRun; readonly left: number } | null;
}

/** Text laid out; its size in canvas units before the object's scale. */
export interface TextLayout {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly TextLine[];
}

// Fabric's constants: line pitch and the share of it below the baseline, both in font sizes.
const PITCH = 1.13;
const BELOW_BASELINE = 0.222;
/** Text is measured at this size and scaled, so that lines break alike in every resolution. */
const MEASURE_PX = 100;
const SMALLEST_FIT = 4;
/** Width of the marker column of a list, in font sizes. */
const LIST_INDENT = 1.25;

/** A piece of a line before it is placed. */
interface Piece {
  readonly start: number;
  readonly end: number;
}

interface Draft {
  readonly piece: Piece;
  readonly lastOfParagraph: boolean;
  readonly paragraph: number;
  readonly firstOfParagraph: boolean;
  readonly rightToLeft: boolean;
}

/** The fonts that draw a text. */
export interface TextFonts {
  /** The CSS font-family list for `text` in a document's family; `language` (BCP 47 or English name) decides between Han variants. */
  familiesFor(family: string, text: string, language: string | null): string;
}

/** Maximum of remembered widths. */
const MAX_WIDTHS = 50_000;

/** Measures and lays out text like Fabric; caches measurements for its own lifetime. */
export class TextSetter {
  readonly #ctx: PaintingContext;
  readonly #widths = new Map<string, number>();

  /** Sets `language` (for Han variants and shaping) with `fonts`. */
  constructor(
    library: Pick<PaintingLibrary, 'createCanvas'>,
    private readonly fonts: TextFonts,
    private readonly language: string | null,
  ) {
    this.#ctx = library.createCanvas(1, 1).getContext('2d');
    this.#ctx.lang = 'en';
    this.#ctx.fontKerning = 'normal';
    this.#ctx.textRendering = 'geometricPrecision';
  }

  layout(object: TextObject): TextLayout {
    const full = this.#compose(object, 1);
    if (!object.fit || object.height <= 0 || full.height <= object.height) return full;
    let low = Math.min(1, SMALLEST_FIT / object.style.fontSize);
    let high = 1;
    // Ten bisection steps find the largest fitting size to a thousandth; heights grow with the font size.
    for (let step = 0; step < 10; step++) {
      const middle = (low + high) / 2;
      if (this.#compose(object, middle).height <= object.height) low = middle;
      else high = middle;
    }
    return this.#compose(object, low);
  }

  #measure(text: string, style: TextStyle, families: string, charSpacing: number): number {
    const key = `${style.italic}${style.fontWeight}|${families}|${charSpacing}|${text}`;
    let width = this.#widths.get(key);
    if (width === undefined) {
      this.#ctx.font = `${style.italic ? 'italic ' : ''}${style.fontWeight} ${MEASURE_PX}px ${families}`;
      this.#ctx.letterSpacing = `${(charSpacing * MEASURE_PX) / 1000}px`;
      width = this.#ctx.measureText(text).width / MEASURE_PX;
      if (this.#widths.size >= MAX_WIDTHS) this.#widths.clear();
      this.#widths.set(key, width);
    }
    return width * style.fontSize;
  }

  #runsOf(object: TextObject, piece: Piece, scale: number): TextRun[] {
    const runs: TextRun[] = [];
    for (const part of stylesWithin(object, piece)) {
      const text = object.text.slice(part.start, part.end);
      const style = scale === 1 ? part.style : { ...part.style, fontSize: part.style.fontSize * scale };
      const families = this.fonts.familiesFor(style.fontFamily, text, this.language);
      runs.push({ text, style, families, width: this.#measure(text, style, families, object.charSpacing) });
    }
    return runs;
  }

  #widthOf(object: TextObject, piece: Piece, scale: number): number {
    return this.#runsOf(object, piece, scale).reduce((sum, run) => sum + run.width, 0);
  }

  /** Greedy lines of one paragraph. */
  #wrap(object: TextObject, paragraph: Piece, room: number, scale: number): Piece[] {
    const lines: Piece[] = [];
    let start = paragraph.start;
    let used = 0;
    for (const token of breakParagraph(object.text.slice(paragraph.start, paragraph.end))) {
      const from = paragraph.start + token.start;
      const solid = this.#widthOf(object, { start: from, end: paragraph.start + token.solidEnd }, scale);
      if (used + solid > room + 0.01 && from > start) {
        lines.push({ start, end: from });
        start = from;
        used = 0;
      }
      if (solid > room + 0.01) {
        const cuts = this.#breakWord(object, { start: from, end: paragraph.start + token.solidEnd }, room, scale);
        for (const cut of cuts) {
          lines.push({ start, end: cut });
          start = cut;
        }
        used = this.#widthOf(object, { start, end: paragraph.start + token.end }, scale);
      } else {
        used += this.#widthOf(object, { start: from, end: paragraph.start + token.end }, scale);
      }
    }
    lines.push({ start, end: paragraph.end });
    return lines;
  }

  /** Splits a word that is wider than the box, so that an address stays in the picture. */
  #breakWord(object: TextObject, word: Piece, room: number, scale: number): number[] {
    const cuts: number[] = [];
    let used = 0;
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    for (const { index, segment } of segmentsOf(object.text.slice(word.start, word.end), segmenter)) {
      const at = word.start + index;
      const width = this.#widthOf(object, { start: at, end: at + segment.length }, scale);
      if (used + width > room && used > 0) {
        cuts.push(at);
        used = 0;
      }
      used += width;
    }
    return cuts;
  }

  #compose(object: TextObject, scale: number): TextLayout {
    const indent = object.list === 'none' ? 0 : LIST_INDENT * object.style.fontSize * scale;
    const wrapping = object.type === 'textbox' && object.width > 0;
    const drafts: Draft[] = [];
    for (const [number, paragraph] of paragraphsOf(object.text).entries()) {
      const rightToLeft =
        object.direction === 'rtl' || isRightToLeft(object.text.slice(paragraph.start, paragraph.end));
      const pieces = wrapping ? this.#wrap(object, paragraph, Math.max(1, object.width - indent), scale) : [paragraph];
      for (const [index, piece] of pieces.entries()) {
        drafts.push({
          piece: trimEnd(object.text, piece),
          lastOfParagraph: index === pieces.length - 1,
          firstOfParagraph: index === 0,
          paragraph: number,
          rightToLeft,
        });
      }
    }
    const lined = drafts.map((draft) => ({ draft, runs: this.#runsOf(object, draft.piece, scale) }));
    const natural = lined.map(
      ({ runs }) => runs.reduce((sum, run) => sum + run.width, 0) - trailingSpace(object, runs),
    );
    const width = wrapping ? object.width : Math.max(0, ...natural) + indent;
    let top = 0;
    const lines = lined.map(({ draft, runs }, index): TextLine => {
      const size = Math.max(...runs.map((run) => run.style.fontSize), 0) || object.style.fontSize * scale;
      const pitch = size * PITCH;
      const height = pitch * object.lineHeight;
      const { rightToLeft } = draft;
      const space = width - indent - (natural[index] ?? 0);
      const spaces = runs.reduce((sum, run) => sum + (run.text.match(/ /g)?.length ?? 0), 0);
      const justified = object.align === 'justify' && !draft.lastOfParagraph && spaces > 0 && space > 0;
      const share = justified ? 0 : shareOf(object.align, rightToLeft);
      const markerText = draft.firstOfParagraph && runs.length > 0 ? markerOf(object, draft.paragraph) : null;
      const line: TextLine = {
        runs,
        left: space * share + (rightToLeft ? 0 : indent),
        top,
        width: (natural[index] ?? 0) + (justified ? space : 0),
        height,
        baseline: top + pitch * (1 - BELOW_BASELINE),
        rightToLeft,
        spaceExtra: justified ? space / spaces : 0,
        marker:
          markerText === null
            ? null
            : this.#markerRun(object, markerText, { scale, indent, width, rightToLeft, space, share }),
      };
      top += height;
      return line;
    });
    // Fabric's last line ends with its pitch: line height only separates lines.
    const last = lines.at(-1);
    return { width, height: last === undefined ? 0 : last.top + last.height / object.lineHeight, lines };
  }

  #markerRun(
    object: TextObject,
    text: string,
    place: { scale: number; indent: number; width: number; rightToLeft: boolean; space: number; share: number },
  ): TextLine['marker'] {
    const style = {
      ...object.style,
      fontSize: object.style.fontSize * place.scale,
      underline: false,
      linethrough: false,
    };
    const families = this.fonts.familiesFor(style.fontFamily, text, this.language);
    const width = this.#measure(text, style, families, 0);
    const inset = object.list === 'number' ? place.indent - width - style.fontSize * 0.3 : place.indent * 0.25;
    const left = place.rightToLeft ? place.width - inset - width : place.space * place.share + inset;
    return { run: { text, style, families, width }, left };
  }
}

function shareOf(align: TextObject['align'], rightToLeft: boolean): number {
  if (align === 'center') return 0.5;
  if (align === 'right') return 1;
  return align !== 'left' && rightToLeft ? 1 : 0;
}

function markerOf(object: TextObject, paragraph: number): string | null {
  if (object.list === 'none') return null;
  if (object.list === 'bullet') return '•';
  const before = object.text.split('\n').slice(0, paragraph);
  return `${before.filter((line) => line.trim() !== '').length + 1}.`;
}

function trailingSpace(object: TextObject, runs: readonly TextRun[]): number {
  // The letter spacing after a line's last letter is not part of what is centred.
  const last = runs.at(-1);
  return last === undefined ? 0 : (object.charSpacing * last.style.fontSize) / 1000;
}

function trimEnd(text: string, piece: Piece): Piece {
  const shown = text.slice(piece.start, piece.end).trimEnd();
  return { start: piece.start, end: piece.start + shown.length };
}

function paragraphsOf(text: string): Piece[] {
  let at = 0;
  return text.split('\n').map((line) => {
    const piece = { start: at, end: at + line.length };
    at = piece.end + 1;
    return piece;
  });
}

/** The stretches of equal style inside `piece`. */
function stylesWithin(object: TextObject, piece: Piece): { start: number; end: number; style: TextStyle }[] {
  if (piece.end <= piece.start) return [];
  if (object.ranges.length === 0) return [{ ...piece, style: object.style }];
  const parts: { start: number; end: number; style: TextStyle }[] = [];
  let at = piece.start;
  for (const range of object.ranges) {
    if (range.end <= at) continue;
    if (range.start >= piece.end) break;
    if (range.start > at) parts.push({ start: at, end: range.start, style: object.style });
    const start = Math.max(at, range.start);
    const end = Math.min(piece.end, range.end);
    parts.push({ start, end, style: { ...object.style, ...range.style } });
    at = end;
  }
  if (at < piece.end) parts.push({ start: at, end: piece.end, style: object.style });
  return mergeEqual(parts);
}

/**
 * Fabric's old format has one range per letter; letters of one style must be shaped together to keep kerning and
 * joining.
 */
function mergeEqual(parts: { start: number; end: number; style: TextStyle }[]): typeof parts {
  const merged: typeof parts = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (last !== undefined && last.end === part.start && JSON.stringify(last.style) === JSON.stringify(part.style)) {
      last.end = part.end;
    } else merged.push({ ...part });
  }
  return merged;
}

/** Draws one run with its left edge at (x, baseline), `ctx` in the object's own units. */
export type RunPainter = (run: TextRun, place: { x: number; line: TextLine }) => void;

/** Calls `paint` for every run of `layout` in visual order, with coordinates relative to the box's centre. */
export function forEachRun(layout: TextLayout, paint: RunPainter): void {
  for (const line of layout.lines) {
    let x = line.left - layout.width / 2;
    const ordered = line.rightToLeft ? [...line.runs].reverse() : line.runs;
    for (const run of ordered) {
      paint(run, { x, line });
      x += runWidth(run, line);
    }
    if (line.marker !== null) paint(line.marker.run, { x: line.marker.left - layout.width / 2, line });
  }
}

/** Width of a run on its line, justification included. */
export function runWidth(run: TextRun, line: TextLine): number {
  return run.width + (run.text.match(/ /g)?.length ?? 0) * line.spaceExtra;
}

/** Sets up `ctx` to draw `run`. */
export function applyFont(ctx: PaintingContext, run: TextRun, charSpacing: number, line: TextLine): void {
  const { style } = run;
  ctx.font = `${style.italic ? 'italic ' : ''}${style.fontWeight} ${style.fontSize}px ${run.families}`;
  ctx.letterSpacing = `${(charSpacing * style.fontSize) / 1000}px`;
  ctx.wordSpacing = `${line.spaceExtra}px`;
  ctx.direction = line.rightToLeft ? 'rtl' : 'ltr';
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  ctx.fontKerning = 'normal';
  // With `geometricPrecision` browsers would draw other outlines than `@napi-rs/canvas`; widths are equal.
  ctx.textRendering = 'auto';
  ctx.lang = 'en';
}
