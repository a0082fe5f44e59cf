import type { Rect, YuvFrame } from '../../frame.js';

/** The part of `rect` inside a frame, extended to even corners. Empty when they do not overlap. */
export function clipEven(rect: Rect, frame: { readonly width: number; readonly height: number }): Rect {
  const x = Math.max(0, Math.floor(rect.x / 2) * 2);
  const y = Math.max(0, Math.floor(rect.y / 2) * 2);
  const right = Math.min(frame.width, Math.ceil((rect.x + rect.width) / 2) * 2);
  const bottom = Math.min(frame.height, Math.ceil((rect.y + rect.height) / 2) * 2);
  return { x, y, width: Math.max(0, right - x), height: Math.max(0, bottom - y) };
}

/**
 * Copies an opaque picture into `target`, its top left corner at the even point nearest to (x, y); returns the touched
 * rectangle.
 */
export function pasteFrame(source: YuvFrame, target: YuvFrame, x: number, y: number): Rect {
  const left = Math.round(x / 2) * 2;
  const top = Math.round(y / 2) * 2;
  const rect = clipEven({ x: left, y: top, width: source.width, height: source.height }, target);
  if (rect.width === 0 || rect.height === 0) return rect;
  const paste = (
    from: { data: Uint8Array; stride: number },
    to: { data: Uint8Array; stride: number },
    step: 1 | 2,
  ): void => {
    const column = (rect.x - left) / step;
    for (let row = 0; row < rect.height / step; row++) {
      const at = ((rect.y - top) / step + row) * from.stride + column;
      const line = from.data.subarray(at, at + rect.width / step);
      to.data.set(line, (rect.y / step + row) * to.stride + rect.x / step);
    }
  };
  paste({ data: source.y, stride: source.yStride }, { data: target.y, stride: target.yStride }, 1);
  paste({ data: source.u, stride: source.uvStride }, { data: target.u, stride: target.uvStride }, 2);
  paste({ data: source.v, stride: source.uvStride }, { data: target.v, stride: target.uvStride }, 2);
  return rect;
}
