import { type Tensor, type Weights, zeros } from './tensor.js';

/** How a window slides over a picture. `same` pads with zeros so that a stride of 1 keeps the size, as TensorFlow does. */
export interface Sliding {
  readonly stride: number;
  readonly padding: 'same' | 'valid';
}

interface Extent {
  /** Windows along the side. */
  readonly count: number;
  /** Start of the first window; negative in the padding. */
  readonly start: number;
}

function extentOf(size: number, window: number, { stride, padding }: Sliding): Extent {
  if (padding === 'valid') return { count: Math.floor((size - window) / stride) + 1, start: 0 };
  const count = Math.ceil(size / stride);
  const padded = Math.max((count - 1) * stride + window - size, 0);
  return { count, start: -Math.floor(padded / 2) };
}

/** Convolution. `weights` of shape [rows, columns, channels in, channels out]; `bias` one per output channel. */
export function convolve(input: Tensor, weights: Weights, bias: Float32Array | undefined, sliding: Sliding): Tensor {
  const [rows, columns, from, to] = shapeOf(weights);
  if (from !== input.channels) throw new RangeError(`expected ${from} channels, got ${input.channels}`);
  const down = extentOf(input.height, rows, sliding);
  const across = extentOf(input.width, columns, sliding);
  const output = zeros(down.count, across.count, to);
  const { stride } = sliding;
  const sums = new Float32Array(to);
  for (let y = 0; y < down.count; y++) {
    for (let x = 0; x < across.count; x++) {
      if (bias === undefined) sums.fill(0);
      else sums.set(bias);
      for (let j = 0; j < rows; j++) {
        const row = y * stride + down.start + j;
        if (row < 0 || row >= input.height) continue;
        for (let i = 0; i < columns; i++) {
          const column = x * stride + across.start + i;
          if (column < 0 || column >= input.width) continue;
          const part = { values: input.data, from: (row * input.width + column) * from, count: from };
          addProducts(sums, part, weights.data, (j * columns + i) * from * to);
        }
      }
      output.data.set(sums, (y * across.count + x) * to);
    }
  }
  return output;
}

/**
 * Adds `count` input values from index `from`, each times its row of a matrix that starts at `offset`; rows are as long
 * as `sums`.
 */
function addProducts(
  sums: Float32Array,
  { values, from, count }: { values: Float32Array; from: number; count: number },
  matrix: Float32Array,
  offset: number,
): void {
  const width = sums.length;
  let row = offset;
  let c = 0;
  // Four rows at a time, because reading and writing the sums takes most of the time.
  for (; c + 3 < count; c += 4) {
    const v0 = values[from + c]!;
    const v1 = values[from + c + 1]!;
    const v2 = values[from + c + 2]!;
    const v3 = values[from + c + 3]!;
    const [r1, r2, r3] = [row + width, row + 2 * width, row + 3 * width];
    for (let k = 0; k < width; k++) {
      sums[k] = sums[k]! + v0 * matrix[row + k]! + v1 * matrix[r1 + k]! + v2 * matrix[r2 + k]! + v3 * matrix[r3 + k]!;
    }
    row += 4 * width;
  }
  for (; c < count; c++) {
    const value = values[from + c]!;
    for (let k = 0; k < width; k++) sums[k] = sums[k]! + value * matrix[row + k]!;
    row += width;
  }
}

/** Depthwise convolution. `weights` of shape [rows, columns, channels, 1]. */
export function convolveDepthwise(
  input: Tensor,
  weights: Weights,
  bias: Float32Array | undefined,
  sliding: Sliding,
): Tensor {
  const [rows, columns, channels] = shapeOf(weights);
  if (channels !== input.channels) throw new RangeError(`expected ${channels} channels, got ${input.channels}`);
  const down = extentOf(input.height, rows, sliding);
  const across = extentOf(input.width, columns, sliding);
  const output = zeros(down.count, across.count, channels);
  const { stride } = sliding;
  // Px whose whole window is inside the picture, which are nearly all, need one pass over the channels instead of nine.
  const isInside = (first: number, window: number, size: number): boolean => first >= 0 && first + window <= size;
  for (let y = 0; y < down.count; y++) {
    const top = y * stride + down.start;
    for (let x = 0; x < across.count; x++) {
      const left = x * stride + across.start;
      const to = (y * across.count + x) * channels;
      if (bias !== undefined) output.data.set(bias, to);
      if (rows === 3 && columns === 3 && isInside(top, 3, input.height) && isInside(left, 3, input.width)) {
        addWindow(output.data, to, { input, from: (top * input.width + left) * channels }, weights.data);
        continue;
      }
      for (let j = Math.max(0, -top); j < Math.min(rows, input.height - top); j++) {
        for (let i = Math.max(0, -left); i < Math.min(columns, input.width - left); i++) {
          const at = ((top + j) * input.width + left + i) * channels;
          addScaled(
            output.data,
            to,
            { values: input.data, from: at, count: channels },
            weights.data,
            (j * columns + i) * channels,
          );
        }
      }
    }
  }
  return output;
}

