import { drawEmoji, EMOJI_GLUE, emojiAdvances, type Fonts } from '@figurehead/media';
import sharp from 'sharp';
import type { SetLetter } from '../pdf/letters.js';
import type { DrawnPage } from './reader.js';

/** Height of an emoji's middle above its baseline, in font sizes: emoji extend from 0.95 above to 0.25 below. */
const MIDDLE = 0.35;
/** Distance from descent to ascent, in font sizes. */
const HEIGHT = 1.2;

/** Position of an emoji; lengths in points, from the page's lower left corner. */
interface PlacedEmoji {
  readonly emoji: string;
  /** Middle of its picture. */
  readonly x: number;
  readonly y: number;
  readonly em: number;
  /** Degrees counter-clockwise. */
  readonly angle: number;
}

/**
 * Finds emoji among the letters of a page. Joiners and variation selectors are not on a page, so sequences are
 * recognised by their other letters.
 * @param known the emoji of the deck in their original form.
 */
export function findEmoji(letters: readonly SetLetter[], known: readonly string[]): PlacedEmoji[] {
  const drawn = joinSurrogates(letters).filter(({ code }) => !EMOJI_GLUE.test(String.fromCodePoint(code)));
  const sequences = known
    .map((emoji) => ({ emoji, codes: Array.from(emoji, codeOf).filter((code) => !isGlue(code)) }))
    .sort((a, b) => b.codes.length - a.codes.length);
  const advances = emojiAdvances(known);
  const found: PlacedEmoji[] = [];
  for (let at = 0; at < drawn.length; ) {
    const match = sequences.find(({ codes }) => codes.every((code, index) => drawn[at + index]?.code === code));
    const used = drawn.slice(at, at + (match?.codes.length ?? 1));
    if (match !== undefined) found.push(placed(match.emoji, used, advances));
    at += used.length;
  }
  return found;
}

function placed(emoji: string, letters: readonly SetLetter[], advances: ReadonlyMap<number, number>): PlacedEmoji {
  const [first] = letters;
  if (first === undefined) throw new Error('expected an emoji with at least one letter');
  const { em, angle } = first;
  const turn = (angle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  // A line may end within a sequence, whose picture then stays at its start.
  const isBeside = ({ x, y }: SetLetter): boolean => Math.abs((y - first.y) * cos - (x - first.x) * sin) < em / 2;
  const width = letters.filter(isBeside).reduce((sum, { code }) => sum + (advances.get(code) ?? 0), 0);
  // Half its width along the baseline, then upwards.
  const [along, up] = [(em * width) / 2, em * MIDDLE];
  return { emoji, x: first.x + along * cos - up * sin, y: first.y + along * sin + up * cos, em, angle };
}

/** Draws the emoji into a page. @param heightPt of the page. */
export async function paintEmoji(
  page: DrawnPage,
  { emoji, heightPt, fonts }: { emoji: readonly PlacedEmoji[]; heightPt: number; fonts: Fonts },
): Promise<DrawnPage> {
  const scale = page.height / heightPt;
  for (const one of emoji) {
    const picture = await drawEmoji(fonts, one.emoji, one.em * scale * HEIGHT);
    const { data, info } = await sharp(picture.rgba, {
      raw: { width: picture.width, height: picture.height, channels: 4 },
    })
      .rotate(-one.angle, { background: '#00000000' })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const left = Math.round(one.x * scale - info.width / 2);
    const top = Math.round((heightPt - one.y) * scale - info.height / 2);
    blend(page, { width: info.width, height: info.height, rgba: data }, { left, top });
  }
  return page;
}

/** Blends over the page, cut at its edges. Pages are opaque. */
function blend(page: DrawnPage, over: DrawnPage, { left, top }: { left: number; top: number }): void {
  for (let y = Math.max(0, -top); y < Math.min(over.height, page.height - top); y++) {
    for (let x = Math.max(0, -left); x < Math.min(over.width, page.width - left); x++) {
      const from = (y * over.width + x) * 4;
      const to = ((y + top) * page.width + x + left) * 4;
      const alpha = (over.rgba[from + 3] ?? 0) / 255;
      for (let channel = 0; channel < 3; channel++) {
        const below = page.rgba[to + channel] ?? 255;
        page.rgba[to + channel] = Math.round(below + ((over.rgba[from + channel] ?? 0) - below) * alpha);
      }
    }
  }
}

/** PDFs store characters beyond the first plane as two halves (UTF-16), which pdfium returns separately. */
function joinSurrogates(letters: readonly SetLetter[]): SetLetter[] {
  return letters.flatMap((letter, index) => {
    const before = letters[index - 1]?.code ?? 0;
    if (letter.code >= 0xdc00 && letter.code < 0xe000 && before >= 0xd800 && before < 0xdc00) return [];
    const next = letters[index + 1]?.code ?? 0;
    if (letter.code < 0xd800 || letter.code >= 0xdc00 || next < 0xdc00 || next >= 0xe000) return [letter];
    return [{ ...letter, code: (letter.code - 0xd800) * 0x400 + (next - 0xdc00) + 0x10000 }];
  });
}

function codeOf(letter: string): number {
  return letter.codePointAt(0) ?? 0;
}

function isGlue(code: number): boolean {
  return EMOJI_GLUE.test(String.fromCodePoint(code));
}
