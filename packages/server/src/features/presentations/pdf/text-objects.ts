import type { CanvasObject } from '@figurehead/contract';
import { segmentsOf } from '@figurehead/contract/document/segments';
import type { TextMeasure } from '@figurehead/media';
import { type PageFrame, type PageSize, placeOf, rounded } from '../reading/frame.js';
import type { LetterLook } from './page-text.js';
import { JOINING_SCRIPTS, type PdfLine, type PdfSpan, RIGHT_TO_LEFT } from './text-lines.js';

/** Height of a text's first baseline below its top, and the distance of lines of line height 1, in font sizes: Fabric's. */
const [BASELINE, PITCH] = [1.13 * (1 - 0.222), 1.13];

/** A page in a video's frame, and the fonts for its texts. */
export interface TextPlacing {
  /** Of the page, pt. */
  readonly page: PageSize;
  readonly frame: PageFrame;
  /** The family that draws a font of the PDF. */
  familyOf(look: LetterLook): string;
  readonly measure: TextMeasure;
}

/** A line with its letter spacing, in thousandths of a font size, that makes it as wide as on the page. */
interface SpacedLine extends PdfLine {
  readonly spacing: number;
  /** How much wider it is when its letter spacing is larger by one, pt. */
  readonly reach: number;
  /** Width in our fonts without letter spacing, pt. */
  readonly natural: number;
  /** Width in our fonts, pt. */
  readonly room: number;
}

/** How far the end of a line may be off when its paragraph has one letter spacing, font sizes. */
const MISPLACED = 0.12;
/** How far lines that begin, end or are centred together may be apart, font sizes. */
const ALIGNED = 0.04;

type Align = Extract<Extract<CanvasObject, { originX?: unknown }>['originX'], string> | 'justify';

/** Lines of a page as text objects; consecutive lines of a paragraph are one object. */
export function textObjects(lines: readonly PdfLine[], placing: TextPlacing): CanvasObject[] {
  const own = lines.map((line) => spaced(line, placing));
  const paragraphs: { lines: SpacedLine[]; align: Align }[] = [];
  for (let index = 0; index < own.length; ) {
    const [line, last, count] = [own[index]!, paragraphs.at(-1), justifiedLines(own.slice(index), placing)];
    const align = count > 0 || last === undefined ? undefined : alignmentWith(last, line);
    if (count > 0) paragraphs.push({ lines: own.slice(index, index + count), align: 'justify' });
    else if (last === undefined || align === undefined) {
      paragraphs.push({ lines: [line], align: RIGHT_TO_LEFT.test(textOf(line)) ? 'right' : 'left' });
    } else {
      last.lines.push(line);
      last.align = align;
    }
    index += Math.max(1, count);
  }
  return paragraphs.map(({ lines: together, align }) => textObject(together, align, placing));
}

/** How many of the first lines are one paragraph whose words are spaced so that its lines end together; 0 without one. */
function justifiedLines(lines: readonly SpacedLine[], { familyOf, measure }: TextPlacing): number {
  const [first] = lines;
  if (first === undefined || RIGHT_TO_LEFT.test(textOf(first))) return 0;
  const isWidened = ({ width, natural, em }: SpacedLine): boolean => width - natural > em * MISPLACED;
  let count = 1;
  for (const [index, line] of lines.slice(1).entries()) {
    const last = lines[index]!;
    const [word = ''] = /^[^\s–—/-]+[–—/-]?/u.exec(textOf(line)) ?? [];
    const { look, em } = line.spans[0]!;
    const more = em * measure(` ${word}`, { family: familyOf(look), weight: look.weight, italic: look.italic });
    // The next word would have been too much, so that the line is broken in the same place again.
    const isFull =
      Math.max(last.natural, line.natural) <= last.width && last.natural + more > last.width && /\s/.test(textOf(last));
    const isAligned = Math.max(Math.abs(last.width - first.width), Math.abs(line.x - first.x)) < line.em * ALIGNED;
    if (!isFull || !isAligned || !isNext(lines.slice(0, index + 1), line)) break;
    count += 1;
  }
  // The last line has the natural width of its words.
  while (count > 0 && isWidened(lines[count - 1]!)) count -= 1;
  return count > 1 && lines.slice(0, count).some(isWidened) ? count : 0;
}

