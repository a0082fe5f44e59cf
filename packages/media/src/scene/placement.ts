import type { AspectFormat, AvatarObject } from '@figurehead/contract/document';
import type { Rect } from '../frame.js';
import type { PresenterPlacement } from '../presenter/contract.js';
import { boundsOf, type Matrix, multiply, placeObject, type Size } from './geometry.js';

/** Place of the presenter on a slide without an `avatar` object, as shares of the frame. */
const DEFAULT_PLACES: Readonly<Record<AspectFormat, { readonly beside: Rect; readonly alone: Rect }>> = {
  '16_9': {
    beside: { x: 0.47, y: 0.2, width: 0.53, height: 0.8 },
    alone: { x: 0.1, y: 0.06, width: 0.8, height: 0.94 },
  },
  // Wider than the frame, which cuts the plate's empty sides off: a person as wide as the frame.
  '9_16': {
    beside: { x: -0.225, y: 0.5, width: 1.45, height: 0.5 },
    alone: { x: -0.225, y: 0.3, width: 1.45, height: 0.7 },
  },
  '1_1': { beside: { x: 0.3, y: 0.42, width: 0.7, height: 0.58 }, alone: { x: 0, y: 0.14, width: 1, height: 0.86 } },
};

/** Default place of a presenter: on the right, below or next to other objects; in the middle of an empty slide. */
export function defaultPlacement(format: AspectFormat, frame: Size, hasObjects: boolean): PresenterPlacement {
  const { beside, alone } = DEFAULT_PLACES[format];
  const share = hasObjects ? beside : alone;
  const box = {
    x: share.x * frame.width,
    y: share.y * frame.height,
    width: share.width * frame.width,
    height: share.height * frame.height,
  };
  // The whole plate, because the straight lower cut of a bust needs a frame around it.
  return { ...evenBox(box), crop: 'full' };
}

/** The upright box of an `avatar` object in px; layer-shape.ts turns it about its middle afterwards. */
export function placeAvatar(object: AvatarObject, view: Matrix): PresenterPlacement {
  return { ...evenBox(boxOf(object, object, view)), crop: object.crop };
}

/** Box in px of an object of `size` canvas units around its middle, before it is turned; skew is ignored. */
export function boxOf(object: Parameters<typeof placeObject>[0], size: Size, view: Matrix): Rect {
  const straight = { ...object, skewX: 0, skewY: 0 };
  const box = { x: -size.width / 2, y: -size.height / 2, width: size.width, height: size.height };
  const { width, height } = boundsOf(multiply(view, placeObject({ ...straight, angle: 0 }, size)), box);
  const [, , , , x, y] = multiply(view, placeObject(straight, size));
  return { x: x - width / 2, y: y - height / 2, width, height };
}

/** The box rounded to even px, at least 2×2. */
export function evenBox(box: Rect): Rect {
  const even = (value: number): number => Math.round(value / 2) * 2;
  return { x: even(box.x), y: even(box.y), width: Math.max(2, even(box.width)), height: Math.max(2, even(box.height)) };
}
