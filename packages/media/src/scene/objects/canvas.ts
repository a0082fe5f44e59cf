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

/**
 * Lightness (0 to 255) for which the library draws letters as boldly as browsers draw those of every colour. It takes that of a colour, and makes
 * white letters much bolder than browsers do; measured with letters in dark, red and white.
 */
const LETTER_LIGHTNESS = 107;
/** Beyond every canvas, px. */
const FAR = 1e6;

/** A painter whose letters are those of browsers. */
export function painterOf(library: CanvasLibrary): Painter {
  const lightness = lightnessIn(library);
  return new Painter(library, (ctx, colour) => {
    // The lightness of a gradient is the mean of its stops, also of those that are nowhere to be seen.
    const rest = Math.min(255, Math.max(0, 2 * LETTER_LIGHTNESS - lightness(colour)));
    const ink = ctx.createLinearGradient(0, 0, FAR, 0);
    for (const at of [0, 0.5]) ink.addColorStop(at, colour);
    for (const at of [0.5, 1]) ink.addColorStop(at, `rgb(${rest}, ${rest}, ${rest})`);
    return ink;
  });
}

/** The lightness of a CSS colour, 0 to 255. */
function lightnessIn(library: CanvasLibrary): (colour: string) => number {
  const ctx = library.createCanvas(1, 1).getContext('2d');
  return (colour) => {
    ctx.clearRect(0, 0, 1, 1);
    ctx.fillStyle = colour;
    ctx.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = ctx.getImageData(0, 0, 1, 1).data;
    return Math.round(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  };
}