function stretchOf({ spans }: PdfLine): number {
  return spans[0]?.look.stretch ?? 1;
}

function textOf({ spans }: PdfLine): string {
  return spans.map(({ text }) => text).join('');
}

/** Measures a line in our fonts, and spaces its letters to the width that it has on the page. */
function spaced(line: PdfLine, { familyOf, measure }: TextPlacing): SpacedLine {
  const widths = line.spans.map(
    ({ text, look, em }) =>
      em * look.stretch * measure(text, { family: familyOf(look), weight: look.weight, italic: look.italic }),
  );
  const natural = widths.reduce((sum, width) => sum + width, 0);
  // There is none behind the last letter. Joined letters cannot be spaced.
  const spaces =
    line.spans.reduce((sum, { text, em }) => sum + [...text].length * em, -(line.spans.at(-1)?.em ?? 0)) *
    stretchOf(line);
  const isSpaced = spaces > 0 && !JOINING_SCRIPTS.test(textOf(line));
  const spacing = isSpaced ? Math.min(500, Math.max(-150, ((line.width - natural) / spaces) * 1000)) : 0;
  return {
    ...{ ...line, spacing, natural, reach: spaces / 1000 },
    room: Math.max(line.width, natural + (spacing * spaces) / 1000),
  };
}

/** How the lines of a paragraph are aligned when `line` continues it; `undefined` when it does not. */
function alignmentWith(
  { lines, align }: { lines: readonly SpacedLine[]; align: Align },
  line: SpacedLine,
): Align | undefined {
  const [last, before] = [lines.at(-1), lines.at(-2)];
  if (last === undefined || !isNext(lines, line)) return undefined;
  if (Math.abs(last.spacing - line.spacing) * Math.max(last.reach, line.reach) > line.em * MISPLACED) return undefined;
  const possible: Align[] = before === undefined ? [align, 'center', align === 'left' ? 'right' : 'left'] : [align];
  const placed = ({ x, width }: PdfLine, one: Align): number =>
    x + width * { left: 0, justify: 0, center: 0.5, right: 1 }[one];
  return possible.find((one) => Math.abs(placed(last, one) - placed(line, one)) < line.em * ALIGNED);
}

/** Whether a line is the next of a paragraph, by its font and its distance. */
function isNext(lines: readonly SpacedLine[], line: SpacedLine): boolean {
  const [last, before] = [lines.at(-1), lines.at(-2)];
  if (last === undefined || line.angle !== 0 || last.angle !== 0) return false;
  const leading = line.y - last.y;
  return (
    Math.abs(last.em - line.em) < 0.02 * line.em &&
    stretchOf(last) === stretchOf(line) &&
    last.spans.at(-1)?.look.font === line.spans[0]?.look.font &&
    leading > line.em * 0.85 &&
    leading < line.em * 1.8 &&
    (before === undefined || Math.abs(leading - (last.y - before.y)) < line.em * 0.04)
  );
}

