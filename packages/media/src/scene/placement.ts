import type { AvatarObject } from '@figurehead/contract/document';
import { presenterBox } from '@figurehead/contract/document/objects/presenter-place';
import type { PresenterPlacement } from '@figurehead/presenter';
import { even } from '@figurehead/presenter/even';
import type { Rect } from '@figurehead/presenter/frame';
import { boundsOf, type Matrix, multiply, placeObject, type Size } from '@figurehead/presenter/geometry';

/** Default place of a presenter. */
export function defaultPlacement(frame: Size, hasObjects: boolean): PresenterPlacement {
  // The whole plate, because the straight lower cut of a bust needs a frame around it.
  return { ...evenBox(presenterBox(frame, hasObjects)), crop: 'full' };
}

/** The upright box of an `avatar` object in px; layer-shape.ts turns it about its middle afterwards. */
export function placeAvatar(object: AvatarObject, view: Matrix): PresenterPlacement {
  const { crop } = object;
  return { ...evenBox(boxOf(object, object, view)), crop, ...(crop !== 'circle' && { fills: true }) };
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
  return { x: even(box.x), y: even(box.y), width: Math.max(2, even(box.width)), height: Math.max(2, even(box.height)) };
}
