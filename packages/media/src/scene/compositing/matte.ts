import { allocateYuv, type Rect, type YuvaFrame, type YuvFrame } from '../../frame.js';

/** Limited-range luma of black and white, and neutral chroma. */
export const BLACK = 16;
/** See {@link BLACK}. */
export const WHITE = 235;
const NEUTRAL = 128;

/** Paints `rect` of a frame one grey. */
export function paintGrey(frame: YuvFrame, rect: Rect, luma: typeof BLACK | typeof WHITE): void {
  for (let row = rect.y; row < rect.y + rect.height; row++) {
    frame.y.fill(luma, row * frame.yStride + rect.x, row * frame.yStride + rect.x + rect.width);
  }
  for (let row = rect.y / 2; row < (rect.y + rect.height) / 2; row++) {
    const at = row * frame.uvStride + rect.x / 2;
    frame.u.fill(NEUTRAL, at, at + rect.width / 2);
    frame.v.fill(NEUTRAL, at, at + rect.width / 2);
  }
}

/** The pixels of `rect`, without padding. */
export function cropFrame(frame: YuvFrame, rect: Rect): YuvFrame {
  const rows = (plane: Uint8Array, stride: number, step: 1 | 2): Uint8Array => {
    const width = rect.width / step;
    const out = new Uint8Array((width * rect.height) / step);
    for (let row = 0; row < rect.height / step; row++) {
      const at = (rect.y / step + row) * stride + rect.x / step;
      out.set(plane.subarray(at, at + width), row * width);
    }
    return out;
  };
  return {
    width: rect.width,
    height: rect.height,
    y: rows(frame.y, frame.yStride, 1),
    u: rows(frame.u, frame.uvStride, 2),
    v: rows(frame.v, frame.uvStride, 2),
    yStride: rect.width,
    uvStride: rect.width / 2,
  };
}

/**
 * Computes colour and transparency of something that was drawn once over black and once over white (difference matting:
 * the background shows through by 1 − alpha in both). `rect` is even-aligned; the result has its size.
 */
export function extractMatte(overBlack: YuvFrame, overWhite: YuvFrame, rect: Rect): YuvaFrame {
  const { width, height } = rect;
  const colour = allocateYuv(width, height);
  const a = new Uint8Array(width * height);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const black = overBlack.y[(rect.y + row) * overBlack.yStride + rect.x + column]!;
      const white = overWhite.y[(rect.y + row) * overWhite.yStride + rect.x + column]!;
      const at = row * width + column;
      // Nearly all pixels are fully opaque or fully transparent.
      if (white === black) {
        a[at] = 255;
        colour.y[at] = black;
        continue;
      }
      if (white - black >= WHITE - BLACK) {
        colour.y[at] = BLACK;
        continue;
      }
      const alpha = Math.max(0, 1 - (white - black) / (WHITE - BLACK));
      a[at] = Math.round(alpha * 255);
      colour.y[at] = alpha > 0 ? clamp((black - (1 - alpha) * BLACK) / alpha) : BLACK;
    }
  }
  for (let row = 0; row < height / 2; row++) {
    for (let column = 0; column < width / 2; column++) {
      const luma = 2 * row * width + 2 * column;
      const alpha = (a[luma]! + a[luma + 1]! + a[luma + width]! + a[luma + width + 1]!) / 1020;
      const from = (rect.y / 2 + row) * overBlack.uvStride + rect.x / 2 + column;
      const at = (row * width) / 2 + column;
      colour.u[at] = alpha > 0 ? clamp(NEUTRAL + (overBlack.u[from]! - NEUTRAL) / alpha) : NEUTRAL;
      colour.v[at] = alpha > 0 ? clamp(NEUTRAL + (overBlack.v[from]! - NEUTRAL) / alpha) : NEUTRAL;
    }
  }
  return { ...colour, a };
}

function clamp(value: number): number {
  return Math.min(255, Math.max(0, Math.round(value)));
}
