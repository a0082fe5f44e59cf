import type { Metadata } from 'sharp';
import { loadSharp } from '../../sharp.js';
import { MediaError } from './media-error.js';
import { sizedInPixels } from './svg.js';

/** Maximum size of a picture, px: beyond, decoding takes seconds and hundreds of megabytes. */
export const MAX_PIXELS = 100_000_000;

/** A picture file whose head was read. */
export interface PictureFile {
  /** Drawings are sized in pixels, see {@link sizedInPixels}. */
  readonly bytes: Uint8Array;
  readonly metadata: Metadata;
}

/** Reads the head of a picture. Throws a {@link MediaError} that {@link refusalOfPicture} words. */
export async function openPictureFile(file: Uint8Array): Promise<PictureFile> {
  const sharp = await loadSharp();
  const head = (bytes: Uint8Array) => sharp(bytes, { limitInputPixels: MAX_PIXELS }).metadata();
  try {
    const metadata = await head(file);
    const bytes = metadata.format === 'svg' ? sizedInPixels(file) : file;
    return { bytes, metadata: bytes === file ? metadata : await head(bytes) };
  } catch (cause) {
    throw new MediaError(await refusalOfPicture(file, cause), { cause });
  }
}

/**
 * Why a picture cannot be used, for its owner. The type of the file decides, because the library speaks of seeks and headers when it has no
 * decoder. `cause` is its error.
 */
export async function refusalOfPicture(bytes: Uint8Array, cause: unknown): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type');
  const { ext = '', mime = '' } = (await fileTypeFromBuffer(bytes)) ?? {};
  const isReadable = /^image\/(?:avif|gif|jpeg|a?png|tiff|webp)$/.test(mime);
  const isDrawing =
    /^(?:application\/xml)?$/.test(mime) && /<svg[\s>]/i.test(Buffer.from(bytes).toString('utf8', 0, 4096));
  if (isReadable || isDrawing) {
    const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
    return `it is damaged or too large: ${reason}`;
  }
  if (mime.startsWith('image/')) return `${ext.toUpperCase()} pictures are not supported; save it as JPEG or PNG`;
  return `expected a picture, got ${mime === '' ? 'a file of an unknown type' : mime}`;
}
