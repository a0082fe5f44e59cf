import { allocateYuv, copyYuv, type Rect, type YuvaFrame, type YuvFrame } from '@figurehead/presenter/frame';

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

/**
 * Draws something over black and over white and computes its colour and transparency from the difference (difference
 * matting: the background shows through by 1 − alpha in both). The picture has the size of `rect`, which is not empty.
 * @param draw draws it into `frame`; called twice.
 */
export function drawMatte(frame: YuvFrame, rect: Rect, draw: () => void): YuvaFrame {
  const over = (luma: typeof BLACK | typeof WHITE): YuvFrame => {
    paintGrey(frame, rect, luma);
    draw();
    return cropFrame(frame, rect);
  };
  return extractMatte(over(BLACK), over(WHITE));
}

/** The pixels of `rect`, which is even-aligned and not empty, without padding. */
export function cropFrame(frame: YuvFrame, rect: Rect): YuvFrame {
  const out = allocateYuv(rect.width, rect.height, (bytes) => new ArrayBuffer(bytes));
  copyYuv(frame, rect, out, { x: 0, y: 0 });
  return out;
}

/** The result of {@link drawMatte} for pictures of the same size, from {@link cropFrame}. */
export function extractMatte(overBlack: YuvFrame, overWhite: YuvFrame): YuvaFrame {
  const { width, height } = overBlack;
  const colour = allocateYuv(width, height);
  const a = new Uint8Array(width * height);
  for (let at = 0; at < a.length; at++) {
    const black = overBlack.y[at]!;
    const white = overWhite.y[at]!;
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
  for (let row = 0; row < height / 2; row++) {
    for (let column = 0; column < width / 2; column++) {
      const luma = 2 * row * width + 2 * column;
      const alpha = (a[luma]! + a[luma + 1]! + a[luma + width]! + a[luma + width + 1]!) / 1020;
      const at = (row * width) / 2 + column;
      colour.u[at] = alpha > 0 ? clamp(NEUTRAL + (overBlack.u[at]! - NEUTRAL) / alpha) : NEUTRAL;
      colour.v[at] = alpha > 0 ? clamp(NEUTRAL + (overBlack.v[at]! - NEUTRAL) / alpha) : NEUTRAL;
    }
  }
  return { ...colour, a };
}

function clamp(value: number): number {
  return Math.min(255, Math.max(0, Math.round(value)));
}
