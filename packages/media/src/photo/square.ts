import type { Network } from './network/graph.js';
import type { Tensor } from './network/tensor.js';
import type { Picture, Point } from './picture.js';

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

/** A square of a picture as a network expects it: values `value * scale + offset` of 0…255, black outside of the picture. */
export function cutSquare(
  picture: Picture,
  square: Square,
  { side, kernel }: Network,
  range: { readonly scale: number; readonly offset: number },
): Tensor {
  const averaged = Math.min(Math.max(Math.round(square.side / side), 1), MAX_AVERAGED);
  // Samples are on a grid with even steps: the corner's and those along its two sides.
  const fine = side * averaged;
  const mapped = (x: number, y: number): Point => fromSquare(square, { x: x / fine, y: y / fine });
  const [start, right, below] = [mapped(0.5, 0.5), mapped(1.5, 0.5), mapped(0.5, 1.5)];
  const stepTo = (to: Point): Point => ({ x: to.x - start.x, y: to.y - start.y });
  const grid = { start, across: stepTo(right), down: stepTo(below) };
  return kernel.cutSquare(picture, grid, { side, averaged, ...range });
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
