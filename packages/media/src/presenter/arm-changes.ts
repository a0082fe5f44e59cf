import type { BytePlane } from './motion-field.js';

/** A picture of an arm, premultiplied: luma and alpha, and at half the size chroma and alpha. */
export type ArmPicture = Readonly<Record<'y' | 'a' | 'u' | 'v' | 'aHalf', BytePlane>>;

/** Share 0…1 of each block of `BLOCK` luma px that differs between two keys. */
export interface Changes {
  readonly columns: number;
  readonly rows: number;
  readonly shares: Float32Array;
}

/** Side of a block, luma px. */
const BLOCK = 8;

/** Sum of the differences of luma, chroma and alpha from which a px has changed, and number of changed chroma px that count as a block's change. */
const DIFFERENT = 20;
const LEAST = 2;

/** Where two keys differ: the arm in either, its shadow, and a block around them, because parts of a hand may look alike in both. */
export function changesBetween(a: ArmPicture, b: ArmPicture): Changes {
  const { width, height } = a.u;
  const [columns, rows] = [Math.ceil((2 * width) / BLOCK), Math.ceil((2 * height) / BLOCK)];
  const counts = new Uint8Array(columns * rows);
  for (let j = 0; j < height; j++) {
    const row = Math.floor((2 * j) / BLOCK) * columns;
    for (let i = 0; i < width; i++) {
      if (difference(a, b, i, j) > DIFFERENT) counts[row + Math.floor((2 * i) / BLOCK)]!++;
    }
  }
  const shares = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (counts[row * columns + column]! < LEAST) continue;
      for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
        shares.fill(1, y * columns + Math.max(0, column - 1), y * columns + Math.min(columns, column + 2));
      }
    }
  }
  return { columns, rows, shares };
}

/** The changed share at a place, luma px; bilinear between the middles of blocks, 0 outside. */
export function changedAt({ columns, rows, shares }: Changes, x: number, y: number): number {
  const [bx, by] = [x / BLOCK - 0.5, y / BLOCK - 0.5];
  const [column, row] = [Math.floor(bx), Math.floor(by)];
  const [fx, fy] = [bx - column, by - row];
  const at = (c: number, r: number): number =>
    c < 0 || r < 0 || c >= columns || r >= rows ? 0 : shares[r * columns + c]!;
  return (
    (at(column, row) * (1 - fx) + at(column + 1, row) * fx) * (1 - fy) +
    (at(column, row + 1) * (1 - fx) + at(column + 1, row + 1) * fx) * fy
  );
}

function difference(a: ArmPicture, b: ArmPicture, i: number, j: number): number {
  const half = j * a.u.stride + i;
  const luma = 2 * j * a.y.stride + 2 * i;
  return (
    Math.abs(a.y.bytes[luma]! - b.y.bytes[luma]!) +
    Math.abs(a.u.bytes[half]! - b.u.bytes[half]!) +
    Math.abs(a.v.bytes[half]! - b.v.bytes[half]!) +
    Math.abs(a.aHalf.bytes[half]! - b.aHalf.bytes[half]!)
  );
}