/** Adds the window of 3 × 3 px that begins at value `from`, each channel times its own nine weights. */
function addWindow(
  sums: Float32Array,
  to: number,
  { input, from }: { readonly input: Tensor; readonly from: number },
  weights: Float32Array,
): void {
  const { data, channels } = input;
  const row = input.width * channels;
  for (let c = 0; c < channels; c++) {
    let sum = sums[to + c]!;
    for (let j = 0, at = from + c, w = c; j < 3; j++, at += row, w += 3 * channels) {
      sum += data[at]! * weights[w]!;
      sum += data[at + channels]! * weights[w + channels]!;
      sum += data[at + 2 * channels]! * weights[w + 2 * channels]!;
    }
    sums[to + c] = sum;
  }
}

/** Adds `count` values from `from`, each times its own weight from index `offset`. */
function addScaled(
  sums: Float32Array,
  to: number,
  { values, from, count }: { values: Float32Array; from: number; count: number },
  weights: Float32Array,
  offset: number,
): void {
  for (let c = 0; c < count; c++) sums[to + c] = sums[to + c]! + values[from + c]! * weights[offset + c]!;
}

/** Maximum pooling over windows of `size` × `size`. */
export function poolGreatest(input: Tensor, size: number, sliding: Sliding): Tensor {
  const down = extentOf(input.height, size, sliding);
  const across = extentOf(input.width, size, sliding);
  const output = zeros(down.count, across.count, input.channels);
  output.data.fill(-Infinity);
  for (let y = 0; y < down.count; y++) {
    for (let x = 0; x < across.count; x++) {
      const to = (y * across.count + x) * input.channels;
      for (let j = 0; j < size; j++) {
        const row = y * sliding.stride + down.start + j;
        if (row < 0 || row >= input.height) continue;
        for (let i = 0; i < size; i++) {
          const column = x * sliding.stride + across.start + i;
          if (column < 0 || column >= input.width) continue;
          const at = (row * input.width + column) * input.channels;
          for (let c = 0; c < input.channels; c++) {
            if (input.data[at + c]! > output.data[to + c]!) output.data[to + c] = input.data[at + c]!;
          }
        }
      }
    }
  }
  return output;
}

/** Applies `f` to every value, in a new tensor. */
export function mapValues(input: Tensor, f: (value: number, channel: number) => number): Tensor {
  const { data, channels } = input;
  const output = new Float32Array(data.length);
  for (let i = 0; i < data.length; i += channels) {
    for (let c = 0; c < channels; c++) output[i + c] = f(data[i + c]!, c);
  }
  return { ...input, data: output };
}

/** `max(x, 0)`. */
export function rectify(input: Tensor): Tensor {
  const { data } = input;
  const output = new Float32Array(data.length);
  for (let i = 0; i < data.length; i++) {
    const value = data[i]!;
    output[i] = value > 0 ? value : 0;
  }
  return { ...input, data: output };
}

/** `x` where it is positive, else `x` times its channel's slope. */
export function rectifyLeaky(input: Tensor, slopes: Float32Array): Tensor {
  const { data, channels } = input;
  const output = new Float32Array(data.length);
  for (let i = 0; i < data.length; i += channels) {
    for (let c = 0; c < channels; c++) {
      const value = data[i + c]!;
      output[i + c] = value >= 0 ? value : value * slopes[c]!;
    }
  }
  return { ...input, data: output };
}

/** Sum of two tensors; `b` may be a single column of channels that is added everywhere. */
export function add(a: Tensor, b: Tensor): Tensor {
  if (a.data.length !== b.data.length) return combine(a, b, (x, y) => x + y);
  const data = new Float32Array(a.data.length);
  for (let i = 0; i < data.length; i++) data[i] = a.data[i]! + b.data[i]!;
  return { ...a, data };
}

/** Product of two tensors; `b` as with {@link add}. */
export function multiplyTensors(a: Tensor, b: Tensor): Tensor {
  return combine(a, b, (x, y) => x * y);
}

