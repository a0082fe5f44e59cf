// The layers of the portrait networks that take their time. It owns no memory: every pointer is a byte address that the
// host has chosen, all values are f32, pictures are rows of px of channels. Windows leave their input only where they fill the last step.

/** First byte that the host may use. */
export function heapBase(): usize {
  return __heap_base;
}

/** `x` where it is positive, else `x` times the slope of its channel. */
@inline
function leak(sum: v128, slope: v128): v128 {
  const zero = f32x4.splat(0);
  return f32x4.add(f32x4.max(sum, zero), f32x4.mul(f32x4.min(sum, zero), slope));
}

/** Sums of two neighbouring px of four bytes, the second one with `share`, the first one with the rest. */
@inline
function mixed(at: usize, share: v128): v128 {
  const bytes = i16x8.extend_low_i8x16_u(v128.load64_zero(at));
  const first = f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(bytes));
  const last = f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_u(bytes));
  return f32x4.add(first, f32x4.mul(f32x4.sub(last, first), share));
}

/**
 * Reduces a square of a picture of RGBA px to `side` × `side` px of three channels: `value * scale + offset`, for the mean of `averaged` ×
 * `averaged` bilinear samples, none where the picture has no four px around it. Their grid starts at `x`, `y` and has the steps `acrossX`, `acrossY` and
 * `downX`, `downY`, px.
 */
export function cutSquare(
  output: usize,
  picture: usize,
  width: i32,
  height: i32,
  side: i32,
  averaged: i32,
  x: f64,
  y: f64,
  acrossX: f64,
  acrossY: f64,
  downX: f64,
  downY: f64,
  scale: f32,
  offset: f32,
): void {
  const line = width << 2;
  const factor = f32x4.splat(scale / <f32>(averaged * averaged));
  const start = f64x2.replace_lane(f64x2.splat(x), 1, y);
  const across = f64x2.replace_lane(f64x2.splat(acrossX), 1, acrossY);
  const down = f64x2.replace_lane(f64x2.splat(downX), 1, downY);
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++, output += 12) {
      let sum = f32x4.splat(0);
      for (let j = row * averaged; j < (row + 1) * averaged; j++) {
        const first = f64x2.add(start, f64x2.mul(f64x2.splat(<f64>j), down));
        for (let i = column * averaged; i < (column + 1) * averaged; i++) {
          const place = f64x2.add(first, f64x2.mul(f64x2.splat(<f64>i), across));
          const whole = f64x2.floor(place);
          const part = f32x4.demote_f64x2_zero(f64x2.sub(place, whole));
          const corner = i32x4.trunc_sat_f64x2_s_zero(whole);
          const left = i32x4.extract_lane(corner, 0), top = i32x4.extract_lane(corner, 1);
          if (<u32>left >= <u32>(width - 1) || <u32>top >= <u32>(height - 1)) continue;
          const at = picture + top * line + (left << 2);
          const fu = v128.shuffle<i32>(part, part, 0, 0, 0, 0), fv = v128.shuffle<i32>(part, part, 1, 1, 1, 1);
          const upper = mixed(at, fu);
          sum = f32x4.add(sum, f32x4.add(upper, f32x4.mul(f32x4.sub(mixed(at + line, fu), upper), fv)));
        }
      }
      const value = f32x4.add(f32x4.mul(sum, factor), f32x4.splat(offset));
      v128.store64_lane(output, value, 0);
      v128.store32_lane(output, value, 2, 8);
    }
  }
}

/**
 * Convolution of windows of `rows` × `columns` px. `width`, `from`: px and channels of a row of the input; `across` (a
 * multiple of 4), `down`, `to` (a multiple of 8): size of the output.
 */
