import { Type } from '@sinclair/typebox';
import {
  type DocumentPosition,
  type Fields,
  flag,
  isRecord,
  type MemberReader,
  number,
  reading,
  readValue,
  special,
  text,
} from '../field.js';
import { color, type Paint, paint } from '../paint.js';
import { segmentsOf } from '../segments.js';
import type { Placed } from './base.js';

/** Style that can differ per letter. */
export interface TextStyle {
  readonly fill: Paint | null;
  readonly stroke: Paint | null;
  readonly strokeWidth: number;
  readonly fontFamily: string;
  readonly fontSize: number;
  /** 1 to 1000. */
  readonly fontWeight: number;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly linethrough: boolean;
  readonly overline: boolean;
  readonly background: string | null;
  /** Shift of the baseline, down positive. */
  readonly deltaY: number;
}

/** A styled range of text, UTF-16 offsets. */
export interface StyledRange {
  readonly start: number;
  readonly end: number;
  readonly style: Partial<TextStyle>;
}

/** Fabric's names of weights; numbers are used unchanged. */
const WEIGHTS: Readonly<Record<string, number>> = {
  thin: 100,
  light: 300,
  normal: 400,
  medium: 500,
  bold: 700,
  black: 900,
};
const WEIGHT = number({ default: 400, minimum: 1, maximum: 1000 });
const FAMILY = text({ default: '' });

/** Fields of the letters. Fabric's defaults are Times New Roman at 40. */
export const LETTERS = {
  fontFamily: special<string | null, string>(
    {
      type: 'string',
      default: 'Times New Roman',
      examples: ['Inter'],
      description: 'A shipped or an uploaded family.',
    },
    (raw, place) =>
      raw === undefined || raw === null ? 'Times New Roman' : readValue(FAMILY, raw, place).slice(0, 200),
  ),
  fontSize: number({ default: 40, minimum: 0.5, maximum: 2000, description: 'Canvas units.' }),
  fontWeight: special<number | string | null, number>(
    { description: 'From 1 to 1000, or a name.', default: 400, anyOf: [WEIGHT, { enum: Object.keys(WEIGHTS) }] },
    (raw, place) => (typeof raw === 'string' ? WEIGHTS[raw.toLowerCase()] : undefined) ?? readValue(WEIGHT, raw, place),
  ),
  fontStyle: special<string | null, boolean>(
    {
      type: 'string',
      default: 'normal',
      examples: ['italic'],
      description: '`italic` and `oblique` slant the letters.',
    },
    (raw, place) => /italic|oblique/.test(readValue(FAMILY, raw, place)),
  ),
  underline: flag(false, 'A line below the letters.'),
  linethrough: flag(false, 'A line through the letters.'),
  overline: flag(false, 'A line above the letters.'),
  textBackgroundColor: color('Colour behind the letters.'),
} as const satisfies Fields;

/** Style of the whole text. */
export function readTextStyle(read: MemberReader<typeof LETTERS>, base: Placed): TextStyle {
  return {
    fill: base.fill,
    stroke: base.stroke,
    strokeWidth: base.strokeWidth,
    fontFamily: read('fontFamily'),
    fontSize: read('fontSize'),
    fontWeight: read('fontWeight'),
    italic: read('fontStyle'),
    underline: read('underline'),
    linethrough: read('linethrough'),
    overline: read('overline'),
    background: read('textBackgroundColor'),
    deltaY: 0,
  };
}

/** Fields of a style by letter, and the property of {@link TextStyle} that each becomes. */
const BY_LETTER = {
  fill: paint(null, 'Colour of the letter.'),
  stroke: paint(null, 'Colour of its outline.'),
  strokeWidth: number({ default: 1, minimum: 0, maximum: 1000 }),
  ...LETTERS,
  deltaY: number({ default: 0, minimum: -1000, maximum: 1000, description: 'Shift of the baseline, down positive.' }),
} as const satisfies Fields;
const STYLE = { type: 'object', properties: BY_LETTER };
const RANGE = { start: number({ default: 0, minimum: 0 }), end: number({ default: 0, minimum: 0 }) };

/** Both forms of Fabric's `styles`, see {@link readRanges}. */
export const STYLES = Type.Unsafe({
  anyOf: [
    { type: 'array', items: { type: 'object', properties: { ...RANGE, style: STYLE } } },
    { type: 'object', additionalProperties: { type: 'object', additionalProperties: STYLE } },
  ],
});

const PROPERTIES: Readonly<Record<string, string>> = { fontStyle: 'italic', textBackgroundColor: 'background' };

function partialStyle(source: Readonly<Record<string, unknown>>, place: DocumentPosition): Partial<TextStyle> {
  const present = Object.entries(BY_LETTER).filter(([key]) => source[key] !== undefined && source[key] !== null);
  return Object.fromEntries(
    present.map(([key, field]) => [PROPERTIES[key] ?? key, readValue<unknown>(field, source[key], place.at(key))]),
  );
}

/**
 * Fabric's `styles`: since 5.3 a list of `{start, end, style}` counted in graphemes without line breaks, before that
 * `{line: {grapheme: style}}`. Both become sorted UTF-16 ranges.
 */
export function readRanges(raw: unknown, words: string, place: DocumentPosition): StyledRange[] {
  if (words === '' || (!Array.isArray(raw) && !isRecord(raw))) return [];
  const lines = graphemeLines(words);
  const ranges = Array.isArray(raw) ? listRanges(raw, place, lines) : lineRanges(raw, place, lines);
  return ranges.filter((range) => range.end > range.start).sort((a, b) => a.start - b.start);
}

/** UTF-16 offset of every grapheme, and of the line's end, line by line. */
function graphemeLines(words: string): number[][] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const lines: number[][] = [];
  let at = 0;
  for (const line of words.split('\n')) {
    const offsets = Array.from(segmentsOf(line, segmenter), (part) => at + part.index);
    lines.push([...offsets, at + line.length]);
    at += line.length + 1;
  }
  return lines;
}

function listRanges(raw: readonly unknown[], place: DocumentPosition, lines: readonly number[][]): StyledRange[] {
  const starts = lines.flatMap((line) => line.slice(0, -1));
  const textEnd = lines.at(-1)?.at(-1) ?? 0;
  return raw.flatMap((item, index) => {
    if (!isRecord(item) || !isRecord(item['style'])) return [];
    const at = place.item('styles', index);
    const read = reading(RANGE, item, at);
    const [start, end] = [starts[read('start')], read('end')];
    const style = partialStyle(item['style'], at.at('style'));
    return start === undefined ? [] : [{ start, end: starts[end] ?? textEnd, style }];
  });
}

function lineRanges(
  raw: Readonly<Record<string, unknown>>,
  place: DocumentPosition,
  lines: readonly number[][],
): StyledRange[] {
  return Object.entries(raw).flatMap(([lineKey, letters]) => {
    const line = lines[Number(lineKey)];
    if (line === undefined || !isRecord(letters)) return [];
    return Object.entries(letters).flatMap(([letterKey, style]) => {
      const [start, end] = [line[Number(letterKey)], line[Number(letterKey) + 1]];
      if (start === undefined || end === undefined || !isRecord(style)) return [];
      return [{ start, end, style: partialStyle(style, place.at(`styles.${lineKey}.${letterKey}`)) }];
    });
  });
}
