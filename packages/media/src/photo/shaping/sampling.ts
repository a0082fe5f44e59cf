import type { PlateBox } from '@figurehead/presenter';
import type { Picture, Point } from '../picture.js';

/** A colour, 0…255 each. */
export type Colour = [red: number, green: number, blue: number];

/**
 * Colour between the px of a picture by cubic convolution (Keys 1981, a = −½), written into `colour`; the edge is
 * repeated outside.
 */
export function sampleSharp(picture: Picture, x: number, y: number, colour: Colour): void {
  const { width, height, data } = picture;
  const left = Math.floor(x);
  const top = Math.floor(y);
  const [f, g] = [x - left, y - top];
  const w0 = f * (f * (1 - 0.5 * f) - 0.5);
  const w1 = 1 + f * f * (1.5 * f - 2.5);
  const w2 = f * (0.5 + f * (2 - 1.5 * f));
  const w3 = f * f * (0.5 * f - 0.5);
  const a = clampTo(left - 1, width) * 4;
  const b = clampTo(left, width) * 4;
  const c = clampTo(left + 1, width) * 4;
  const d = clampTo(left + 2, width) * 4;
  colour[0] = 0;
  colour[1] = 0;
  colour[2] = 0;
  for (let j = 0; j < 4; j++) {
    const weight =
      j === 0
        ? g * (g * (1 - 0.5 * g) - 0.5)
        : j === 1
          ? 1 + g * g * (1.5 * g - 2.5)
          : j === 2
            ? g * (0.5 + g * (2 - 1.5 * g))
            : g * g * (0.5 * g - 0.5);
    const row = clampTo(top - 1 + j, height) * width * 4;
    for (let k = 0; k < 3; k++) {
      const at = row + k;
      colour[k] =
        colour[k]! + weight * (w0 * data[at + a]! + w1 * data[at + b]! + w2 * data[at + c]! + w3 * data[at + d]!);
    }
  }
}

function clampTo(index: number, size: number): number {
  return index < 0 ? 0 : index >= size ? size - 1 : index;
}

/** Mean colour of the square of `2 radius + 1` px around a point, the part inside the picture. */
export function meanAround({ width, height, data }: Picture, { x, y }: Point, radius: number): Colour {
  const sum: Colour = [0, 0, 0];
  let count = 0;
  for (let row = Math.max(0, Math.round(y - radius)); row <= Math.min(height - 1, Math.round(y + radius)); row++) {
    for (let i = Math.max(0, Math.round(x - radius)); i <= Math.min(width - 1, Math.round(x + radius)); i++) {
      const at = (row * width + i) * 4;
      for (let c = 0; c < 3; c++) sum[c] = sum[c]! + data[at + c]!;
      count++;
    }
  }
  return count === 0 ? sum : (sum.map((value) => value / count) as Colour);
}

/** Index of the red value of px `i` of a box in the plate. */
export function plateIndex(plate: Picture, [x0, y0, x1]: PlateBox, i: number): number {
  const width = x1 - x0;
  return ((y0 + Math.floor(i / width)) * plate.width + x0 + (i % width)) * 4;
}

/** Luma of a colour, 0…255 (BT.601 weights, close enough to perceived brightness). */
export function lumaOf(data: ArrayLike<number>, at = 0): number {
  return 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!;
}

/** Luma between the px of a picture, bilinear; the edge is repeated outside. */
export function lumaAt({ width, height, data }: Picture, x: number, y: number): number {
  const [u, v] = [Math.min(Math.max(x, 0), width - 1), Math.min(Math.max(y, 0), height - 1)];
  const [i, j] = [Math.min(Math.floor(u), width - 2), Math.min(Math.floor(v), height - 2)];
  const [f, g] = [u - i, v - j];
  const at = (j * width + i) * 4;
  const below = at + width * 4;
  const row = (from: number): number => lumaOf(data, from) * (1 - f) + lumaOf(data, from + 4) * f;
  return row(at) * (1 - g) + row(below) * g;
}
