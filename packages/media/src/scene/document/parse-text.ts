import type { ObjectBase, StyledRange, TextStyle } from './document.js';
import { Fields, isRecord } from './fields.js';

/** Fabric's names of weights; numbers stand for themselves. */
const WEIGHTS: Readonly<Record<string, number>> = {
  thin: 100,
  light: 300,
  normal: 400,
  medium: 500,
  bold: 700,
  black: 900,
};

function weight(fields: Fields): number {
  const raw = fields.get('fontWeight');
  const named = typeof raw === 'string' ? WEIGHTS[raw.toLowerCase()] : undefined;
  return named ?? fields.number('fontWeight', { fallback: 400, min: 1, max: 1000 });
}

/** The style of the whole text; Fabric's defaults are Times New Roman at 40. */
export function parseTextStyle(fields: Fields, base: ObjectBase): TextStyle {
  return {
    fill: base.fill,
    stroke: base.stroke,
    strokeWidth: base.strokeWidth,
    fontFamily: fields.string('fontFamily', 'Times New Roman').slice(0, 200),
    fontSize: fields.number('fontSize', { fallback: 40, min: 0.5, max: 2000 }),
    fontWeight: weight(fields),
    italic: /italic|oblique/.test(fields.string('fontStyle', 'normal')),
    underline: fields.boolean('underline', false),
    linethrough: fields.boolean('linethrough', false),
    overline: fields.boolean('overline', false),
    background: fields.color('textBackgroundColor'),
    deltaY: 0,
  };
}

function partialStyle(fields: Fields): Partial<TextStyle> {
  const has = (key: string): boolean => fields.get(key) !== undefined && fields.get(key) !== null;
  return {
    ...(has('fill') && { fill: fields.paint('fill', null) }),
    ...(has('stroke') && { stroke: fields.paint('stroke', null) }),
    ...(has('strokeWidth') && { strokeWidth: fields.number('strokeWidth', { fallback: 1, min: 0, max: 1000 }) }),
    ...(has('fontFamily') && { fontFamily: fields.string('fontFamily', '').slice(0, 200) }),
    ...(has('fontSize') && { fontSize: fields.number('fontSize', { fallback: 40, min: 0.5, max: 2000 }) }),
    ...(has('fontWeight') && { fontWeight: weight(fields) }),
    ...(has('fontStyle') && { italic: /italic|oblique/.test(fields.string('fontStyle', '')) }),
    ...(has('underline') && { underline: fields.boolean('underline', false) }),
    ...(has('linethrough') && { linethrough: fields.boolean('linethrough', false) }),
    ...(has('overline') && { overline: fields.boolean('overline', false) }),
    ...(has('textBackgroundColor') && { background: fields.color('textBackgroundColor') }),
    ...(has('deltaY') && { deltaY: fields.number('deltaY', { fallback: 0, min: -1000, max: 1000 }) }),
  };
}

/**
 * Fabric's `styles`: since 5.3 a list of `{start, end, style}` counted in graphemes without line breaks, before that
 * `{line: {grapheme: style}}`. Both become sorted UTF-16 ranges.
 */
export function parseRanges(fields: Fields, text: string): StyledRange[] {
  const raw = fields.get('styles');
  if (text === '' || (!Array.isArray(raw) && !isRecord(raw))) return [];
  const lines = graphemeLines(text);
  const ranges = Array.isArray(raw) ? listRanges(raw, fields, lines) : lineRanges(raw, fields, lines);
  return ranges.filter((range) => range.end > range.start).sort((a, b) => a.start - b.start);
}

/** UTF-16 offset of every grapheme, and of the line's end, line by line. */
function graphemeLines(text: string): number[][] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const lines: number[][] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    const offsets = Array.from(segmenter.segment(line), (part) => at + part.index);
    lines.push([...offsets, at + line.length]);
    at += line.length + 1;
  }
  return lines;
}

function listRanges(raw: readonly unknown[], fields: Fields, lines: readonly number[][]): StyledRange[] {
  const starts = lines.flatMap((line) => line.slice(0, -1));
  const textEnd = lines.at(-1)?.at(-1) ?? 0;
  const ranges: StyledRange[] = [];
  for (const [index, item] of raw.entries()) {
    if (!isRecord(item) || !isRecord(item.style)) continue;
    const at = new Fields(item, `${fields.at}.styles[${index}]`, fields.problems);
    const start = starts[at.number('start', { fallback: 0, min: 0 })];
    const end = at.number('end', { fallback: 0, min: 0 });
    const style = partialStyle(new Fields(item.style, `${at.at}.style`, fields.problems));
    if (start !== undefined) ranges.push({ start, end: starts[end] ?? textEnd, style });
  }
  return ranges;
}

function lineRanges(raw: Readonly<Record<string, unknown>>, fields: Fields, lines: readonly number[][]): StyledRange[] {
  const ranges: StyledRange[] = [];
  for (const [lineKey, letters] of Object.entries(raw)) {
    const line = lines[Number(lineKey)];
    if (line === undefined || !isRecord(letters)) continue;
    for (const [letterKey, style] of Object.entries(letters)) {
      const [start, end] = [line[Number(letterKey)], line[Number(letterKey) + 1]];
      if (start === undefined || end === undefined || !isRecord(style)) continue;
      const at = `${fields.at}.styles.${lineKey}.${letterKey}`;
      ranges.push({ start, end, style: partialStyle(new Fields(style, at, fields.problems)) });
    }
  }
  return ranges;
}
