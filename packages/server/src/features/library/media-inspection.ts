import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeAudio, encodePicture, MediaError, type MediaInfo, openVideo, probe } from '@figurehead/media';
import { fileTypeFromFile } from 'file-type';
import sharp from 'sharp';
import { INSPECTED, type MediaFacts } from './media-files.js';
import { RefusedFile } from './refused-file.js';

/** Beyond this, decoding takes seconds and hundreds of megabytes. */
const MAX_PIXELS = 100_000_000;
const DECODE_SECONDS = 20;
/** Longest side of a stored picture: 4K twice over would never be seen. */
const MAX_SIDE = 4096;
/** A drawing without pixels of its own is rasterised to this width at least. */
const SVG_SIDE = 1920;
const SVG_DENSITY_MAX = 30_000;
const THUMBNAIL_SIDE = 480;
/** Longest sound or clip: its sound lies in memory while it is converted. */
const MAX_SECONDS = 1800;
const SNIFF_BYTES = 4096;

/** Formats that lost something when they were made: JPEG loses little more, and stays small. */
const LOSSY = new Set(['jpeg', 'heif', 'avif', 'webp']);

/**
 * Finds out what an uploaded file is. A picture is decoded and written anew (turned upright, sRGB, no metadata, drawings
 * rasterised), so that nothing of the stranger's bytes is ever served; of video and sound the beginning is decoded.
 * Runs in a disposable process. Throws {@link RefusedFile}.
 */
export async function inspectMedia({ file, folder }: { file: string; folder: string }): Promise<MediaFacts> {
  const mime = await sniff(file);
  if (mime.startsWith('image/')) return readPicture(file, { folder, isVector: mime === 'image/svg+xml' });
  try {
    return await readClip(file, folder, mime);
  } catch (cause) {
    if (cause instanceof MediaError) throw new RefusedFile(`the file is damaged or not supported: ${cause.message}`, { cause });
    throw cause;
  }
}

async function sniff(file: string): Promise<string> {
  const head = await readHead(file);
  if (head.length === 0) throw new RefusedFile('the file is empty');
  const found = await fileTypeFromFile(file);
  if ((found === undefined || found.mime === 'application/xml') && /<svg[\s>]/i.test(head.toString('utf8'))) {
    return 'image/svg+xml';
  }
  const mime: string = found?.mime ?? '';
  if (/^(image|video|audio)\//.test(mime) || mime === 'application/ogg') return mime;
  throw new RefusedFile(`the file is ${mime === '' ? 'of an unknown type' : mime}; expected a picture, a video or a sound`);
}

async function readHead(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function readPicture(file: string, options: { folder: string; isVector: boolean }): Promise<MediaFacts> {
  const { folder, isVector } = options;
  // As bytes, not as a path: a drawing must not find a folder to take other files from.
  const bytes = await readFile(file);
  const limits = { limitInputPixels: MAX_PIXELS, failOn: 'error' } as const;
  try {
    const { format, hasAlpha, width } = await sharp(bytes, limits).metadata();
    const density = isVector ? Math.min(SVG_DENSITY_MAX, Math.max(72, Math.ceil((72 * SVG_SIDE) / Math.max(1, width)))) : 72;
    const image = sharp(bytes, { ...limits, density })
      .timeout({ seconds: DECODE_SECONDS })
      .rotate()
      .toColourspace('srgb')
      .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true });
    const isJpeg = !hasAlpha && LOSSY.has(format);
    const { data, info } = await (isJpeg ? image.jpeg({ quality: 90 }) : image.png()).toBuffer({ resolveWithObject: true });
    const small = { width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE, fit: 'inside', withoutEnlargement: true } as const;
    await writeFile(join(folder, INSPECTED.picture), data);
    await writeFile(join(folder, INSPECTED.thumbnail), await sharp(data).resize(small).webp().toBuffer());
    return {
      type: 'image',
      contentType: isJpeg ? 'image/jpeg' : 'image/png',
      extension: isJpeg ? 'jpg' : 'png',
      width: info.width,
      height: info.height,
      hasPicture: true,
      hasThumbnail: true,
    };
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
    throw new RefusedFile(`the picture is damaged or not supported: ${reason}`, { cause });
  }
}

async function readClip(file: string, folder: string, mime: string): Promise<MediaFacts> {
  const info = await probe(file);
  if (info.durationSeconds > MAX_SECONDS) {
    throw new RefusedFile(`it lasts ${Math.ceil(info.durationSeconds / 60)} minutes; at most ${MAX_SECONDS / 60} are taken`);
  }
  // The cover of a song is a track of pictures too.
  const isVideo = info.video !== undefined && !mime.startsWith('audio/');
  if (!isVideo) await decodeAudio(file, { maxSeconds: 1 });
  return {
    type: isVideo ? 'video' : 'audio',
    contentType: mime,
    extension: isVideo ? 'mp4' : 'aac',
    ...(isVideo && info.video !== undefined ? { width: info.video.width, height: info.video.height } : {}),
    ...(info.durationSeconds > 0 ? { durationSeconds: info.durationSeconds } : {}),
    hasPicture: false,
    hasThumbnail: isVideo && (await writeThumbnail(file, folder, info)),
  };
}

async function writeThumbnail(file: string, folder: string, info: MediaInfo): Promise<boolean> {
  const { width, height } = info.video ?? { width: 16, height: 9 };
  const shrink = Math.min(1, THUMBNAIL_SIDE / Math.max(width, height));
  const even = (side: number): number => Math.max(2, Math.round((side * shrink) / 2) * 2);
  const reader = await openVideo(file, { width: even(width), height: even(height) });
  try {
    const frame = await reader.frameAt(Math.min(1, info.durationSeconds / 2));
    await writeFile(join(folder, INSPECTED.thumbnail), await encodePicture(frame, 'webp'));
    return true;
  } finally {
    await reader.close();
  }
}