function combine(a: Tensor, b: Tensor, f: (x: number, y: number) => number): Tensor {
  if (b.data.length > a.data.length) return combine(b, a, (x, y) => f(y, x));
  const { length } = b.data;
  if (length === 0 || a.data.length % length !== 0 || (length !== a.data.length && length !== a.channels)) {
    throw new RangeError(`expected tensors that fit, got ${a.data.length} and ${length} values`);
  }
  const data = new Float32Array(a.data.length);
  for (let i = 0; i < data.length; i += length) {
    for (let k = 0; k < length; k++) data[i + k] = f(a.data[i + k]!, b.data[k]!);
  }
  return { ...a, data };
}

/** Pads a picture with zeros around it and after its channels. */
export function pad(
  input: Tensor,
  by: {
    readonly top: number;
    readonly bottom: number;
    readonly left: number;
    readonly right: number;
    readonly channels: number;
  },
): Tensor {
  const output = zeros(
    input.height + by.top + by.bottom,
    input.width + by.left + by.right,
    input.channels + by.channels,
  );
  for (let y = 0; y < input.height; y++) {
    for (let x = 0; x < input.width; x++) {
      const from = (y * input.width + x) * input.channels;
      const to = ((y + by.top) * output.width + x + by.left) * output.channels;
      output.data.set(input.data.subarray(from, from + input.channels), to);
    }
  }
  return output;
}

/** Concatenates the channels of two pictures of one size. */
export function joinChannels(a: Tensor, b: Tensor): Tensor {
  const output = zeros(a.height, a.width, a.channels + b.channels);
  for (let i = 0; i < a.height * a.width; i++) {
    output.data.set(a.data.subarray(i * a.channels, (i + 1) * a.channels), i * output.channels);
    output.data.set(b.data.subarray(i * b.channels, (i + 1) * b.channels), i * output.channels + a.channels);
  }
  return output;
}

/** The mean of each channel, as a picture of one px. */
export function meanOf(input: Tensor): Tensor {
  const { data, channels } = input;
  const mean = zeros(1, 1, channels);
  const share = channels / data.length;
  for (let i = 0; i < data.length; i++) mean.data[i % channels] = mean.data[i % channels]! + data[i]! * share;
  return mean;
}

/** Resizes bilinearly, px centres on halves. */
export function enlarge(input: Tensor, height: number, width: number): Tensor {
  const output = zeros(height, width, input.channels);
  const { channels, data } = input;
  const locate = (index: number, size: number, from: number) => {
    const at = Math.min(Math.max(((index + 0.5) * from) / size - 0.5, 0), from - 1);
    const first = Math.min(Math.floor(at), Math.max(from - 2, 0));
    return { first, next: Math.min(first + 1, from - 1), share: at - first };
  };
  for (let y = 0; y < height; y++) {
    const down = locate(y, height, input.height);
    for (let x = 0; x < width; x++) {
      const across = locate(x, width, input.width);
      const [a, b] = [down.first * input.width, down.next * input.width];
      for (let c = 0; c < channels; c++) {
        const value = (row: number, column: number): number => data[(row + column) * channels + c]!;
        const top = value(a, across.first) * (1 - across.share) + value(a, across.next) * across.share;
        const foot = value(b, across.first) * (1 - across.share) + value(b, across.next) * across.share;
        output.data[(y * width + x) * channels + c] = top * (1 - down.share) + foot * down.share;
      }
    }
  }
  return output;
}

/** Transposed convolution of 2 × 2 without overlap to one channel. `weights`: [row, column, channel]. */
export function enlargeTwofold(input: Tensor, weights: Float32Array, bias: number): Tensor {
  const { width, height, channels, data } = input;
  const output = zeros(height * 2, width * 2, 1);
  for (let y = 0; y < height * 2; y++) {
    for (let x = 0; x < width * 2; x++) {
      const from = ((y >> 1) * width + (x >> 1)) * channels;
      const weight = ((y & 1) * 2 + (x & 1)) * channels;
      let sum = bias;
      for (let c = 0; c < channels; c++) sum += data[from + c]! * weights[weight + c]!;
      output.data[y * output.width + x] = sum;
    }
  }
  return output;
}

function shapeOf({ shape }: Weights): [number, number, number, number] {
  const [rows, columns, from, to] = shape;
  if (rows === undefined || columns === undefined || from === undefined || to === undefined) {
    throw new RangeError(`expected weights of four dimensions, got ${shape.length}`);
  }
  return [rows, columns, from, to];
}
