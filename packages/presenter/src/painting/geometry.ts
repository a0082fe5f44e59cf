import type { Placed } from '@figurehead/contract/document';
import type { Rect } from '../frame.js';
import { evenDown, evenUp } from './even.js';

/** An affine map in the order of canvas: x' = a·x + c·y + e, y' = b·x + d·y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** A size; the owner defines the unit. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Applies `second`, then `first`. */
export function multiply(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first;
  const [g, h, i, j, k, l] = second;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/** The inverse map. Of a flat one (determinant 0) it is the identity, because nothing of the object is visible. */
export function invert([a, b, c, d, e, f]: Matrix): Matrix {
  const determinant = a * d - b * c;
  if (Math.abs(determinant) < 1e-12) return [1, 0, 0, 1, 0, 0];
  const scaled = [d, -b, -c, a].map((value) => value / determinant);
  const [p = 1, q = 0, r = 0, s = 1] = scaled;
  return [p, q, r, s, -(p * e + r * f), -(q * e + s * f)];
}

/** Mean enlargement of lengths. */
export function scaleOf(matrix: Matrix): number {
  const [a, b, c, d] = matrix;
  return (Math.hypot(a, b) + Math.hypot(c, d)) / 2;
}

/**
 * Map from an object's own space (origin at its centre, y down) to its parent's, composed like Fabric's origin, angle,
 * mirror, scale and skew. A visible stroke widens the box that `left`, `top` refer to.
 */
export function placeObject(object: Placed, size: Size): Matrix {
  const radians = (object.angle * Math.PI) / 180;
  const rotation: Matrix = [Math.cos(radians), Math.sin(radians), -Math.sin(radians), Math.cos(radians), 0, 0];
  const shape = multiply(
    [object.flipX ? -object.scaleX : object.scaleX, 0, 0, object.flipY ? -object.scaleY : object.scaleY, 0, 0],
    multiply(
      [1, 0, Math.tan((object.skewX * Math.PI) / 180), 1, 0, 0],
      [1, Math.tan((object.skewY * Math.PI) / 180), 0, 1, 0, 0],
    ),
  );
  const box = {
    width: (size.width + object.strokeWidth) * object.scaleX,
    height: (size.height + object.strokeWidth) * object.scaleY,
  };
  const [dx, dy] = [(0.5 - object.originX) * box.width, (0.5 - object.originY) * box.height];
  const [cos, sin] = [rotation[0], rotation[1]];
  const centre: Matrix = [1, 0, 0, 1, object.left + dx * cos - dy * sin, object.top + dx * sin + dy * cos];
  return multiply(centre, multiply(rotation, shape));
}

/** Smallest upright rectangle around `box` (in the object's own space) after `matrix`. */
export function boundsOf(matrix: Matrix, box: Rect): Rect {
  const [a, b, c, d, e, f] = matrix;
  const xs: number[] = [];
  const ys: number[] = [];
  for (const x of [box.x, box.x + box.width]) {
    for (const y of [box.y, box.y + box.height]) {
      xs.push(a * x + c * y + e);
      ys.push(b * x + d * y + f);
    }
  }
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** Smallest rectangle around both; empty ones are ignored. */
export function unite(first: Rect, second: Rect): Rect {
  if (first.width <= 0 || first.height <= 0) return second;
  if (second.width <= 0 || second.height <= 0) return first;
  const [x, y] = [Math.min(first.x, second.x), Math.min(first.y, second.y)];
  return {
    x,
    y,
    width: Math.max(first.x + first.width, second.x + second.width) - x,
    height: Math.max(first.y + first.height, second.y + second.height) - y,
  };
}

/** True when the rectangles share a pixel. */
export function overlaps(first: Rect, second: Rect): boolean {
  return (
    first.x < second.x + second.width &&
    second.x < first.x + first.width &&
    first.y < second.y + second.height &&
    second.y < first.y + first.height
  );
}

/** `rect` grown by `margin` on every side. */
export function grow(rect: Rect, margin: number): Rect {
  return { x: rect.x - margin, y: rect.y - margin, width: rect.width + 2 * margin, height: rect.height + 2 * margin };
}

/** An empty rectangle. */
export const NOWHERE: Rect = { x: 0, y: 0, width: 0, height: 0 };

/** The part of `rect` inside the frame, extended to even pixels so that chroma samples stay whole; null when empty. */
export function clipToFrame(rect: Rect, frame: Size): Rect | null {
  const x = Math.max(0, evenDown(rect.x));
  const y = Math.max(0, evenDown(rect.y));
  const right = Math.min(frame.width, evenUp(rect.x + rect.width));
  const bottom = Math.min(frame.height, evenUp(rect.y + rect.height));
  return right > x && bottom > y ? { x, y, width: right - x, height: bottom - y } : null;
}
