import { clamp } from '../face/easing.js';

/** A plane of bytes: rows of `stride`. */
export interface BytePlane {
  readonly bytes: Uint8Array;
  readonly stride: number;
  readonly width: number;
  readonly height: number;
}

/** Motion from one key to the next on a grid over their box, `(dx, dy)` interleaved, plate px at the places half way. */
export interface MotionField {
  readonly columns: number;
  readonly rows: number;
  /** Plate px between nodes. */
  readonly cell: number;
  readonly motion: Float32Array;
}

/** Position of a plane in its field: sample (i, j) is at plate px `(i * step + x, j * step + y)` of the field's box. */
export interface PlanePlace {
  readonly x: number;
  readonly y: number;
  /** Plate px per sample. */
  readonly step: number;
}

/** How a key is moved. */
export interface Move {
  readonly field: MotionField;
  readonly place: PlanePlace;
  /** Share of the field: negative towards the key before. */
  readonly share: number;
  /** The side beyond which nothing is seen; beyond the other sides the body goes on. */
  readonly outer: 'left' | 'right';
}

/**
 * Writes a key's premultiplied picture, moved along the field to where the arm is. A mix with the next key would show transparent parts where the
 * field is wrong, as behind an arm.
 */
export function morph(from: BytePlane, to: BytePlane, { field, place, share, outer }: Move): void {
  const { columns, rows, cell, motion } = field;
  const perCell = place.step / cell;
  const moved = share / place.step;
  for (let j = 0; j < to.height; j++) {
    const gy = Math.min(Math.max(j * perCell + place.y / cell, 0), rows - 1.001);
    const row = Math.floor(gy);
    const fy = gy - row;
    for (let i = 0; i < to.width; i++) {
      const gx = Math.min(Math.max(i * perCell + place.x / cell, 0), columns - 1.001);
      const column = Math.floor(gx);
      const fx = gx - column;
      const at = (row * columns + column) * 2;
      const below = at + columns * 2;
      const top = (1 - fx) * (1 - fy);
      const topRight = fx * (1 - fy);
      const bottom = (1 - fx) * fy;
      const bottomRight = fx * fy;
      const dx =
        motion[at]! * top + motion[at + 2]! * topRight + motion[below]! * bottom + motion[below + 2]! * bottomRight;
      const dy =
        motion[at + 1]! * top +
        motion[at + 3]! * topRight +
        motion[below + 1]! * bottom +
        motion[below + 3]! * bottomRight;
      const x = i - moved * dx;
      const inside = clamp(outer === 'left' ? 1 + x : from.width - x, 0, 1);
      to.bytes[j * to.stride + i] = sample(from, x, j - moved * dy) * inside + 0.5;
    }
  }
}

/** Bilinear, clamped to the plane. */
function sample({ bytes, stride, width, height }: BytePlane, x: number, y: number): number {
  const px = Math.min(Math.max(x, 0), width - 1.001);
  const py = Math.min(Math.max(y, 0), height - 1.001);
  const [column, row] = [Math.floor(px), Math.floor(py)];
  const [fx, fy] = [px - column, py - row];
  const at = row * stride + column;
  const upper = bytes[at]! + (bytes[at + 1]! - bytes[at]!) * fx;
  const lower = bytes[at + stride]! + (bytes[at + stride + 1]! - bytes[at + stride]!) * fx;
  return upper + (lower - upper) * fy;
}