function textObject(given: readonly SpacedLine[], align: Align, { page, frame, familyOf }: TextPlacing): CanvasObject {
  const isJustified = align === 'justify';
  const lines = isJustified ? given.map((line) => (line === given.at(-1) ? line : withSpace(line))) : given;
  const { scale, ...place } = placeOf(page, frame.canvas);
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) throw new Error('expected a paragraph with at least one line');
  const base = mainSpan(lines);
  const looks = (span: PdfSpan) => lookFields(span, { scale, family: familyOf(span.look) });
  const left = Math.min(...lines.map(({ x }) => x));
  const right = Math.max(...lines.map(({ x, width }) => x + width));
  const isLevel = first.angle === 0;
  // Wider than its text, so that a difference of a hair does not wrap it.
  const width = (isLevel ? right - left : first.width) * scale;
  const slack = isJustified ? 0 : Math.max(...lines.map((line) => line.room - line.width)) * scale + width * 0.02 + 2;
  const [ascent, turn] = [first.em * BASELINE, (first.angle * Math.PI) / 180];
  const indent = { left: 0, justify: 0, center: slack / 2, right: slack }[align];
  const pitch = lines.length > 1 ? (last.y - first.y) / (lines.length - 1) / (first.em * PITCH) : 1;
  // Long lines need it most exactly.
  const reach = lines.reduce((sum, line) => sum + line.reach, 0) || 1;
  const spacing = isJustified ? 0 : rounded(lines.reduce((sum, one) => sum + one.spacing * one.reach, 0) / reach);
  const [styles, stretch, { shadow }] = [stylesOf(lines, base, looks), stretchOf(first), base.look];
  return {
    type: 'textbox',
    left: rounded(place.left - indent + ((isLevel ? left : first.x) + Math.sin(turn) * ascent) * scale),
    top: rounded(place.top + (first.y - Math.cos(turn) * ascent) * scale),
    width: rounded((width + slack) / stretch),
    ...(stretch !== 1 && { scaleX: Math.round(stretch * 1e3) / 1e3 }),
    height: rounded((last.y - first.y + first.em * PITCH) * scale),
    ...(!isLevel && { angle: rounded(first.angle) }),
    text: lines.map(textOf).join(isJustified ? '' : '\n'),
    ...looks(base),
    ...(shadow !== null && {
      shadow: { color: shadow.color, blur: 0, offsetX: rounded(shadow.x * scale), offsetY: rounded(shadow.y * scale) },
    }),
    textAlign: align,
    // More digits: the error grows with each line.
    lineHeight: Math.round(pitch * 1e4) / 1e4,
    ...(spacing !== 0 && { charSpacing: spacing }),
    ...(styles.length > 0 && { styles }),
  };
}

/** A line and the space between it and the next one. */
function withSpace(line: SpacedLine): SpacedLine {
  return {
    ...line,
    spans: line.spans.map((span, index, { length }) =>
      index < length - 1 ? span : { ...span, text: `${span.text} ` },
    ),
  };
}

/** The look of most letters, with lines only if all have them: they, markers and raised letters are ranges. */
function mainSpan(lines: readonly PdfLine[]): PdfSpan {
  const spans = lines.flatMap((line) => line.spans);
  const [longest] = spans.toSorted((a, b) => b.text.length - a.text.length);
  if (longest === undefined) throw new Error('expected a line with at least one letter');
  const [underline, strike] = [spans.every((span) => span.underline), spans.every((span) => span.strike)];
  return { ...longest, underline, strike, marker: null, rise: 0 };
}

/** Fabric's style ranges, whose indexes count graphemes without line breaks. */
function stylesOf(
  lines: readonly PdfLine[],
  base: PdfSpan,
  looks: (span: PdfSpan) => Record<string, unknown>,
): { start: number; end: number; style: Record<string, unknown> }[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const usual = looks(base);
  let end = 0;
  const ranges = lines
    .flatMap(({ spans }) => spans)
    .map((span) => {
      const start = end;
      end += [...segmentsOf(span.text, segmenter)].length;
      const style = Object.fromEntries(Object.entries(looks(span)).filter(([key, value]) => usual[key] !== value));
      return { start, end, style };
    });
  return ranges.filter((one) => Object.keys(one.style).length > 0 && one.end > one.start);
}

function lookFields(
  { look, em, rise, underline, strike, marker }: PdfSpan,
  { scale, family }: { scale: number; family: string },
): Record<string, string | number | boolean> {
  return {
    fontSize: rounded(em * scale),
    fontFamily: family,
    fontWeight: look.weight,
    fontStyle: look.italic ? 'italic' : 'normal',
    underline,
    linethrough: strike,
    fill: look.color,
    ...(marker !== null && { textBackgroundColor: marker }),
    ...(rise !== 0 && { deltaY: rounded(-rise * scale) }),
  };
}
