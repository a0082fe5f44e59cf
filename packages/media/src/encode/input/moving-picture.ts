import { crc32 } from 'node:zlib';
import { loadSharp } from '../../sharp.js';
import { MediaError } from './media-error.js';
import { MAX_PIXELS } from './picture-file.js';

const isGif = (file: Buffer): boolean => file.toString('latin1', 0, 4) === 'GIF8';
const isWebp = (file: Buffer): boolean =>
  file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP';
const isPng = (file: Buffer): boolean => file.readUInt32BE(0) === 0x89504e47;

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const ENCODE_SECONDS = 60;
/** Most frames: two minutes at 25 a second. */
const MAX_FRAMES = 3000;
/** Pixels of frames that are decoded at once: every time, the decoder begins with the first frame. */
const DECODED_PIXELS = 10_000_000;

/** The flag of an animation in the head of a WebP file (RFC 9649, clause 2.7.1). */
const WEBP_ANIMATION = 0x02;

/** Whether a picture has several frames: an animated GIF, APNG or WebP. */
export async function isMovingPicture(file: Buffer): Promise<boolean> {
  if (file.length < 21) return false;
  if (isWebp(file)) return file.toString('latin1', 12, 16) === 'VP8X' && (file[20]! & WEBP_ANIMATION) !== 0;
  // Chunks of the animation come before those of the picture (PNG, third edition, clause 5.6).
  if (isPng(file)) return file.subarray(0, Math.max(0, file.indexOf('IDAT'))).includes('acTL');
  if (!isGif(file)) return false;
  const { pages = 1 } = await (await loadSharp())(file)
    .metadata()
    .catch(() => ({ pages: 1 }));
  return pages > 1;
}

/**
 * A picture in a format that the video decoder plays: an animated WebP, which it cannot read, as APNG; others unchanged. Throws a
 * {@link MediaError} for one that is too long or too large.
 */
export async function playablePicture(file: Buffer): Promise<Buffer> {
  if (!isWebp(file) || !(await isMovingPicture(file))) return file;
  const sharp = await loadSharp();
  const { width, height, pages, delay } = await framesOf(file);
  const chunks: Buffer[] = [];
  let sequence = 0;
  const atOnce = Math.max(1, Math.floor(DECODED_PIXELS / (width * height)));
  for (let page = 0; page < pages; page += atOnce) {
    const some = sharp(file, { page, pages: Math.min(atOnce, pages - page) });
    const pixels = await some.ensureAlpha().raw().toBuffer();
    const size = width * height * 4;
    for (let at = 0; at * size < pixels.length; at++) {
      const frame = pixels.subarray(at * size, (at + 1) * size);
      const parts = chunksOf(
        await sharp(frame, { raw: { width, height, channels: 4 } })
          .png()
          .toBuffer(),
      );
      if (sequence === 0)
        chunks.push(chunk('IHDR', parts.find(({ type }) => type === 'IHDR')!.body), chunk('acTL', words(pages, 0)));
      // The whole picture replaces the one before it, after a delay in milliseconds.
      const timing = Buffer.alloc(6);
      timing.writeUInt16BE(Math.min(0xffff, delay[page + at] ?? 100), 0);
      timing.writeUInt16BE(1000, 2);
      chunks.push(chunk('fcTL', Buffer.concat([words(sequence++, width, height, 0, 0), timing])));
      for (const { type, body } of parts) {
        if (type !== 'IDAT') continue;
        chunks.push(page + at === 0 ? chunk('IDAT', body) : chunk('fdAT', Buffer.concat([words(sequence++), body])));
      }
    }
  }
  return Buffer.concat([SIGNATURE, ...chunks, chunk('IEND', Buffer.alloc(0))]);
}

/** Size, number and delays (ms) of the frames. Throws a {@link MediaError} for more than can be decoded in a reasonable time. */
async function framesOf(file: Buffer): Promise<{ width: number; height: number; pages: number; delay: number[] }> {
  const found = await (await loadSharp())(file).metadata();
  const frames = isPng(file) ? chunksOf(file).filter(({ type }) => type === 'fcTL').length : 1;
  const { width, pageHeight: height = found.height, pages = frames, delay = [] } = found;
  if (pages > MAX_FRAMES || width * height * pages > MAX_PIXELS) {
    const most = `${MAX_FRAMES} frames and ${MAX_PIXELS / 1e6} million pixels`;
    const got = `${pages} frames of ${width}×${height}`;
    throw new MediaError(`expected an animation of at most ${most}, got ${got}; save it as a video`);
  }
  return { width, height, pages, delay };
}

/** A moving picture in its own format. */
export interface MovingPicture {
  readonly bytes: Buffer;
  readonly contentType: 'image/gif' | 'image/webp' | 'image/apng';
  readonly extension: 'gif' | 'webp' | 'png';
}

/** Chunks of an APNG that its pictures need; others are texts, places and profiles. */
const DRAWN = new Set(['IHDR', 'PLTE', 'tRNS', 'acTL', 'fcTL', 'IDAT', 'fdAT', 'IEND']);

/**
 * An animation without its metadata. Throws a {@link MediaError} for one that is too long or too large, and the decoder's error for a damaged one.
 */
export async function cleanMovingPicture(file: Buffer): Promise<MovingPicture> {
  const sharp = await loadSharp();
  await framesOf(file);
  if (isPng(file)) {
    const chunks = chunksOf(file)
      .filter(({ type }) => DRAWN.has(type))
      .map(({ type, body }) => chunk(type, body));
    return { bytes: Buffer.concat([SIGNATURE, ...chunks]), contentType: 'image/apng', extension: 'png' };
  }
  const all = sharp(file, { pages: -1, limitInputPixels: MAX_PIXELS, failOn: 'error' }).timeout({
    seconds: ENCODE_SECONDS,
  });
  if (isGif(file)) return { bytes: await all.gif().toBuffer(), contentType: 'image/gif', extension: 'gif' };
  return { bytes: await all.webp({ quality: 90 }).toBuffer(), contentType: 'image/webp', extension: 'webp' };
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

/** A chunk of a PNG file: length, type, body and checksum. */
function chunk(type: string, body: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  return Buffer.concat([words(body.length), content, words(crc32(content))]);
}

function chunksOf(png: Buffer): { readonly type: string; readonly body: Buffer }[] {
  const chunks: { type: string; body: Buffer }[] = [];
  for (let at = 8; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), body: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}
