import { clamp } from '../face/easing.js';
import { type Changes, changedAt } from './arm-changes.js';
import { type BytePlane, type MotionField, motionAt, type PlanePlace } from './motion-field.js';

/** How a key is moved. */
export interface Move {
  readonly field: MotionField;
  readonly place: PlanePlace;
  /** Share of the field: negative towards the key before. */
  readonly share: number;
  /** Opacity of the far key, of the plane's size. */
  readonly farAlpha: BytePlane;
  /** Where the keys differ, and luma px per sample of the plane. */
  readonly changes: Changes;
  readonly shrink: number;
  /** The side beyond which nothing is seen; beyond the other sides the body goes on. */
  readonly outer: 'left' | 'right';
}

/**
 * Writes a plane of the picture between two keys: the near one, moved along the field to where the arm is, and unmoved what is the same in both. A mix
 * of both would show transparent parts where the field is wrong, as behind an arm. What comes from below the picture is seen in the far key.
 */
export function morph(near: BytePlane, far: BytePlane, to: BytePlane, move: Move): void {
  const { field, place, share, outer, farAlpha, changes, shrink } = move;
  const fromNear = share / place.step;
  const fromFar = (share - Math.sign(share)) / place.step;
  // A hand moves up from below the picture; the hips, which are wider than what is above them, do not.
  const below = (i: number, j: number, dx: number, dy: number): number =>
    sample(farAlpha, i - dx, j - dy) < sample(farAlpha, i, j) ? sample(far, i, j) : sample(far, i - dx, j - dy);
  for (let j = 0; j < to.height; j++) {
    for (let i = 0; i < to.width; i++) {
      const [dx, dy] = motionAt(
        field,
        (i * place.step + place.x) / field.cell,
        (j * place.step + place.y) / field.cell,
      );
      const [x, y] = [i - fromNear * dx, j - fromNear * dy];
      const changed = Math.max(
        changedAt(changes, i * shrink, j * shrink),
        changedAt(changes, x * shrink, y * shrink),
        changedAt(changes, (i - fromFar * dx) * shrink, (j - fromFar * dy) * shrink),
      );
      const still = near.bytes[j * near.stride + i]!;
      let seen = still;
      if (changed > 0) {
        const inside = clamp(outer === 'left' ? 1 + x : near.width - x, 0, 1);
        const moved = y > near.height - 1 ? below(i, j, fromFar * dx, fromFar * dy) : sample(near, x, y);
        seen += (moved * inside - still) * changed;
      }
      to.bytes[j * to.stride + i] = seen + 0.5;
    }
  }
}

/** Writes a mix of two planes, premultiplied; `farShare` 0 to 1. */
export function mix(near: BytePlane, far: BytePlane, to: BytePlane, farShare: number): void {
  for (let j = 0; j < to.height; j++) {
    for (let i = j * to.stride; i < j * to.stride + to.width; i++) {
      to.bytes[i] = near.bytes[i]! + (far.bytes[i]! - near.bytes[i]!) * farShare + 0.5;
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
