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
  // Samples are on a grid with even steps: the corner's and those along its two sides.
  const fine = side * averaged;
  const mapped = (x: number, y: number): Point => fromSquare(square, { x, y });
  const [corner, right, below] = [
    mapped(0.5 / fine, 0.5 / fine),
    mapped(1.5 / fine, 0.5 / fine),
    mapped(0.5 / fine, 1.5 / fine),
  ];
  const [acrossX, acrossY] = [right.x - corner.x, right.y - corner.y];
  const [downX, downY] = [below.x - corner.x, below.y - corner.y];
  for (let row = 0; row < fine; row++) {
    const line = Math.floor(row / averaged) * side;
    for (let column = 0; column < fine; column++) {
      const to = (line + Math.floor(column / averaged)) * 3;
      addColour(
        picture,
        corner.x + column * acrossX + row * downX,
        corner.y + column * acrossY + row * downY,
        data,
        to,
      );
    }
  }
  for (let i = 0; i < data.length; i++) data[i] = data[i]! * share + offset;
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

/** Adds a bilinear colour, black outside, to three values of `sums`. */
function addColour({ width, height, data }: Picture, x: number, y: number, sums: Float32Array, to: number): void {
  const left = Math.floor(x);
  const top = Math.floor(y);
  const [fx, fy] = [x - left, y - top];
  for (let k = 0; k < 4; k++) {
    const column = left + (k & 1);
    const row = top + (k >> 1);
    if (column < 0 || row < 0 || column >= width || row >= height) continue;
    const share = (k & 1 ? fx : 1 - fx) * (k >> 1 ? fy : 1 - fy);
    const at = (row * width + column) * 4;
    for (let c = 0; c < 3; c++) sums[to + c] = sums[to + c]! + data[at + c]! * share;
  }
}
