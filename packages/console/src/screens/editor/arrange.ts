import type { CanvasSize } from '@figurehead/sdk/document';
import type { CanvasBox } from './canvas/guides.js';

/** How objects are arranged: aligned at an edge or a middle, or with even gaps from left to right (`across`) or from top to bottom (`down`). */
export type Arrangement = 'left' | 'center' | 'right' | 'top' | 'middle' | 'bottom' | 'across' | 'down';

/** Distances to move, canvas units. */
export interface Offset {
  readonly dx: number;
  readonly dy: number;
}

const EDGES = {
  left: { axis: 'x', share: 0 },
  center: { axis: 'x', share: 0.5 },
  right: { axis: 'x', share: 1 },
  top: { axis: 'y', share: 0 },
  middle: { axis: 'y', share: 0.5 },
  bottom: { axis: 'y', share: 1 },
} as const;

const SIDE = { x: 'width', y: 'height' } as const;

/** How far each box moves. Several are aligned with the box around them, one with the canvas; fewer than three are not spaced. */
export function arranged(
  boxes: ReadonlyMap<number, CanvasBox>,
  how: Arrangement,
  canvas: CanvasSize,
): ReadonlyMap<number, Offset> {
  if (how === 'across' || how === 'down') return spaced(boxes, how === 'across' ? 'x' : 'y');
  const { axis, share } = EDGES[how];
  const frame = boxes.size > 1 ? around([...boxes.values()]) : { x: 0, y: 0, ...canvas };
  const lineOf = (box: CanvasBox) => box[axis] + box[SIDE[axis]] * share;
  return new Map([...boxes].map(([index, box]) => [index, along(axis, lineOf(frame) - lineOf(box))]));
}

/** The first and the last box stay where they are. */
function spaced(boxes: ReadonlyMap<number, CanvasBox>, axis: 'x' | 'y'): ReadonlyMap<number, Offset> {
  if (boxes.size < 3) return new Map();
  const side = SIDE[axis];
  const sorted = [...boxes].sort(([, a], [, b]) => a[axis] + a[side] / 2 - b[axis] - b[side] / 2);
  const frame = around([...boxes.values()]);
  const filled = sorted.reduce((sum, [, box]) => sum + box[side], 0);
  const gap = (frame[side] - filled) / (boxes.size - 1);
  let at = frame[axis];
  return new Map(
    sorted.map(([index, box]) => {
      const offset = along(axis, at - box[axis]);
      at += box[side] + gap;
      return [index, offset];
    }),
  );
}

function along(axis: 'x' | 'y', by: number): Offset {
  return axis === 'x' ? { dx: by, dy: 0 } : { dx: 0, dy: by };
}

/** The box around boxes; at least one. */
export function around(boxes: readonly CanvasBox[]): CanvasBox {
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** Whether two boxes share an area. */
export function meet(a: CanvasBox, b: CanvasBox): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
