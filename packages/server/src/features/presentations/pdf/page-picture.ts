import sharp, { type Sharp } from 'sharp';
import type { DrawnPage } from './pdf.js';

/** An encoded picture. */
export interface EncodedPicture {
  readonly bytes: Buffer;
  readonly contentType: 'image/png' | 'image/jpeg';
  readonly extension: 'png' | 'jpg';
}

/** Larger PNGs are photographs, for which JPEG is better; in smaller ones letters stay sharp. */
const MAX_PNG_BYTES = 2_500_000;

/** Maximum side of a picture inside a page, px: pictures are not shown larger. */
const MAX_SIDE = 1920;

/** Encodes a drawn page, centred on a picture of `size` px that continues in the colour of the page's edge. */
export async function encodePage(page: DrawnPage, size: { width: number; height: number }): Promise<EncodedPicture> {
  const { width, height, rgba } = page;
  const [left, top] = [Math.floor((size.width - width) / 2), Math.floor((size.height - height) / 2)];
  const raw = sharp(rgba, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .extend({
      left,
      top,
      right: size.width - width - left,
      bottom: size.height - height - top,
      background: edgeColor(page),
    });
  return encode(raw);
}

/**
 * Re-encodes a picture of a deck so that it is safe and small: turned upright, at most 1920 px. `undefined` when it
 * cannot be decoded (Windows metafiles, damaged files).
 */
export async function encodePicture(bytes: Uint8Array): Promise<EncodedPicture | undefined> {
  try {
    const picture = sharp(bytes, { limitInputPixels: 100_000_000, failOn: 'error', pages: 1 })
      .timeout({ seconds: 20 })
      .rotate()
      .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true });
    return await encode(picture);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

async function encode(picture: Sharp): Promise<EncodedPicture> {
  const png = await picture.clone().png({ compressionLevel: 6 }).toBuffer();
  if (png.length <= MAX_PNG_BYTES) return { bytes: png, contentType: 'image/png', extension: 'png' };
  const jpeg = await picture
    .clone()
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 92, chromaSubsampling: '4:4:4' })
    .toBuffer();
  return { bytes: jpeg, contentType: 'image/jpeg', extension: 'jpg' };
}

/** The most frequent colour along the border, at five bits per channel. */
function edgeColor({ width, height, rgba }: DrawnPage): { r: number; g: number; b: number } {
  const tallies = new Map<number, { count: number; r: number; g: number; b: number }>();
  const look = (x: number, y: number): void => {
    const at = (y * width + x) * 4;
    const [r = 255, g = 255, b = 255] = rgba.subarray(at, at + 3);
    const key = ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);
    const tally = tallies.get(key) ?? { count: 0, r, g, b };
    tally.count += 1;
    tallies.set(key, tally);
  };
  for (let x = 0; x < width; x += 4) for (const y of [0, height - 1]) look(x, y);
  for (let y = 0; y < height; y += 4) for (const x of [0, width - 1]) look(x, y);
  const [first] = [...tallies.values()].sort((a, b) => b.count - a.count);
  return first === undefined ? { r: 255, g: 255, b: 255 } : { r: first.r, g: first.g, b: first.b };
}
