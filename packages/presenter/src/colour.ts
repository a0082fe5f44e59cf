import { allocate, allocateYuv, type RgbaImage, type YuvaFrame, type YuvFrame } from './frame.js';

/**
 * Conversion of sRGB pixels to the engine's planes: BT.709 matrix, limited range (ITU-R BT.709-6, items 3.2–3.4 and 4),
 * in 16-bit fixed point. Chroma is the mean of a 2×2 square.
 */
const Y_RED = 11966;
const Y_GREEN = 40254;
const Y_BLUE = 4064;
const U_RED = -6596;
const U_GREEN = -22189;
const U_BLUE = 28785;
const V_RED = 28785;
const V_GREEN = -26145;
const V_BLUE = -2640;
const LUMA_ZERO = (16 << 16) + 32768;
/** For a sum of four pixels: two bits more. */
const CHROMA_ZERO = (128 << 18) + (1 << 17);
const CHROMA_CENTRE = 128;

interface Interleaved {
  readonly data: Uint8Array | Uint8ClampedArray;
  /** Bytes per pixel; the first three are red, green and blue. */
  readonly channels: 3 | 4;
  readonly width: number;
  readonly height: number;
}

/**
 * Opaque sRGB pixels to planes; a fourth channel is ignored.
 * @throws RangeError if a side is odd or the buffer's length does not match the size.
 */
export function rgbToYuv(picture: Interleaved): YuvFrame {
  checkLength(picture);
  const { data, channels, width, height } = picture;
  const frame = allocateYuv(width, height);
  const { y: luma, u, v } = frame;
  const row = width * channels;
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let k = 0; k < 4; k++) {
        const at = (y + (k >> 1)) * row + (x + (k & 1)) * channels;
        const r = data[at]!;
        const g = data[at + 1]!;
        const b = data[at + 2]!;
        luma[(y + (k >> 1)) * width + x + (k & 1)] = (Y_RED * r + Y_GREEN * g + Y_BLUE * b + LUMA_ZERO) >> 16;
        red += r;
        green += g;
        blue += b;
      }
      const at = (y >> 1) * frame.uvStride + (x >> 1);
      u[at] = (U_RED * red + U_GREEN * green + U_BLUE * blue + CHROMA_ZERO) >> 18;
      v[at] = (V_RED * red + V_GREEN * green + V_BLUE * blue + CHROMA_ZERO) >> 18;
    }
  }
  return frame;
}

/**
 * The picture as an opaque frame: alpha is ignored.
 * @throws RangeError if a side is odd or the buffer's length does not match the size.
 */
export function rgbaToYuv(image: RgbaImage): YuvFrame {
  return rgbToYuv({ ...image, channels: 4 });
}

/**
 * The picture with its transparency, colour not premultiplied. An odd side is made even with a transparent row or column.
 * Chroma is weighted by alpha, so that invisible pixels do not tint an edge.
 * @throws RangeError if the buffer's length does not match the size.
 */
export function rgbaToYuva(image: RgbaImage): YuvaFrame {
  checkLength({ ...image, channels: 4 });
  const width = image.width + (image.width & 1);
  const height = image.height + (image.height & 1);
  const frame = allocateYuv(width, height);
  const a = new Uint8Array(allocate(width * height));
  const { data } = image;
  const row = image.width * 4;
  frame.y.fill(16);
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      let red = 0;
      let green = 0;
      let blue = 0;
      let cover = 0;
      for (let k = 0; k < 4; k++) {
        const px = x + (k & 1);
        const py = y + (k >> 1);
        const to = py * width + px;
        const isInside = px < image.width && py < image.height;
        const at = py * row + px * 4;
        const alpha = isInside ? data[at + 3]! : 0;
        if (alpha === 0) continue;
        a[to] = alpha;
        const r = data[at]!;
        const g = data[at + 1]!;
        const b = data[at + 2]!;
        frame.y[to] = (Y_RED * r + Y_GREEN * g + Y_BLUE * b + LUMA_ZERO) >> 16;
        red += r * alpha;
        green += g * alpha;
        blue += b * alpha;
        cover += alpha;
      }
      const to = (y >> 1) * frame.uvStride + (x >> 1);
      if (cover === 0) {
        frame.u[to] = CHROMA_CENTRE;
        frame.v[to] = CHROMA_CENTRE;
        continue;
      }
      const share = 1 / (cover * 65536);
      frame.u[to] = (U_RED * red + U_GREEN * green + U_BLUE * blue) * share + (CHROMA_CENTRE + 0.5);
      frame.v[to] = (V_RED * red + V_GREEN * green + V_BLUE * blue) * share + (CHROMA_CENTRE + 0.5);
    }
  }
  return { ...frame, a };
}

function checkLength({ data, channels, width, height }: Interleaved): void {
  if (data.length !== width * height * channels) {
    throw new RangeError(`${width}×${height} pixels need ${width * height * channels} bytes, got ${data.length}`);
  }
}
