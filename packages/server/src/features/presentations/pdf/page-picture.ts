import sharp, { type Sharp } from 'sharp';
import type { PdfPage } from './pdf.js';

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

/** A drawn page as pixels. */
type Drawn = Pick<PdfPage, 'width' | 'height' | 'rgba'>;

/** Encodes a drawn page, centred on a picture of `size` px that continues in the colour of the page's edge. */
export async function encodePage(page: Drawn, size: { width: number; height: number }): Promise<EncodedPicture> {
  const { width, height, rgba } = page;
  const [left, top] = [Math.floor((size.width - width) / 2), Math.floor((size.height - height) / 2)];
  const [right, bottom] = [size.width - width - left, size.height - height - top];
  const picture = sharp(rgba, { raw: { width, height, channels: 4 } }).removeAlpha();
  return encode(picture.extend({ left, top, right, bottom, background: edgeColor(page) }));
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
  const opaque = picture.flatten({ background: '#ffffff' });
  const bytes = await opaque.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }).toBuffer();
  return { bytes, contentType: 'image/jpeg', extension: 'jpg' };
}

/** The most frequent colour along the border. */
function edgeColor({ width, height, rgba }: Drawn): string {
  const counts = new Map<string, number>();
  for (let at = 0; at < width * height; at += 4) {
    const [x, y] = [at % width, Math.floor(at / width)];
    if (x >= 4 && x < width - 4 && y > 0 && y < height - 1) continue;
    const color = `rgb(${rgba.subarray(at * 4, at * 4 + 3).join()})`;
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const [first] = [...counts].sort(([, a], [, b]) => b - a);
  return first?.[0] ?? '#ffffff';
}
