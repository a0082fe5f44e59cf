import { type Tensor, zeros } from './tensor.js';

/** Applies `f` to every value, in a new tensor. */
export function mapValues(input: Tensor, f: (value: number) => number): Tensor {
  const data = new Float32Array(input.data.length);
  for (let i = 0; i < data.length; i++) data[i] = f(input.data[i]!);
  return { ...input, data };
}

/** Product of two tensors; one may be a single column of channels for all px of the other. */
export function multiplyTensors(a: Tensor, b: Tensor): Tensor {
  if (b.data.length > a.data.length) return multiplyTensors(b, a);
  const { length } = b.data;
  if (length === 0 || a.data.length % length !== 0 || (length !== a.data.length && length !== a.channels)) {
    throw new RangeError(`expected tensors that fit, got ${a.data.length} and ${length} values`);
  }
  const data = new Float32Array(a.data.length);
  for (let i = 0; i < data.length; i += length) {
    for (let k = 0; k < length; k++) data[i + k] = a.data[i + k]! * b.data[k]!;
  }
  return { ...a, data };
}

/** The mean of each channel, as a picture of one px. */
export function meanOf(input: Tensor): Tensor {
  const { data, channels } = input;
  const mean = zeros(1, 1, channels);
  const share = channels / data.length;
  for (let i = 0; i < data.length; i++) mean.data[i % channels] = mean.data[i % channels]! + data[i]! * share;
  return mean;
}

/** Resizes bilinearly, px centres on halves; the edge is repeated outside. */
export function enlarge(input: Tensor, height: number, width: number): Tensor {
  const output = zeros(height, width, input.channels);
  const { channels, data } = input;
  const places = (size: number, from: number) =>
    Array.from({ length: size }, (_, index) => {
      const at = Math.min(Math.max(((index + 0.5) * from) / size - 0.5, 0), from - 1);
      const first = Math.min(Math.floor(at), Math.max(from - 2, 0));
      return { first, next: Math.min(first + 1, from - 1), share: at - first };
    });
  const columns = places(width, input.width);
  let to = 0;
  for (const down of places(height, input.height)) {
    const [a, b] = [down.first * input.width * channels, down.next * input.width * channels];
    for (const across of columns) {
      for (let c = 0; c < channels; c++) {
        const first = across.first * channels + c;
        const next = across.next * channels + c;
        const top = data[a + first]! * (1 - across.share) + data[a + next]! * across.share;
        const foot = data[b + first]! * (1 - across.share) + data[b + next]! * across.share;
        output.data[to++] = top * (1 - down.share) + foot * down.share;
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
