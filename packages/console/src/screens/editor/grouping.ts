import type { CanvasObject } from '@figurehead/sdk/document';
import { shareOf } from '../../shell/slide-painting.js';
import { around } from './arrange.js';
import type { CanvasBox } from './canvas/guides.js';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Converts a point from an object's coordinates, relative to its origin, to canvas coordinates. */
function placedPoint(object: CanvasObject, { x, y }: Point): Point {
  const turn = ((object.angle ?? 0) * Math.PI) / 180;
  const [dx, dy] = [x * (object.scaleX ?? 1), y * (object.scaleY ?? 1)];
  return {
    x: (object.left ?? 0) + dx * Math.cos(turn) - dy * Math.sin(turn),
    y: (object.top ?? 0) + dx * Math.sin(turn) + dy * Math.cos(turn),
  };
}

/** The axis-aligned bounding box of an object, canvas units. */
export function boxAround(object: CanvasObject): CanvasBox {
  const { width = 0, height = 0 } = object;
  const [ox, oy] = [shareOf(object.originX) * width, shareOf(object.originY) * height];
  const corners = [0, width].flatMap((x) => [0, height].map((y) => placedPoint(object, { x: x - ox, y: y - oy })));
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** True for objects that can be grouped; presenters and clips cannot. */
export function canBeGrouped({ type }: CanvasObject): boolean {
  return type !== 'avatar' && type !== 'video';
}

/** Groups objects without changing their look. Their own entrances are removed, because a group animates as a whole. */
export function grouped(objects: readonly CanvasObject[]): CanvasObject {
  const { x: left, y: top, width, height } = around(objects.map(boxAround));
  const parts = objects.map(({ animation: _animation, ...object }) => ({
    ...object,
    left: (object.left ?? 0) - left - width / 2,
    top: (object.top ?? 0) - top - height / 2,
  }));
  return { type: 'group', left, top, width, height, originX: 'left', originY: 'top', objects: parts };
}

/** The objects of a group as objects of the canvas, in the same positions. */
export function ungrouped(group: CanvasObject): CanvasObject[] {
  const { width = 0, height = 0, scaleX = 1, scaleY = 1, angle = 0, opacity = 1 } = group;
  const parts = Array.isArray(group.objects) ? (group.objects as CanvasObject[]) : [];
  const [ox, oy] = [(0.5 - shareOf(group.originX)) * width, (0.5 - shareOf(group.originY)) * height];
  return parts.map((part) => {
    const at = placedPoint(group, { x: ox + (part.left ?? 0), y: oy + (part.top ?? 0) });
    return {
      ...part,
      left: at.x,
      top: at.y,
      scaleX: (part.scaleX ?? 1) * scaleX,
      scaleY: (part.scaleY ?? 1) * scaleY,
      angle: (part.angle ?? 0) + angle,
      opacity: (part.opacity ?? 1) * opacity,
    };
  });
}
