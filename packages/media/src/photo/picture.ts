import type { Tensor } from './network/tensor.js';

/** A decoded picture: RGBA, 8 bit, sRGB, straight alpha, rows from the top, no padding. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** A point of a picture in px, pixel centres at whole numbers. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A square of a picture that is passed to a network: px; `angle` turns it clockwise on the screen, radians. */
export interface Square {
  readonly x: number;
  readonly y: number;
  readonly side: number;
  readonly angle: number;
  /** Mirrored, as networks for one eye expect the other. */
  readonly isMirrored?: boolean;
}

/** Maximum samples averaged along a side of one network px. */
const MAX_AVERAGED = 4;

/** Value outside of a picture. */
const OUTSIDE = 0;

/** Samples a square at `side` × `side` px, values `value * scale + offset` of 0…255. */
export function cutSquare(
  picture: Picture,
  square: Square,
  into: { readonly side: number; readonly scale: number; readonly offset: number },
): Tensor {
  const { side, scale, offset } = into;
  const data = new Float32Array(side * side * 3);
  const averaged = Math.min(Math.max(Math.round(square.side / side), 1), MAX_AVERAGED);
  const share = scale / averaged ** 2;
  const colour = [0, 0, 0];
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const sum = [0, 0, 0];
      for (let k = 0; k < averaged ** 2; k++) {
        const at = fromSquare(square, {
          x: (x + ((k % averaged) + 0.5) / averaged) / side,
          y: (y + (Math.floor(k / averaged) + 0.5) / averaged) / side,
        });
        sampleColour(picture, at, colour);
        for (let c = 0; c < 3; c++) sum[c] = sum[c]! + colour[c]!;
      }
      for (let c = 0; c < 3; c++) data[(y * side + x) * 3 + c] = sum[c]! * share + offset;
    }
  }
  return { width: side, height: side, channels: 3, data };
}

/** Maps a point of a square, 0…1 from its own top left corner, to the picture. */
export function fromSquare({ x, y, side, angle, isMirrored }: Square, at: Point): Point {
  const across = ((isMirrored === true ? 1 - at.x : at.x) - 0.5) * side;
  const down = (at.y - 0.5) * side;
  return {
    x: x + across * Math.cos(angle) - down * Math.sin(angle),
    y: y + across * Math.sin(angle) + down * Math.cos(angle),
  };
}

/** Bilinear colour with black outside, into `colour`. */
function sampleColour({ width, height, data }: Picture, { x, y }: Point, colour: number[]): void {
  const left = Math.floor(x);
  const top = Math.floor(y);
  const [fx, fy] = [x - left, y - top];
  for (let c = 0; c < 3; c++) {
    let sum = 0;
    for (let k = 0; k < 4; k++) {
      const column = left + (k & 1);
      const row = top + (k >> 1);
      const isInside = column >= 0 && row >= 0 && column < width && row < height;
      const value = isInside ? data[(row * width + column) * 4 + c]! : OUTSIDE;
      sum += value * (k & 1 ? fx : 1 - fx) * (k >> 1 ? fy : 1 - fy);
    }
    colour[c] = sum;
  }
}
