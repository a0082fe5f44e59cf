import type { CaptionStyle } from '@figurehead/contract/document';
import { segmentsOf } from '@figurehead/contract/document/segments';
import { even, evenDown, evenUp } from '@figurehead/presenter/even';
import type { Rect, VideoFormat } from '@figurehead/presenter/frame';
import { isRightToLeft } from '@figurehead/presenter/painting';
import type { Cue } from '../../encode/contract.js';
import type { CaptionLayer, CaptionShow } from '../contract.js';
import { type CanvasLibrary, type Context, pictureOf } from '../objects/canvas.js';
import type { Fonts } from './fonts.js';

/**
 * Sizes as shares of the frame's shorter side, the rest in em: readable on a phone held upright, without covering
 * faces.
 */
const FONT_SHARE = 0.052;
const LINE_EM = 1.3;
const PAD_X_EM = 0.45;
const PAD_Y_EM = 0.22;
const RADIUS_EM = 0.28;
/** A marked word's box extends past its letters by this much, less than half a space. */
const MARK_EM = 0.12;

/** Text within this share of the width is safe from the edges of any screen. */
const SAFE_WIDTH = 0.86;
/** Distance from the lower edge, share of the height: upright players put their buttons there. */
const BOTTOM = { landscape: 0.06, upright: 0.14 } as const;

/** The least such distance, where captions would otherwise cover a presenter's mouth. */
const LOWEST = 0.03;

const LINES = 2;

/** Size of a label's font and its distance from the left edge, shares of the shorter side. */
const LABEL_SHARE = 0.03;
const LABEL_MARGIN = 0.02;
/** Distance of a label from the upper edge, share of the height: upright players put a bar there. */
const LABEL_TOP = { landscape: 0.02, upright: 0.07 } as const;

const FAMILY = 'Inter';
const WEIGHT = 700;
const BOX = 'rgba(12,14,18,0.72)';
const TEXT = '#ffffff';
const MARK = '#ffd54a';
const MARKED_TEXT = '#14161a';

/** Inputs of {@link drawCaptions}. */
export interface CaptionRequest {
  readonly style: Exclude<CaptionStyle, 'off'>;
  /** Cues on the slide's own clock. */
  readonly cues: readonly Cue[];
  readonly format: VideoFormat;
  /** Frames of the slide. */
  readonly frames: number;
  readonly language: string | null;
  /** Lower edge of the presenter's face in px of the frame. */
  readonly chinY?: number | null;
}

/** Drawing library and fonts. */
export interface CaptionTools {
  readonly library: Pick<CanvasLibrary, 'createCanvas'>;
  readonly fonts: Pick<Fonts, 'familiesFor'>;
}

/** A label that is shown in all of a slide. */
export interface LabelRequest extends Pick<CaptionRequest, 'format' | 'frames' | 'language'> {
  readonly text: string;
}

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** White space precedes it. */
  readonly spaced: boolean;
  readonly width: number;
  readonly families: string;
}

/** Words of a line from left to right as displayed, each with its left edge. */
interface Line {
  readonly width: number;
  readonly words: readonly { readonly word: Word; readonly x: number }[];
}

/** Lines that are visible at the same time. */
interface Page {
  readonly lines: readonly Line[];
  readonly start: number;
  readonly end: number;
  /** Font size in px; smaller than usual only when a word would not fit. */
  readonly size: number;
}

/**
 * Draws the captions of a slide: white on a dark plate, at most two lines, inside the safe area; with `words` the
 * current word has a separate plate. Null without speech.
 */
export function drawCaptions(request: CaptionRequest, tools: CaptionTools): CaptionLayer | null {
  const { format, frames, style } = request;
  const pages = pagesOf(request, tools);
  const frameOf = (seconds: number): number => Math.min(frames, Math.max(0, Math.round(seconds * format.fps)));
  const shows = pages.flatMap((page): CaptionShow[] => {
    const [first, end] = [frameOf(page.start), frameOf(page.end)];
    if (end <= first) return [];
    const plate = plateOf(page, request);
    const shown = { startFrame: first, frames: end - first, ...paintPlate(page, plate, tools) };
    if (style === 'lines') return [shown];
    const words = page.lines.flatMap((line, row) => line.words.map((placed) => ({ ...placed, row })));
    words.sort((a, b) => a.word.start - b.word.start);
    const marks = words.flatMap((placed, index): CaptionShow[] => {
      const from = Math.max(first, frameOf(placed.word.start));
      // A mark stays until the next word, because a blinking mark is hard to follow.
      const next = words[index + 1]?.word.start ?? page.end;
      const until = Math.min(end, frameOf(next));
      if (until <= from) return [];
      return [{ startFrame: from, frames: until - from, ...paintMark(page, placed, { plate, tools }) }];
    });
    return [shown, ...marks];
  });
  return shows.length === 0 ? null : { kind: 'captions', shows, motions: [] };
}

