import type { CanvasObject } from '@figurehead/contract';
import { segmentsOf } from '@figurehead/contract/document/segments';
import type { TextMeasure } from '@figurehead/media';
import { type PageFrame, placeOf, rounded, type Size } from '../reading/frame.js';
import type { LetterLook } from './page-text.js';
import { JOINING_SCRIPTS, type PdfLine, type PdfSpan, RIGHT_TO_LEFT } from './text-lines.js';

/** Height of a text's first baseline below its top, and the distance of lines of line height 1, in font sizes: Fabric's. */
const [BASELINE, PITCH] = [1.13 * (1 - 0.222), 1.13];

/** A page in a video's frame, and the fonts for its texts. */
export interface TextPlacing {
  /** Of the page, pt. */
  readonly page: Size;
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
  /** Width in our fonts, pt. */
  readonly room: number;
}

/** How far the end of a line may be off when its paragraph has one letter spacing, font sizes. */
const MISPLACED = 0.25;

type Align = Extract<Extract<CanvasObject, { originX?: unknown }>['originX'], string>;

/** Lines of a page as text objects; consecutive lines of a paragraph are one object. */
export function textObjects(lines: readonly PdfLine[], placing: TextPlacing): CanvasObject[] {
  const paragraphs: { lines: SpacedLine[]; align: Align }[] = [];
  for (const line of lines) {
    const own = spaced(line, placing);
    const last = paragraphs.at(-1);
    const align = last && alignmentWith(last, own);
    if (last === undefined || align === undefined) {
      paragraphs.push({ lines: [own], align: RIGHT_TO_LEFT.test(textOf(line)) ? 'right' : 'left' });
    } else {
      last.lines.push(own);
      last.align = align;
    }
  }
  return paragraphs.map(({ lines: own, align }) => textObject(own, align, placing));
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
  return { ...line, spacing, reach: spaces / 1000, room: Math.max(line.width, natural + (spacing * spaces) / 1000) };
}

/** How the lines of a paragraph are aligned when `line` continues it; `undefined` when it does not. */
function alignmentWith(
  { lines, align }: { lines: readonly SpacedLine[]; align: Align },
  line: SpacedLine,
): Align | undefined {
  const [last, before] = [lines.at(-1), lines.at(-2)];
  if (last === undefined || line.angle !== 0 || last.angle !== 0) return undefined;
  const isAlike =
    Math.abs(last.em - line.em) < 0.02 * line.em &&
    Math.abs(last.spacing - line.spacing) * Math.max(last.reach, line.reach) < line.em * MISPLACED &&
    stretchOf(last) === stretchOf(line) &&
    last.spans.at(-1)?.look.font === line.spans[0]?.look.font;
  const leading = line.y - last.y;
  const isNext = leading > line.em * 0.85 && leading < line.em * 1.8;
  const isEven = before === undefined || Math.abs(leading - (last.y - before.y)) < line.em * 0.04;
  if (!isAlike || !isNext || !isEven) return undefined;
  const possible: Align[] = before === undefined ? [align, 'center', align === 'left' ? 'right' : 'left'] : [align];
  const placeOf = ({ x, width }: PdfLine, one: Align): number => x + width * { left: 0, center: 0.5, right: 1 }[one];
  return possible.find((one) => Math.abs(placeOf(last, one) - placeOf(line, one)) < line.em * 0.04);
}

function textObject(lines: readonly SpacedLine[], align: Align, { page, frame, familyOf }: TextPlacing): CanvasObject {
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
  const slack = Math.max(...lines.map((line) => line.room - line.width)) * scale + width * 0.02 + 2;
  const [ascent, turn] = [first.em * BASELINE, (first.angle * Math.PI) / 180];
  const indent = { left: 0, center: slack / 2, right: slack }[align];
  const pitch = lines.length > 1 ? (last.y - first.y) / (lines.length - 1) / (first.em * PITCH) : 1;
  const spacing = rounded(lines.reduce((sum, one) => sum + one.spacing, 0) / lines.length);
  const [styles, stretch, { shadow }] = [stylesOf(lines, base, looks), stretchOf(first), base.look];
  return {
    type: 'textbox',
    left: rounded(place.left - indent + ((isLevel ? left : first.x) + Math.sin(turn) * ascent) * scale),
    top: rounded(place.top + (first.y - Math.cos(turn) * ascent) * scale),
    width: rounded((width + slack) / stretch),
    ...(stretch !== 1 && { scaleX: Math.round(stretch * 1e3) / 1e3 }),
    height: rounded((last.y - first.y + first.em * PITCH) * scale),
    ...(!isLevel && { angle: rounded(first.angle) }),
    text: lines.map(textOf).join('\n'),
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
