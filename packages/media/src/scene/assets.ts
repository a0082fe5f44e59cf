import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Rect } from '@figurehead/presenter/frame';
import type { Size } from '@figurehead/presenter/geometry';
import { LRUCache } from 'lru-cache';
import { isMovingPicture } from '../encode/input/moving-picture.js';
import { MAX_PIXELS, openPictureFile } from '../encode/input/picture-file.js';
import { loadSharp } from '../sharp.js';
import type { Canvas, CanvasLibrary } from './objects/canvas.js';
import { prepareDrawingFonts } from './text/drawing-fonts.js';

/**
 * Where media come from. The caller checks addresses, sizes and time limits; both functions may be called repeatedly
 * for one address.
 */
export interface Assets {
  /** The bytes of a picture. */
  picture(src: string): Promise<Buffer>;
  /** A local file with the contents of a clip or a sound, readable while the video is rendered. */
  file(src: string): Promise<string>;
  /** A local file of an animated picture, which the video decoder plays; when absent, such pictures show their first frame. */
  film?(src: string): Promise<string>;
}

/** A slide could not be drawn; `path` names slide and object. */
export class SceneError extends Error {
  override readonly name = 'SceneError';
  constructor(
    readonly path: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${path}: ${reason}`, options);
  }
}

/**
 * A resource of a render is out of reach, and the document is not the cause: a retry may succeed. Thrown by functions
 * of `RenderResources`; it passes through the engine unchanged, while their other errors are problems of the document.
 */
export class ResourceOutage extends Error {
  override readonly name = 'ResourceOutage';
  constructor(override readonly cause: unknown) {
    super(`a resource is out of reach: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

const DECODE_SECONDS = 20;
/** The decoder's upper limit, dots per inch. */
const MAX_DENSITY = 100_000;

export interface FetchedPicture {
  /** Size in px after its EXIF rotation; for SVG its nominal size. */
  readonly size: Size;
  /** The part `window` (px of the picture; all of it when null), resampled to `target` px. */
  draw(target: Size, window: Rect | null): Promise<Canvas>;
}

/** Pictures of one video: fetched through `assets`, identified by the hash of their bytes. */
export interface Pictures {
  /** SHA-256 of the picture's bytes in hex. */
  hash(src: string, at: string): Promise<string>;
  open(src: string, at: string): Promise<FetchedPicture>;
  /** Whether it is an animation. */
  moves(src: string, at: string): Promise<boolean>;
}

/** `at` in both calls is the place in the document that a {@link SceneError} names. */
export function createPictures(assets: Assets, library: CanvasLibrary): Pictures {
  const hashes = new Map<string, string>();
  // Only the last few stay in memory, because the pictures of a hundred slides would take too much.
  const recent = new LRUCache<string, Buffer>({ max: 4 });

  const bytesOf = async (src: string, at: string): Promise<Buffer> => {
    const known = recent.get(src);
    if (known !== undefined) return known;
    const bytes = await assets.picture(src).catch((cause: unknown) => {
      throw new SceneError(at, `the picture cannot be fetched: ${reasonOf(cause)}`, { cause });
    });
    recent.set(src, bytes);
    return bytes;
  };

  return {
    hash: async (src, at) => {
      const known = hashes.get(src);
      if (known !== undefined) return known;
      const hash = createHash('sha256')
        .update(await bytesOf(src, at))
        .digest('hex');
      hashes.set(src, hash);
      return hash;
    },
    open: async (src, at) => openPicture(await bytesOf(src, at), at, library),
    moves: async (src, at) => isMovingPicture(await bytesOf(src, at)),
  };
}

async function openPicture(file: Buffer, at: string, library: CanvasLibrary): Promise<FetchedPicture> {
  const refuse = (cause: unknown): never => {
    throw new SceneError(at, `the picture cannot be decoded: ${reasonOf(cause)}`, { cause });
  };
  const sharp = await loadSharp();
  await prepareDrawingFonts(file).catch(refuse);
  const { bytes, metadata } = await openPictureFile(file).catch(refuse);
  const turned = (metadata.orientation ?? 1) >= 5;
  const [width, height] = turned ? [metadata.height, metadata.width] : [metadata.width, metadata.height];
  if (width * height > MAX_PIXELS) refuse(new Error(`expected at most ${MAX_PIXELS} pixels, got ${width}×${height}`));
  const size = { width, height };
  return {
    size,
    draw: async (target, window) => {
      const wide = Math.max(1, Math.round(target.width));
      const high = Math.max(1, Math.round(target.height));
      const enlarge = Math.max(1, wide / (window?.width ?? width), high / (window?.height ?? height));
      const isVector = metadata.format === 'svg';
      // A vector picture is rasterised at its display size.
      const density = isVector ? Math.min(MAX_DENSITY, 72 * enlarge) : 72;
      let image = sharp(bytes, { limitInputPixels: MAX_PIXELS, density, failOn: 'error' }).timeout({
        seconds: DECODE_SECONDS,
      });
      image = image.rotate();
      if (window !== null) image = image.extract(pixelWindow(window, size, isVector ? density / 72 : 1));
      const { data, info } = await image
        .toColourspace('srgb')
        .resize(wide, high, { fit: 'fill', kernel: 'lanczos3' })
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true })
        .catch(refuse);
      const canvas = library.createCanvas(info.width, info.height);
      const pixels = new library.ImageData(
        new Uint8ClampedArray(data.buffer, data.byteOffset, data.length),
        info.width,
        info.height,
      );
      canvas.getContext('2d').putImageData(pixels, 0, 0);
      return canvas;
    },
  };
}

/** The window in sharp's form: whole px, inside the picture, not empty. */
function pixelWindow(
  window: Rect,
  size: Size,
  scale: number,
): { left: number; top: number; width: number; height: number } {
  const limit = {
    width: Math.max(1, Math.floor(size.width * scale)),
    height: Math.max(1, Math.floor(size.height * scale)),
  };
  const left = Math.min(limit.width - 1, Math.max(0, Math.round(window.x * scale)));
  const top = Math.min(limit.height - 1, Math.max(0, Math.round(window.y * scale)));
  return {
    left,
    top,
    width: Math.max(1, Math.min(limit.width - left, Math.round(window.width * scale))),
    height: Math.max(1, Math.min(limit.height - top, Math.round(window.height * scale))),
  };
}

/** SHA-256 of a file's bytes in hex. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Why a resource was refused, for the document's owner. Throws an outage on. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof ResourceOutage) throw cause;
  return cause instanceof Error ? cause.message : String(cause);
}