/** Draws a label in the upper left, which neither captions nor a brand's logo use; smaller than captions, in the same look. */
export function drawLabel({ text, format, frames, language }: LabelRequest, tools: CaptionTools): CaptionLayer {
  const ctx = tools.library.createCanvas(2, 2).getContext('2d');
  const families = tools.fonts.familiesFor(FAMILY, text, language);
  const widthOf = (px: number): number => {
    setFont(ctx, families, px);
    return ctx.measureText(text).width;
  };
  const side = Math.min(format.width, format.height);
  const usual = Math.round(LABEL_SHARE * side);
  const room = format.width * SAFE_WIDTH - 2 * PAD_X_EM * usual;
  const size = Math.max(1, Math.floor(usual * Math.min(1, room / widthOf(usual))));
  const width = widthOf(size);
  const word = { text, start: 0, end: frames / format.fps, spaced: false, width, families };
  const page = { lines: [{ width, words: [{ word, x: 0 }] }], start: 0, end: word.end, size };
  const plate = {
    x: even(LABEL_MARGIN * side),
    y: even(format.height * (format.height > format.width ? LABEL_TOP.upright : LABEL_TOP.landscape)),
    width: evenUp(width + 2 * PAD_X_EM * size),
    height: evenUp((LINE_EM + 2 * PAD_Y_EM) * size),
  };
  return { kind: 'captions', shows: [{ startFrame: 0, frames, ...paintPlate(page, plate, tools) }], motions: [] };
}

function pagesOf({ cues, format, language }: CaptionRequest, { library, fonts }: CaptionTools): Page[] {
  const ctx = library.createCanvas(2, 2).getContext('2d');
  const usual = Math.round(FONT_SHARE * Math.min(format.width, format.height));
  const room = format.width * SAFE_WIDTH - 2 * PAD_X_EM * usual;
  const measured = (cue: Cue, size: number): Word[] => {
    let at = 0;
    return cue.words.flatMap((word, index) => {
      const found = Math.max(at, cue.text.indexOf(word.text, at));
      const spaced = index > 0 && /\s/.test(cue.text.slice(at, found));
      at = found + word.text.length;
      return partsOf(word, language).map((part, number) => {
        const families = fonts.familiesFor(FAMILY, part.text, language);
        setFont(ctx, families, size);
        return { ...part, spaced: number === 0 && spaced, families, width: ctx.measureText(part.text).width };
      });
    });
  };
  const spaceOf = (size: number): number => {
    setFont(ctx, fonts.familiesFor(FAMILY, ' ', language), size);
    return ctx.measureText(' ').width;
  };
  return cues.flatMap((cue): Page[] => {
    const widest = Math.max(0, ...measured(cue, usual).map((word) => word.width));
    const size = widest > room ? Math.floor((usual * room) / widest) : usual;
    const space = spaceOf(size);
    const rightToLeft = isRightToLeft(cue.text);
    const lines = wrap(measured(cue, size), room, space);
    const pages: Word[][][] = [];
    for (let index = 0; index < lines.length; index += LINES) pages.push(lines.slice(index, index + LINES));
    return pages.map((rows, index) => ({
      lines: rows.map((row) => place(row, space, rightToLeft)),
      start: index === 0 ? cue.start : (rows[0]?.[0]?.start ?? cue.start),
      end: pages[index + 1]?.[0]?.[0]?.start ?? cue.end,
      size,
    }));
  });
}

/** Scripts without spaces: a voice may mark a whole sentence as one word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * A word, or the words that a dictionary finds in it, each with its share of the time. Punctuation stays with the
 * preceding word.
 */
function partsOf(word: Cue['words'][number], language: string | null): Cue['words'][number][] {
  if (!UNSPACED.test(word.text)) return [word];
  const parts: string[] = [];
  for (const { segment, isWordLike } of segmentsOf(word.text, segmenterOf(language))) {
    const last = parts.length - 1;
    if (isWordLike !== true && last >= 0) parts[last] += segment;
    else parts.push(segment);
  }
  let before = 0;
  const timeAt = (letters: number): number => word.start + ((word.end - word.start) * letters) / word.text.length;
  return parts.map((text) => {
    const start = timeAt(before);
    before += text.length;
    return { text, start, end: timeAt(before) };
  });
}

function segmenterOf(language: string | null): Intl.Segmenter {
  const [known] = language === null ? [] : supported(language);
  return new Intl.Segmenter(known ?? 'en', { granularity: 'word' });
}

