// Prepares textures when a presenter is placed: separable resampling, borders, and the summary of alpha.

/**
 * Filters columns: row y of `to` (i16, value times 128) is the sum of `taps` rows of `from` (u8) beginning at
 * `starts[y]`, times `weights[y*taps + t]` (i16, 32767 is 1).
 */
export function filterColumns(to: usize, toStride: i32, from: usize, fromStride: i32, width: i32, height: i32, starts: usize, weights: usize, taps: i32): void {
  for (let y = 0; y < height; y++) {
    const first = from + load<i32>(starts + (y << 2)) * fromStride;
    const row = weights + ((y * taps) << 1);
    for (let x = 0; x < width; x += 8) {
      let sum = i16x8.splat(0);
      let at = first + x;
      for (let t = 0; t < taps; t++) {
        const value = i16x8.shl(v128.load_ext<u8>(at), 7);
        sum = i16x8.add_sat_s(sum, i16x8.q15mulr_sat_s(value, i16x8.splat(load<i16>(row + (t << 1)))));
        at += fromStride;
      }
      v128.store(to + (x << 1), sum);
    }
    to += toStride << 1;
  }
}

/** Filters rows of i16 (value times 128) to bytes; `taps` is a multiple of eight, weights as above. */
export function filterRows(to: usize, toStride: i32, from: usize, fromStride: i32, width: i32, height: i32, starts: usize, weights: usize, taps: i32): void {
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const first = from + (load<i32>(starts + (x << 2)) << 1);
      const row = weights + ((x * taps) << 1);
      let sum = i32x4.splat(0);
      for (let t = 0; t < taps; t += 8) {
        sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load(first + (t << 1)), v128.load(row + (t << 1))));
      }
      const total = i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3);
      store<u8>(to + x, <u8>max(0, min(255, (total + (1 << 21)) >> 22)));
    }
    to += toStride;
    from += fromStride << 1;
  }
}

/** Repeats the outermost texels into a border around a plane. */
export function extendEdges(plane: usize, stride: i32, width: i32, height: i32, border: i32): void {
  for (let y = 0; y < height; y++) {
    const row = plane + y * stride;
    memory.fill(row - border, load<u8>(row), border);
    memory.fill(row + width, load<u8>(row + width - 1), border);
  }
  const length = width + 2 * border;
  const first = plane - border;
  const last = first + (height - 1) * stride;
  for (let y = 1; y <= border; y++) {
    memory.copy(first - y * stride, first, length);
    memory.copy(last + y * stride, last, length);
  }
}

/** Where `isWhole` is 255 takes `sharp` instead of `to`, in steps of 16 bytes. */
export function takeSharp(to: usize, sharp: usize, isWhole: usize, length: i32): void {
  for (let i = 0; i < length; i += 16) {
    const whole = i8x16.eq(v128.load(isWhole + i), i8x16.splat(-1));
    v128.store(to + i, v128.bitselect(v128.load(sharp + i), v128.load(to + i), whole));
  }
}

/** Least and greatest byte of each block of 8 x 8; `width` and `height` are multiples of 8. */
export function summarise(plane: usize, stride: i32, width: i32, height: i32, least: usize, greatest: usize): void {
  for (let y = 0; y < height; y += 8) {
    for (let x = 0; x < width; x += 8) {
      let low = i16x8.splat(255);
      let high = i16x8.splat(0);
      for (let row = 0; row < 8; row++) {
        const values = v128.load_ext<u8>(plane + (y + row) * stride + x);
        low = i16x8.min_s(low, values);
        high = i16x8.max_s(high, values);
      }
      let l = 255;
      let h = 0;
      for (let i = 0; i < 8; i++) {
        l = min(l, <i32>i16x8.extract_lane_s(low, 0));
        h = max(h, <i32>i16x8.extract_lane_s(high, 0));
        low = i8x16.shuffle(low, low, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1);
        high = i8x16.shuffle(high, high, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1);
      }
      store<u8>(least++, <u8>l);
      store<u8>(greatest++, <u8>h);
    }
  }
}
