import { loadSharp } from '../../sharp.js';
import { yuvToRgba } from '../input/picture.js';
import { openVideo } from '../input/video-reader.js';

/** Long enough to show the presenter speaking, small enough for an e-mail. */
const SECONDS = 3;
const FRAMES_PER_SECOND = 10;
const WIDTH = 320;

/** Strength of dithering, 0 to 1: without it skin shows bands, but each dot makes the files of flat slides larger. */
const DITHER = 0.5;

/**
 * A short animated GIF of a video, 320 px wide: three seconds from `startSeconds` on (less at the end of the video), in
 * an endless loop. With `alpha` each pixel of a transparent video is fully transparent or opaque, as in every GIF.
 * Throws a `MediaError` when the file cannot be read.
 */
export async function encodeGif(
  file: string,
  startSeconds: number,
  { alpha = false }: { readonly alpha?: boolean } = {},
): Promise<Buffer> {
  const sharp = await loadSharp();
  const size = await sizeOf(file);
  // sharp shrinks transparent pictures with their alpha: the black in transparent areas would darken the edges.
  const reader = await openVideo(file, alpha ? { alpha } : size);
  const pixelsOf = async (seconds: number): Promise<Uint8Array> => {
    const { data, width, height } = yuvToRgba(await reader.frameAt(seconds));
    if (!alpha) return Uint8Array.from(data);
    const picture = sharp(data, { raw: { width, height, channels: 4 } }).resize(size.width, size.height, {
      fit: 'fill',
    });
    return hardEdged(await picture.raw().toBuffer());
  };
  try {
    const frames: Uint8Array[] = [];
    const wanted = SECONDS * FRAMES_PER_SECOND;
    for (let index = 0; index < wanted; index++) {
      const seconds = startSeconds + index / FRAMES_PER_SECOND;
      if (index > 0 && seconds >= reader.durationSeconds) break;
      frames.push(await pixelsOf(seconds));
    }
    const raw = {
      width: size.width,
      height: size.height * frames.length,
      channels: 4,
      pageHeight: size.height,
    } as const;
    return await sharp(Buffer.concat(frames), { raw })
      .gif({ delay: frames.map(() => 1000 / FRAMES_PER_SECOND), loop: 0, dither: DITHER, effort: 4 })
      .toBuffer();
  } finally {
    await reader.close();
  }
}

/** Makes every pixel fully opaque or transparent, in place. */
function hardEdged(rgba: Uint8Array): Uint8Array {
  for (let at = 3; at < rgba.length; at += 4) rgba[at] = rgba[at]! < 128 ? 0 : 255;
  return rgba;
}

async function sizeOf(file: string): Promise<{ width: number; height: number }> {
  const reader = await openVideo(file);
  const even = (side: number): number => Math.max(2, Math.round(side / 2) * 2);
  const { width, height } = reader;
  await reader.close();
  const shrink = Math.min(1, WIDTH / width);
  return { width: even(width * shrink), height: even(height * shrink) };
}
