import { allocateYuv, type Rect, wholeOf, type YuvFrame } from '@figurehead/presenter/frame';

/**
 * VP8 streams carry no colour tags and are shown as BT.601 (RFC 6386 section 9.2), while the engine's planes are BT.709:
 * without conversion, an orange is about 5 % off. One matrix (BT.709-6 to RGB to BT.601-7, limited range), in 16-bit fixed point.
 */
const Y_FROM_U = 6657;
const Y_FROM_V = 12_850;
const U_FROM_U = 64_871;
const U_FROM_V = -7252;
const V_FROM_U = -4748;
const V_FROM_V = 64_448;
const HALF = 1 << 15;

/** Converts pictures of one size into its own planes. */
export class Bt601Converter {
  private readonly out: YuvFrame;

  constructor(width: number, height: number) {
    this.out = allocateYuv(width, height);
  }

  /** The picture with BT.601 planes, valid until the next call. Converts only the even-aligned `part`; the rest keeps its last value. */
  convert(frame: YuvFrame, part: Rect = wholeOf(frame)): YuvFrame {
    const { out } = this;
    const { y, u, v, yStride, uvStride } = frame;
    const [bottom, right] = [(part.y + part.height) / 2, (part.x + part.width) / 2];
    for (let row = part.y / 2; row < bottom; row++) {
      for (let column = part.x / 2; column < right; column++) {
        const from = row * uvStride + column;
        const blue = u[from]! - 128;
        const red = v[from]! - 128;
        const to = row * out.uvStride + column;
        out.u[to] = 128 + ((U_FROM_U * blue + U_FROM_V * red + HALF) >> 16);
        out.v[to] = 128 + ((V_FROM_U * blue + V_FROM_V * red + HALF) >> 16);
        const lift = (Y_FROM_U * blue + Y_FROM_V * red + HALF) >> 16;
        const top = 2 * row * yStride + 2 * column;
        const target = 2 * row * out.yStride + 2 * column;
        out.y[target] = limited(y[top]! + lift);
        out.y[target + 1] = limited(y[top + 1]! + lift);
        out.y[target + out.yStride] = limited(y[top + yStride]! + lift);
        out.y[target + out.yStride + 1] = limited(y[top + yStride + 1]! + lift);
      }
    }
    return out;
  }
}

function limited(luma: number): number {
  return Math.max(16, Math.min(235, luma));
}
