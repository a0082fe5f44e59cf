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

/** Steps in which the place half way is found from where the arm is. */
const STEPS = 3;

/**
 * The field by the places where the arm is after a share of its way, instead of half way: a hand's own motion, not that of what it passes.
 * @param beyond the share beyond half the way
 */
export function fieldAt(field: MotionField, beyond: number): MotionField {
  const motion = new Float32Array(field.motion.length);
  for (let at = 0; at < motion.length; at += 2) {
    const [column, row] = [(at / 2) % field.columns, Math.floor(at / 2 / field.columns)];
    let [dx, dy] = [0, 0];
    for (let step = 0; step < STEPS; step++) {
      [dx, dy] = motionAt(field, column - (beyond * dx) / field.cell, row - (beyond * dy) / field.cell);
    }
    motion[at] = dx;
    motion[at + 1] = dy;
  }
  return { ...field, motion };
}

/** Bilinear between nodes, clamped to the field. */
export function motionAt({ columns, rows, motion }: MotionField, gx: number, gy: number): [number, number] {
  const x = clamp(gx, 0, columns - 1.001);
  const y = clamp(gy, 0, rows - 1.001);
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const [fx, fy] = [x - column, y - row];
  const at = (row * columns + column) * 2;
  const below = at + columns * 2;
  const mix = (axis: number): number =>
    (motion[at + axis]! * (1 - fx) + motion[at + 2 + axis]! * fx) * (1 - fy) +
    (motion[below + axis]! * (1 - fx) + motion[below + 2 + axis]! * fx) * fy;
  return [mix(0), mix(1)];
}
