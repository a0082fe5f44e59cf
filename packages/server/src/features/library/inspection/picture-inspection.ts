import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  cleanMovingPicture,
  isMovingPicture,
  MAX_PIXELS,
  MediaError,
  openPictureFile,
  prepareDrawingFonts,
  refusalOfPicture,
} from '@figurehead/media/basic';
import sharp from 'sharp';
import { INSPECTED, type MediaFacts, THUMBNAIL_SIDE } from './media-files.js';
import { RefusedFile } from './refused-file.js';

const DECODE_SECONDS = 20;
/** Longest side of a stored picture; more than twice 4K would never be visible. */
const MAX_SIDE = 4096;
/** A vector drawing is rasterised to at least this width. */
const SVG_SIDE = 1920;
const SVG_DENSITY_MAX = 30_000;

/** Lossy formats: encoding them as JPEG loses little more and keeps them small. */
const LOSSY = new Set(['jpeg', 'heif', 'avif', 'webp']);

/**
 * Decodes and re-encodes an uploaded picture: turned upright, sRGB, without metadata, drawings rasterised, animations in their own format. The uploaded
 * bytes are never served. Throws {@link RefusedFile}.
 */
export async function readPicture(file: string, folder: string): Promise<MediaFacts> {
  // As bytes instead of a path, so that a drawing cannot include other files of a folder.
  const uploaded = await readFile(file);
  const limits = { limitInputPixels: MAX_PIXELS, failOn: 'error' } as const;
  try {
    const moving = (await isMovingPicture(uploaded)) ? await cleanMovingPicture(uploaded) : undefined;
    await prepareDrawingFonts(uploaded);
    const { bytes, metadata } = await openPictureFile(moving?.bytes ?? uploaded);
    const { format, hasAlpha, width } = metadata;
    const density =
      format === 'svg' ? Math.min(SVG_DENSITY_MAX, Math.max(72, Math.ceil((72 * SVG_SIDE) / Math.max(1, width)))) : 72;
    const image = sharp(bytes, { ...limits, density })
      .timeout({ seconds: DECODE_SECONDS })
      .rotate()
      .toColourspace('srgb')
      .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true });
    const isJpeg = !hasAlpha && LOSSY.has(format);
    const { data, info } = await (isJpeg ? image.jpeg({ quality: 90 }) : image.png()).toBuffer({
      resolveWithObject: true,
    });
    const small = { width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE, fit: 'inside', withoutEnlargement: true } as const;
    await writeFile(join(folder, INSPECTED.picture), moving?.bytes ?? data);
    await writeFile(join(folder, INSPECTED.thumbnail), await sharp(data).resize(small).webp().toBuffer());
    const warnings = format === 'svg' ? missingIn(uploaded) : stillOf(uploaded);
    return {
      ...(warnings.length > 0 && { warnings }),
      type: 'image',
      contentType: moving?.contentType ?? (isJpeg ? 'image/jpeg' : 'image/png'),
      extension: moving?.extension ?? (isJpeg ? 'jpg' : 'png'),
      width: moving === undefined ? info.width : metadata.width,
      height: moving === undefined ? info.height : (metadata.pageHeight ?? metadata.height),
      hasPicture: true,
      hasThumbnail: true,
    };
  } catch (cause) {
    const reason = cause instanceof MediaError ? cause.message : await refusalOfPicture(uploaded, cause);
    throw new RefusedFile(`the picture cannot be used: ${reason}`, { cause });
  }
}

/** What drawings may contain that is not drawn, and what to do about it. */
const NOT_DRAWN: readonly (readonly [RegExp, string])[] = [
  [/<foreignObject[\s>]/, 'Text in foreignObject is not drawn; convert it to text elements or paths.'],
  [
    /<(?:animate\w{0,20}|set)[\s>]|@keyframes\s/,
    'The animation of a drawing is not played; save it as a video, an animated WebP or a GIF.',
  ],
  [
    /<image\s[^<>]{0,2000}href\s?=\s?["'](?!data:|#)/,
    'A picture that the drawing links to is not drawn; embed it as a data URL.',
  ],
];

function missingIn(drawing: Buffer): string[] {
  const text = drawing.toString('utf8');
  return NOT_DRAWN.flatMap(([pattern, warning]) => (pattern.test(text) ? [warning] : []));
}

/** AVIF sequences (ISO/IEC 23000-22): the decoder reads their first picture. */
function stillOf(picture: Buffer): string[] {
  if (picture.toString('latin1', 4, 12) !== 'ftypavis') return [];
  return ['An animated AVIF shows its first picture; save it as a video, an animated WebP or a GIF.'];
}
