import { loadCanvas } from '../objects/canvas.js';
import type { Fonts } from './fonts.js';

/** Width of a text on one line in a style, in font sizes. */
export type TextMeasure = (text: string, style: { family: string; weight: number; italic: boolean }) => number;

/** Measures text as it is drawn on slides. */
export async function openTextMeasure(fonts: Fonts): Promise<TextMeasure> {
  const { createCanvas } = await loadCanvas();
  const ctx = createCanvas(1, 1).getContext('2d');
  ctx.fontKerning = 'normal';
  ctx.textRendering = 'geometricPrecision';
  const sizePx = 100;
  return (text, { family, weight, italic }) => {
    ctx.font = `${italic ? 'italic ' : ''}${weight} ${sizePx}px ${fonts.familiesFor(family, text, null)}`;
    return ctx.measureText(text).width / sizePx;
  };
}
