import sharp from 'sharp';
import { PortraitRefused } from './contract.js';
import { GROUND } from './donor.js';
import type { Picture } from './picture.js';

/** A decoded portrait. */
export interface PortraitFile {
  /** Upright and not larger than {@link MAX_SIDE}. */
  readonly picture: Picture;
  /** The same with its transparent parts filled, for networks. */
  readonly seen: Picture;
  /** Size of the upright picture before it was reduced. */
  readonly width: number;
  readonly height: number;
}

/** Larger pictures are refused before they are decoded. */
const MAX_PIXELS = 40_000_000;

/** Longest side after decoding: more than a plate shows of any portrait with the face in the middle. */
const MAX_SIDE = 2400;

/** In a smaller picture the face is never large enough. */
const MIN_SIDE = 160;

/** Time for decoding, s. */
const DECODE_SECONDS = 10;

const FORMATS = new Set(['png', 'jpeg', 'webp']);

/**
 * Decodes a portrait. Throws {@link PortraitRefused} unless the bytes are a complete PNG, JPEG or WebP of an acceptable
 * size.
 */
export async function decodePortrait(bytes: Uint8Array): Promise<PortraitFile> {
  const { format, width, height } = await refusing('The file is not a picture that can be read', () =>
    sharp(bytes, { limitInputPixels: false }).metadata(),
  );
  if (!FORMATS.has(format)) throw new PortraitRefused('The picture must be a PNG, a JPEG or a WebP.');
  if (width * height > MAX_PIXELS) {
    throw new PortraitRefused(
      `The picture has ${Math.round((width * height) / 1e6)} megapixels; at most ${MAX_PIXELS / 1e6} are accepted.`,
    );
  }
  if (Math.min(width, height) < MIN_SIDE) {
    throw new PortraitRefused(
      `The picture is too small: ${width} × ${height} px, at least ${MIN_SIDE} px per side are needed.`,
    );
  }
  return refusing('The picture is damaged or cut off', async () => {
    const { data, info } = await sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'truncated' })
      .timeout({ seconds: DECODE_SECONDS })
      .autoOrient()
      .toColourspace('srgb')
      .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
      .ensureAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    const picture = { width: info.width, height: info.height, data };
    const grow = Math.max(width, height) / Math.max(info.width, info.height);
    return {
      picture,
      seen: filled(picture),
      width: Math.round(info.width * grow),
      height: Math.round(info.height * grow),
    };
  });
}

async function refusing<T>(reason: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof PortraitRefused) throw cause;
    throw new PortraitRefused(`${reason}.`, { cause });
  }
}

function filled({ width, height, data }: Picture): Picture {
  const ground = [GROUND.r, GROUND.g, GROUND.b];
  const out = Uint8Array.from(data);
  for (let i = 0; i < out.length; i += 4) {
    const alpha = data[i + 3]!;
    if (alpha === 255) continue;
    for (let c = 0; c < 3; c++) out[i + c] = Math.round((data[i + c]! * alpha + ground[c]! * (255 - alpha)) / 255);
    out[i + 3] = 255;
  }
  return { width, height, data: out };
}
