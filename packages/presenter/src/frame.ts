/** Format of pictures inside the engine: planar YUV 4:2:0, 8 bit, BT.709, limited range (16–235 / 16–240). */
import type { FrameRate } from './time.js';

/** Size and rate of the finished video. Sides are even. */
export interface VideoFormat {
  readonly width: number;
  readonly height: number;
  readonly fps: FrameRate;
}

/** A rectangle in luma pixels; `x`, `y` the top left corner. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * An opaque picture. `width` and `height` are even. Chroma planes are half as wide and half as high. Strides are in
 * bytes and at least the plane's width. The planes may be in shared memory.
 */
export interface YuvFrame {
  readonly width: number;
  readonly height: number;
  readonly y: Uint8Array;
  readonly u: Uint8Array;
  readonly v: Uint8Array;
  readonly yStride: number;
  readonly uvStride: number;
}

/**
 * A picture with transparency: a {@link YuvFrame} whose colour is **not** premultiplied plus an alpha plane of
 * luma size (0 transparent … 255 opaque, stride `yStride`).
 */
export interface YuvaFrame extends YuvFrame {
  readonly a: Uint8Array;
}

/** Straight-alpha 8-bit RGBA (sRGB) pixels, row-major without padding; `data.length === width * height * 4`. */
export interface RgbaImage {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array | Uint8ClampedArray;
}

/** A rectangle of a picture's size. */
export function wholeOf({ width, height }: { readonly width: number; readonly height: number }): Rect {
  return { x: 0, y: 0, width, height };
}

/** Zeroed memory: shared where the platform has it, so that threads can read it without a copy. */
export function allocate(bytes: number): ArrayBufferLike {
  return typeof SharedArrayBuffer === 'undefined' ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);
}

/**
 * New planes without padding, one after the other. Contents are zero.
 * @param memory where the planes are; by default of {@link allocate}
 */
export function allocateYuv(
  width: number,
  height: number,
  memory: (bytes: number) => ArrayBufferLike = allocate,
): YuvFrame {
  if (width % 2 || height % 2 || width <= 0 || height <= 0) {
    throw new RangeError(`a YUV 4:2:0 frame needs even, positive sides, got ${width}×${height}`);
  }
  const luma = width * height;
  const buffer = memory(luma + luma / 2);
  return {
    width,
    height,
    y: new Uint8Array(buffer, 0, luma),
    u: new Uint8Array(buffer, luma, luma / 4),
    v: new Uint8Array(buffer, luma + luma / 4, luma / 4),
    yStride: width,
    uvStride: width / 2,
  };
}

const PLANES = ['y', 'u', 'v'] as const;

/** Copies an even-aligned part of a picture to an even place in another one, by default the same. Allocates only views. */
export function copyYuv(from: YuvFrame, part: Rect, to: YuvFrame, place: Pick<Rect, 'x' | 'y'> = part): void {
  for (const plane of PLANES) {
    const step = plane === 'y' ? 1 : 2;
    const fromStride = step === 1 ? from.yStride : from.uvStride;
    const toStride = step === 1 ? to.yStride : to.uvStride;
    const source = from[plane];
    const target = to[plane];
    const width = part.width / step;
    const rows = part.height / step;
    const start = (part.y / step) * fromStride + part.x / step;
    const at = (place.y / step) * toStride + place.x / step;
    if (fromStride === toStride && part.width === to.width) {
      target.set(source.subarray(start, start + (rows - 1) * fromStride + width), at);
      continue;
    }
    for (let row = 0; row < rows; row++) {
      const line = start + row * fromStride;
      target.set(source.subarray(line, line + width), at + row * toStride);
    }
  }
}
