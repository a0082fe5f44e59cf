import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openNetworks } from '../networks.js';
import { loadNetworkKernel, type Sliding } from './kernel.js';
import type { Tensor, Weights } from './tensor.js';

/** Values that differ everywhere, −1…1. */
const values = (count: number): Float32Array => Float32Array.from({ length: count }, (_, i) => Math.sin(1.7 * i));
const picture = ([height, width, channels]: readonly [number, number, number]): Tensor => ({
  height,
  width,
  channels,
  data: values(height * width * channels),
});
const weights = (...shape: number[]): Weights => ({ shape, data: values(shape.reduce((a, b) => a * b, 1)) });

/** The definition of a convolution. `same` starts as TensorFlow does. */
function convolved(input: Tensor, { shape, data }: Weights, { stride, padding }: Sliding): number[] {
  const [rows, columns, from, to] = shape as [number, number, number, number];
  const side = (size: number, window: number) => {
    const count = padding === 'same' ? Math.ceil(size / stride) : Math.floor((size - window) / stride) + 1;
    return {
      count,
      start: padding === 'same' ? -Math.floor(Math.max((count - 1) * stride + window - size, 0) / 2) : 0,
    };
  };
  const [down, across] = [side(input.height, rows), side(input.width, columns)];
  const at = (y: number, x: number, c: number): number =>
    y < 0 || x < 0 || y >= input.height || x >= input.width
      ? 0
      : input.data[(y * input.width + x) * input.channels + c]!;
  return Array.from({ length: down.count * across.count * to }, (_, n) => {
    const [y, x, o] = [Math.floor(n / to / across.count), Math.floor(n / to) % across.count, n % to];
    let sum = 0;
    for (let j = 0; j < rows; j++) {
      for (let i = 0; i < columns; i++) {
        for (let c = 0; c < from; c++) {
          const value = at(y * stride + down.start + j, x * stride + across.start + i, c);
          sum += value * data[((j * columns + i) * from + c) * to + o]!;
        }
      }
    }
    return sum;
  });
}

describe('the kernel of the portrait networks', () => {
  it.each([
    { size: [7, 9, 3], shape: [3, 3, 3, 5], sliding: { stride: 2, padding: 'same' } },
    { size: [6, 6, 4], shape: [1, 1, 4, 16], sliding: { stride: 1, padding: 'same' } },
    { size: [3, 3, 8], shape: [3, 3, 8, 11], sliding: { stride: 1, padding: 'valid' } },
    { size: [12, 5, 2], shape: [2, 2, 2, 8], sliding: { stride: 2, padding: 'valid' } },
  ] as const)(
    'convolves $size by $shape, $sliding.padding, stride $sliding.stride',
    async ({ size, shape, sliding }) => {
      const kernel = await loadNetworkKernel();
      const [input, window] = [picture(size), weights(...shape)];
      const [bias, slopes] = [values(shape[3]), values(shape[3])];
      const wanted = convolved(input, window, sliding).map((value, i) => {
        const sum = value + bias[i % shape[3]]!;
        return sum >= 0 ? sum : sum * slopes[i % shape[3]]!;
      });
      const { data } = kernel.convolve(input, window, { bias, slopes, sliding });
      expect(data.length).toBe(wanted.length);
      wanted.forEach((value, i) => {
        expect(data[i]).toBeCloseTo(value, 4);
      });
    },
  );

  it('convolves each channel with its own window', async () => {
    const kernel = await loadNetworkKernel();
    const [input, window, sliding] = [
      picture([7, 10, 4]),
      weights(3, 3, 4, 1),
      { stride: 2, padding: 'same' } as const,
    ];
    const { data } = kernel.convolveDepthwise(input, window, undefined, sliding);
    const whole = weights(3, 3, 4, 4);
    whole.data.fill(0);
    window.data.forEach((value, i) => {
      whole.data[4 * i + (i % 4)] = value;
    });
    convolved(input, whole, sliding).forEach((value, i) => {
      expect(data[i]).toBeCloseTo(value, 4);
    });
  });

  it('cuts a turned square out of a picture, black outside of it, as the mean of bilinear samples', async () => {
    const kernel = await loadNetworkKernel();
    const [width, height] = [23, 17];
    const data = Uint8Array.from({ length: width * height * 4 }, (_, i) => (i * 97) % 256);
    const at = (x: number, y: number, c: number): number =>
      x < 0 || y < 0 || x >= width || y >= height ? 0 : data[(y * width + x) * 4 + c]!;
    const grid = { start: { x: -4.3, y: 6.2 }, across: { x: 1.9, y: -0.6 }, down: { x: 0.6, y: 1.9 } };
    const [side, averaged] = [6, 2];
    const cut = kernel.cutSquare({ width, height, data }, grid, { side, averaged, scale: 1 / 255, offset: -1 });
    expect(cut).toMatchObject({ width: side, height: side, channels: 3 });
    cut.data.forEach((value, n) => {
      const [row, column, c] = [Math.floor(n / 3 / side), Math.floor(n / 3) % side, n % 3];
      let sum = 0;
      for (let k = 0; k < averaged ** 2; k++) {
        const [i, j] = [column * averaged + (k % averaged), row * averaged + Math.floor(k / averaged)];
        const x = grid.start.x + i * grid.across.x + j * grid.down.x;
        const y = grid.start.y + i * grid.across.y + j * grid.down.y;
        const [left, top] = [Math.floor(x), Math.floor(y)];
        const mix = (a: number, b: number, share: number): number => a + share * (b - a);
        const row0 = mix(at(left, top, c), at(left + 1, top, c), x - left);
        sum += mix(row0, mix(at(left, top + 1, c), at(left + 1, top + 1, c), x - left), y - top);
      }
      expect(value).toBeCloseTo(sum / averaged ** 2 / 255 - 1, 5);
    });
    const beside = { ...grid, start: { x: 400, y: -300 } };
    const none = kernel.cutSquare({ width, height, data }, beside, { side, averaged, scale: 1, offset: 3 });
    expect(none.data.every((value) => value === 3)).toBe(true);
  });

  it('refuses channels and windows that do not fit', async () => {
    const kernel = await loadNetworkKernel();
    const sliding = { stride: 2, padding: 'same' } as const;
    const layer = { bias: values(2), sliding };
    expect(() => kernel.convolve(picture([4, 4, 3]), weights(1, 1, 2, 2), layer)).toThrow('expected 2 channels, got 3');
    expect(() => kernel.rectify(picture([4, 4, 3]))).toThrow('expected a multiple of 4 channels, got 3');
    expect(() => kernel.poolGreatest(picture([5, 4, 4]), 2, sliding)).toThrow('windows of 2 px that fill 4×5 px');
  });
});

it('finds the outline of a person bit for bit as the published file of the segmenter does', async () => {
  const segmenter = await (await openNetworks()).segmenter();
  const { side } = segmenter;
  const data = new Float32Array(side * side * 3).map((_, i) => ((i * 7919) % 1009) / 1009);
  const seen = segmenter.run({ height: side, width: side, channels: 3, data }).get('output')!;
  // Measured with a reader of the TensorFlow Lite file, before it was converted.
  expect(createHash('sha256').update(new Uint8Array(seen.data.buffer)).digest('hex')).toBe(
    'c17a86cafc8165cd22005ff3bbc4576d73ad815438b63c5c1cca61539fdf3479',
  );
});
