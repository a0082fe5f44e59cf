import { rgbaToYuva } from '@figurehead/presenter/colour';
import type { YuvaFrame } from '@figurehead/presenter/frame';
import type { Size } from '@figurehead/presenter/geometry';
import { ditherGradients } from './gradient-dither.js';

/** The module of the drawing library; see {@link loadCanvas}. */
export type CanvasLibrary = typeof import('@napi-rs/canvas');

/** A 2-D context of {@link CanvasLibrary}. */
export type Context = import('@napi-rs/canvas').SKRSContext2D;

/** A canvas of {@link CanvasLibrary}. */
export type Canvas = import('@napi-rs/canvas').Canvas;

/**
 * Loads the drawing library without the machine's own fonts. The library reads this environment variable when it is
 * first evaluated, so it is imported only here, on first use.
 */
export async function loadCanvas(): Promise<CanvasLibrary> {
  process.env.DISABLE_SYSTEM_FONTS_LOAD = '1';
  return import('@napi-rs/canvas');
}

/** What is on a canvas of `size` px. */
export function pictureOf(ctx: Context, { width, height }: Size): YuvaFrame {
  const { data } = ctx.getImageData(0, 0, width, height);
  const image = { width, height, data: new Uint8ClampedArray(data.buffer) };
  const picture = rgbaToYuva(image);
  ditherGradients(image, picture);
  return picture;
}
