import type { RgbaImage, YuvFrame } from '@figurehead/presenter/frame';

/** Side of the blocks in which gradients are detected, px: the size of the encoders' largest usual transform. */
const BLOCK = 8;
/** Side of the parts of a block that have one mean, px. */
const PART = 4;
/** Greatest difference of a channel within a block of a gradient. A steeper one changes in steps too narrow to be seen as bands. */
const GENTLE = 2;
/** Luma of BT.709 for the sum of a part, in 16-bit fixed point (see `colour.ts`). */
const [RED, GREEN, BLUE] = [11966, 40254, 4064];
const LUMA_ZERO = 16 << 20;
/**
 * Thresholds of two by two pixels, quarters of a luma step in the same unit. A larger pattern has more levels, but
 * an encoder quantises its many small coefficients to zero. From a pattern of 2 × 2 it keeps the checkerboard, which halves the visible steps.
 */
const THRESHOLDS = [1 / 8, 5 / 8, 7 / 8, 3 / 8].map((share) => Math.round(share * 2 ** 20));

/**
 * Replaces the luma of gentle, opaque gradients in `frame`, which was converted from `image`: dark ones have so few levels of luma that each is
 * seen as a band. The pattern does not move, so that later frames do not repeat it. Plain areas and detail stay as they are.
 */
export function ditherGradients(image: RgbaImage, frame: YuvFrame): void {
  const { data, width, height } = image;
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
  for (let top = 0; top + BLOCK <= height; top += BLOCK) {
    for (let left = 0; left + BLOCK <= width; left += BLOCK) {
      const at = top * width + left;
      if (isGentle(pixels, at, width)) ditherBlock(data, at, width, frame, top * frame.yStride + left);
    }
  }
}

/** Whether the block at `at` has more than one colour, all opaque and nearly the same. */
function isGentle(pixels: Uint32Array, at: number, width: number): boolean {
  const first = pixels[at]!;
  if (first >>> 24 !== 255) return false;
  const [r, g, b] = [first & 255, (first >>> 8) & 255, (first >>> 16) & 255];
  let isPlain = true;
  for (let row = 0; row < BLOCK; row++) {
    for (let k = at + row * width; k < at + row * width + BLOCK; k++) {
      const pixel = pixels[k]!;
      if (pixel === first) continue;
      isPlain = false;
      const red = Math.abs((pixel & 255) - r);
      const green = Math.abs(((pixel >>> 8) & 255) - g);
      const blue = Math.abs(((pixel >>> 16) & 255) - b);
      if (red > GENTLE || green > GENTLE || blue > GENTLE || pixel >>> 24 !== 255) return false;
    }
  }
  return !isPlain;
}

/** Gives each part of a block its mean luma, dithered. */
function ditherBlock(data: RgbaImage['data'], at: number, width: number, frame: YuvFrame, to: number): void {
  for (let part = 0; part < (BLOCK / PART) ** 2; part++) {
    const x = (part & 1) * PART;
    const y = (part >> 1) * PART;
    let luma = LUMA_ZERO;
    for (let row = y; row < y + PART; row++) {
      for (let k = (at + row * width + x) * 4; k < (at + row * width + x + PART) * 4; k += 4) {
        luma += RED * data[k]! + GREEN * data[k + 1]! + BLUE * data[k + 2]!;
      }
    }
    for (let row = y; row < y + PART; row++) {
      for (let column = x; column < x + PART; column++) {
        frame.y[to + row * frame.yStride + column] = (luma + THRESHOLDS[((row & 1) << 1) | (column & 1)]!) / 2 ** 20;
      }
    }
  }
}
