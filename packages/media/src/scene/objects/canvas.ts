import { rgbaToYuva } from '@figurehead/presenter/colour';
import type { YuvaFrame } from '@figurehead/presenter/frame';
import type { Size } from '@figurehead/presenter/geometry';
import { Painter } from '@figurehead/presenter/painting';
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

/** A painter whose letters are those of browsers. */
export function painterOf(library: CanvasLibrary): Painter {
  return new Painter(library, (ctx, colour) => {
    // The library makes letters bolder the lighter their colour is, much more than browsers do: white ones differed by a fifth. A pattern has
    // no lightness for it, and its letters are as bold as those of a middle grey, which is what browsers draw in every colour.
    const dot = library.createCanvas(1, 1);
    const on = dot.getContext('2d');
    on.fillStyle = colour;
    on.fillRect(0, 0, 1, 1);
    return (ctx as Context).createPattern(dot, 'repeat') ?? colour;
  });
}