/** Documents may contain a language name ("Chinese") instead of a tag. */
function supported(language: string): string[] {
  try {
    return Intl.Segmenter.supportedLocalesOf(language);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** Fills lines greedily, then balances the last two: a single word on the last line looks lost. */
function wrap(words: readonly Word[], room: number, space: number): Word[][] {
  const lines = fill(words, room, space);
  if (lines.length < 2) return lines;
  // The narrowest width that needs no additional line makes the lines most alike.
  let [low, high] = [room / lines.length, room];
  for (let step = 0; step < 8; step++) {
    const middle = (low + high) / 2;
    if (fill(words, middle, space).length > lines.length) low = middle;
    else high = middle;
  }
  return fill(words, high, space);
}

function fill(words: readonly Word[], room: number, space: number): Word[][] {
  const lines: Word[][] = [];
  let used = 0;
  for (const word of words) {
    const gap = word.spaced ? space : 0;
    const line = lines.at(-1);
    if (line === undefined || used + gap + word.width > room) {
      lines.push([word]);
      used = word.width;
    } else {
      line.push(word);
      used += gap + word.width;
    }
  }
  return lines;
}

/**
 * Places words in display order; in a right-to-left line, words of the other direction keep their order among
 * themselves.
 */
function place(words: readonly Word[], space: number, rightToLeft: boolean): Line {
  const ordered = rightToLeft ? turned(words) : words;
  let x = 0;
  const placed = ordered.map((word, index) => {
    // The space belongs to the later word; in a reversed line it is to the right of that word.
    const spacer = rightToLeft ? ordered[index - 1] : word;
    if (index > 0 && spacer?.spaced === true) x += space;
    const at = { word, x };
    x += word.width;
    return at;
  });
  return { width: x, words: placed };
}

function turned(words: readonly Word[]): Word[] {
  const runs: { readonly forward: boolean; readonly words: Word[] }[] = [];
  for (const word of words) {
    const forward = !isRightToLeft(word.text);
    const last = runs.at(-1);
    if (last?.forward === forward) last.words.push(word);
    else runs.push({ forward, words: [word] });
  }
  return runs.reverse().flatMap((run) => (run.forward ? run.words : run.words.reverse()));
}

/** The dark plate of a page in px of the frame, on even px. */
function plateOf({ lines, size }: Page, { format, chinY }: CaptionRequest): Rect {
  const width = even(Math.max(...lines.map((line) => line.width)) + 2 * PAD_X_EM * size);
  const heightOf = (rows: number): number => (rows * LINE_EM + 2 * PAD_Y_EM) * size;
  const height = even(heightOf(lines.length));
  const usual = format.height * (format.height > format.width ? BOTTOM.upright : BOTTOM.landscape);
  // Of two lines, so that pages of one and two lines end at the same height.
  const belowFace = format.height - (chinY ?? 0) - heightOf(LINES);
  const bottom = Math.min(usual, Math.max(LOWEST * format.height, belowFace));
  return { x: even((format.width - width) / 2), y: even(format.height - bottom - height), width, height };
}

function leftOf(line: Line, plate: Rect): number {
  return (plate.width - line.width) / 2;
}

function baselineOf(row: number, size: number): number {
  // Centres capitals vertically in their line.
  return (PAD_Y_EM + LINE_EM * (row + 0.5) + 0.355) * size;
}

function paintPlate(page: Page, plate: Rect, { library }: CaptionTools): Pick<CaptionShow, 'x' | 'y' | 'picture'> {
  const { size } = page;
  const ctx = library.createCanvas(plate.width, plate.height).getContext('2d');
  ctx.fillStyle = BOX;
  ctx.beginPath();
  ctx.roundRect(0, 0, plate.width, plate.height, RADIUS_EM * size);
  ctx.fill();
  ctx.fillStyle = TEXT;
  for (const [row, line] of page.lines.entries()) {
    for (const { word, x } of line.words) {
      setFont(ctx, word.families, size);
      ctx.direction = isRightToLeft(word.text) ? 'rtl' : 'ltr';
      ctx.fillText(word.text, leftOf(line, plate) + x, baselineOf(row, size));
    }
  }
  return { x: plate.x, y: plate.y, picture: pictureOf(ctx, plate) };
}

function paintMark(
  page: Page,
  { word, x, row }: { readonly word: Word; readonly x: number; readonly row: number },
  { plate, tools }: { plate: Rect; tools: CaptionTools },
): Pick<CaptionShow, 'x' | 'y' | 'picture'> {
  const { size } = page;
  const line = page.lines[row]!;
  const left = plate.x + leftOf(line, plate) + x - MARK_EM * size;
  const top = plate.y + (PAD_Y_EM + LINE_EM * row + 0.06) * size;
  const [boxX, boxY] = [evenDown(left), evenDown(top)];
  const inset = { x: left - boxX, y: top - boxY };
  const [width, height] = [word.width + 2 * MARK_EM * size, (LINE_EM - 0.12) * size];
  const box = { width: evenUp(width + inset.x), height: evenUp(height + inset.y) };
  const ctx = tools.library.createCanvas(box.width, box.height).getContext('2d');
  ctx.fillStyle = MARK;
  ctx.beginPath();
  ctx.roundRect(inset.x, inset.y, width, height, RADIUS_EM * 0.7 * size);
  ctx.fill();
  ctx.fillStyle = MARKED_TEXT;
  setFont(ctx, word.families, size);
  ctx.direction = isRightToLeft(word.text) ? 'rtl' : 'ltr';
  ctx.fillText(word.text, inset.x + MARK_EM * size, plate.y + baselineOf(row, size) - boxY);
  return { x: boxX, y: boxY, picture: pictureOf(ctx, box) };
}

function setFont(ctx: Context, families: string, size: number): void {
  ctx.font = `${WEIGHT} ${size}px ${families}`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  ctx.fontKerning = 'normal';
  ctx.textRendering = 'geometricPrecision';
  ctx.lang = 'en';
}
