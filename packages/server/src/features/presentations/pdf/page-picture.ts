import sharp, { type Sharp } from 'sharp';
import type { PageBox } from '../reading/deck.js';
import type { DrawnPage } from '../reading/reader.js';

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

/** Lines and shadows extend past their box, pt. */
const MARGIN = 4;

/**
 * Cuts a box with its margin out of a drawn page of `deck`'s size (pt). @returns the picture and the box that it shows,
 * or undefined when that is outside of the page.
 */
export async function cutFromPage(
  page: DrawnPage,
  box: PageBox,
  deck: { width: number; height: number },
): Promise<{ picture: EncodedPicture; box: PageBox } | undefined> {
  const turn = (box.angle * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(turn)), Math.abs(Math.sin(turn))];
  const reach = {
    x: (box.width * cos + box.height * sin) / 2 + MARGIN,
    y: (box.width * sin + box.height * cos) / 2 + MARGIN,
  };
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const scale = { x: page.width / deck.width, y: page.height / deck.height };
  const left = Math.max(0, Math.floor((middle.x - reach.x) * scale.x));
  const top = Math.max(0, Math.floor((middle.y - reach.y) * scale.y));
  const width = Math.min(page.width, Math.ceil((middle.x + reach.x) * scale.x)) - left;
  const height = Math.min(page.height, Math.ceil((middle.y + reach.y) * scale.y)) - top;
  if (width <= 0 || height <= 0) return undefined;
  const raw = { width: page.width, height: page.height, channels: 4 as const };
  const picture = await encode(sharp(page.rgba, { raw }).removeAlpha().extract({ left, top, width, height }));
  const shown = {
    x: left / scale.x,
    y: top / scale.y,
    width: width / scale.x,
    height: height / scale.y,
    angle: 0,
  };
  return { picture, box: shown };
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
