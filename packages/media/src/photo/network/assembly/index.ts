// The layers of the portrait networks that take their time. It owns no memory: every pointer is a byte address that the
// host has chosen, all values are f32, pictures are rows of px of channels. No window leaves its input.

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

/** Convolution of each channel with its own window. `channels` is a multiple of 4; else as {@link convolve}. */
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
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++, output += px) {
      const window = input + y * stride * inputRow + x * stride * px;
      for (let channel = 0; channel < px; channel += 16) {
        let sum = v128.load(biases + channel);
        let weight = weights + channel;
        for (let j = 0; j < rows; j++) {
          let at = window + j * inputRow + channel;
          for (let i = 0; i < columns; i++, at += px, weight += px) {
            sum = f32x4.add(sum, f32x4.mul(v128.load(at), v128.load(weight)));
          }
        }
        v128.store(output + channel, sum);
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
