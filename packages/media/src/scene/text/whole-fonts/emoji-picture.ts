import { loadCanvas } from '../../objects/canvas.js';
import type { Fonts } from '../fonts.js';

/** Pixels of one emoji: RGBA, not premultiplied, rows without gaps. */
interface EmojiPicture {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/** Draws one emoji (a whole sequence, such as a family or a flag), `sizePx` high from descent to ascent, cut to its width. */
export async function drawEmoji(fonts: Fonts, emoji: string, sizePx: number): Promise<EmojiPicture> {
  const { createCanvas } = await loadCanvas();
  // Noto's emoji extend from 0.25 em below the baseline to 0.95 em above it.
  const em = sizePx / 1.2;
  const font = `${em}px ${fonts.familiesFor('Inter', emoji, null)}`;
  const measure = createCanvas(1, 1).getContext('2d');
  measure.font = font;
  const width = Math.max(1, Math.ceil(measure.measureText(emoji).width));
  const height = Math.max(1, Math.ceil(sizePx));
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext('2d');
  ctx.font = font;
  ctx.textBaseline = 'alphabetic';
  ctx.fillText(emoji, 0, em * 0.95);
  const { data } = ctx.getImageData(0, 0, width, height);
  return { width, height, rgba: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}
