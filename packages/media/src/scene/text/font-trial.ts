import { loadCanvas } from '../objects/canvas.js';
import { FontError } from './fonts.js';

/** Letters of a specimen; a font without them draws its glyph for missing characters. */
const SPECIMEN = 'AaGg 018 漢';
const SIZE_PX = 48;

/**
 * Registers a font and draws a line with it, as a render would. It may crash or block for a hostile font: call it in a
 * process of its own. Throws {@link FontError} for a font that cannot be drawn.
 */
export async function tryFont(bytes: Buffer): Promise<void> {
  const { createCanvas, GlobalFonts } = await loadCanvas();
  const alias = 'fh trial';
  const key = GlobalFonts.register(bytes, alias);
  if (key === null) throw new FontError('it is not a font that can be drawn');
  try {
    const ctx = createCanvas(8 * SIZE_PX, 2 * SIZE_PX).getContext('2d');
    ctx.font = `${SIZE_PX}px "${alias}"`;
    const { width } = ctx.measureText(SPECIMEN);
    if (!Number.isFinite(width)) throw new FontError('its letters have no width');
    ctx.fillText(SPECIMEN, 0, SIZE_PX);
    // Drawing is deferred until the pixels are read.
    ctx.getImageData(0, 0, 1, 1);
  } finally {
    GlobalFonts.remove(key);
  }
}