export function convolve(
  input: usize,
  weights: usize,
  biases: usize,
  slopes: usize,
  output: usize,
  width: i32,
  from: i32,
  rows: i32,
  columns: i32,
  stride: i32,
  across: i32,
  down: i32,
  to: i32,
): void {
  const inputRow = (width * from) << 2;
  const step = (stride * from) << 2;
  const run = (columns * from) << 2;
  const weightRow = to << 2;
  for (let channel = 0; channel < weightRow; channel += 32) {
    const bias0 = v128.load(biases + channel);
    const bias1 = v128.load(biases + channel, 16);
    const slope0 = v128.load(slopes + channel);
    const slope1 = v128.load(slopes + channel, 16);
    for (let y = 0; y < down; y++) {
      for (let x = 0; x < across; x += 4) {
        let a0 = bias0, a1 = bias1, b0 = bias0, b1 = bias1, c0 = bias0, c1 = bias1, d0 = bias0, d1 = bias1;
        let weight = weights + channel;
        let row = input + y * stride * inputRow + x * step;
        // Four px and eight channels at a time, which fit the registers.
        for (let j = 0; j < rows; j++, row += inputRow) {
          const end = row + run;
          for (let at = row; at < end; at += 4, weight += weightRow) {
            const w0 = v128.load(weight);
            const w1 = v128.load(weight, 16);
            const a = v128.load32_splat(at);
            a0 = f32x4.add(a0, f32x4.mul(a, w0));
            a1 = f32x4.add(a1, f32x4.mul(a, w1));
            const b = v128.load32_splat(at + step);
            b0 = f32x4.add(b0, f32x4.mul(b, w0));
            b1 = f32x4.add(b1, f32x4.mul(b, w1));
            const c = v128.load32_splat(at + 2 * step);
            c0 = f32x4.add(c0, f32x4.mul(c, w0));
            c1 = f32x4.add(c1, f32x4.mul(c, w1));
            const d = v128.load32_splat(at + 3 * step);
            d0 = f32x4.add(d0, f32x4.mul(d, w0));
            d1 = f32x4.add(d1, f32x4.mul(d, w1));
          }
        }
        const out = output + (y * across + x) * weightRow + channel;
        v128.store(out, leak(a0, slope0));
        v128.store(out, leak(a1, slope1), 16);
        v128.store(out + weightRow, leak(b0, slope0));
        v128.store(out + weightRow, leak(b1, slope1), 16);
        v128.store(out + 2 * weightRow, leak(c0, slope0));
        v128.store(out + 2 * weightRow, leak(c1, slope1), 16);
        v128.store(out + 3 * weightRow, leak(d0, slope0));
        v128.store(out + 3 * weightRow, leak(d1, slope1), 16);
      }
    }
  }
}

/**
 * Convolution of each channel with its own window. `channels` is a multiple of 4; else as {@link convolve}, but `across` is any number: the
 * last step of a row also writes what follows it.
 */
export function convolveDepthwise(
  input: usize,
  weights: usize,
  biases: usize,
  output: usize,
  width: i32,
  channels: i32,
  rows: i32,
  columns: i32,
  stride: i32,
  across: i32,
  down: i32,
): void {
  const px = channels << 2;
  const inputRow = width * px;
  const step = stride * px;
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x += 4) {
      const window = input + y * stride * inputRow + x * step;
      const out = output + (y * across + x) * px;
      for (let channel = 0; channel < px; channel += 16) {
        const bias = v128.load(biases + channel);
        let a = bias, b = bias, c = bias, d = bias;
        let weight = weights + channel;
        for (let j = 0; j < rows; j++) {
          let at = window + j * inputRow + channel;
          for (let i = 0; i < columns; i++, at += px, weight += px) {
            const w = v128.load(weight);
            a = f32x4.add(a, f32x4.mul(v128.load(at), w));
            b = f32x4.add(b, f32x4.mul(v128.load(at + step), w));
            c = f32x4.add(c, f32x4.mul(v128.load(at + 2 * step), w));
            d = f32x4.add(d, f32x4.mul(v128.load(at + 3 * step), w));
          }
        }
        v128.store(out + channel, a);
        v128.store(out + px + channel, b);
        v128.store(out + 2 * px + channel, c);
        v128.store(out + 3 * px + channel, d);
      }
    }
  }
}

/** Copies `count` rows of `width` bytes. */
export function copyRows(to: usize, toRow: i32, from: usize, fromRow: i32, width: i32, count: i32): void {
  for (let i = 0; i < count; i++, to += toRow, from += fromRow) memory.copy(to, from, width);
}

/** Sums of two arrays of `count` values, a multiple of 4. */
export function add(to: usize, a: usize, b: usize, count: i32): void {
  const end = count << 2;
  for (let at = 0; at < end; at += 16) v128.store(to + at, f32x4.add(v128.load(a + at), v128.load(b + at)));
}

/** Leaky rectifier of `count` px; `channels` is a multiple of 4. */
export function rectify(to: usize, from: usize, slopes: usize, channels: i32, count: i32): void {
  const px = channels << 2;
  for (let i = 0; i < count; i++, to += px, from += px) {
    for (let at = 0; at < px; at += 16) v128.store(to + at, leak(v128.load(from + at), v128.load(slopes + at)));
  }
}

/** Greatest values of windows of `side` × `side` px that do not overlap. `channels` is a multiple of 4; else as {@link convolve}. */
export function poolGreatest(to: usize, input: usize, width: i32, channels: i32, side: i32, across: i32, down: i32): void {
  const px = channels << 2;
  const row = width * px;
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++, to += px) {
      const window = input + y * side * row + x * side * px;
      for (let channel = 0; channel < px; channel += 16) {
        let most = v128.load(window + channel);
        for (let j = 0; j < side; j++) {
          for (let i = 0; i < side; i++) most = f32x4.max(most, v128.load(window + j * row + i * px + channel));
        }
        v128.store(to + channel, most);
      }
    }
  }
}
