import { readFile } from 'node:fs/promises';
import { openModule } from '@figurehead/presenter';
import type { Picture, Point } from '../picture.js';
import type { Tensor, Weights } from './tensor.js';

/** How a window slides over a picture. `same` pads with zeros so that a stride of 1 keeps the size, as TensorFlow does. */
export interface Sliding {
  readonly stride: number;
  readonly padding: 'same' | 'valid';
}

/** Even steps over a picture from the first sample, px: to the right and down in the cut. */
export interface SampleGrid {
  readonly start: Point;
  readonly across: Point;
  readonly down: Point;
}

/** Zeros around a picture and after its channels. */
export interface Padding {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
  readonly channels: number;
}

type KernelFunction =
  | 'heapBase'
  | 'cutSquare'
  | 'convolve'
  | 'convolveDepthwise'
  | 'copyRows'
  | 'add'
  | 'rectify'
  | 'poolGreatest';

/** Functions of the compiled kernel (`assembly/`); pointers are byte addresses in its memory. */
type KernelExports = Readonly<Record<KernelFunction, (...numbers: number[]) => number>>;

/** Px and channels that convolutions work on at a time, and channels that the other layers do. */
const [PX, CHANNELS, LANES] = [4, 8, 4];

/** Bytes of a page of memory. */
const PAGE = 65_536;

const UNPADDED: Padding = { top: 0, bottom: 0, left: 0, right: 0, channels: 0 };

/** Works from dist and from src: both resolve to the package's data. */
const NETWORK_KERNEL = new URL('../../../data/networks/kernel.wasm', import.meta.url);

/** Loads the kernel of the folder `assembly`. */
export async function loadNetworkKernel(): Promise<NetworkKernel> {
  const { exports, memory } = await openModule(await readFile(NETWORK_KERNEL));
  return new NetworkKernel(exports as unknown as KernelExports, memory);
}

/** The layers that take nearly all of a network's time. Their results are valid until {@link NetworkKernel.begin} or {@link NetworkKernel.cutSquare}. */
export class NetworkKernel {
  private free: number;

  constructor(
    private readonly run: KernelExports,
    private readonly memory: WebAssembly.Memory,
  ) {
    this.free = run.heapBase();
  }

  /** Begins a run, which frees the results of all layers so far. @throws RangeError unless `picture` is a network's input. */
  begin({ width, height, channels }: Tensor, side: number): void {
    if (width !== side || height !== side || channels !== 3) {
      throw new RangeError(`expected a picture of ${side}×${side} px, got ${width}×${height}`);
    }
    this.free = this.run.heapBase();
  }

  /**
   * Samples a picture, black outside of it, at `side` × `side` px of the mean of `averaged` × `averaged` samples each: values `value * scale
   * + offset` of 0…255. Frees the results of all layers.
   */
  cutSquare(
    { width, height, data }: Picture,
    { start, across, down }: SampleGrid,
    { side, averaged, scale, offset }: Readonly<Record<'side' | 'averaged' | 'scale' | 'offset', number>>,
  ): Tensor {
    this.free = this.run.heapBase();
    // The part that is reached, with a black px around the picture.
    const reach = (axis: 'x' | 'y', size: number): [number, number] => {
      const corners = [0, across[axis], down[axis], across[axis] + down[axis]];
      const ends = corners.map((step) => start[axis] + step * side * averaged);
      return [Math.max(-1, Math.floor(Math.min(...ends))), Math.min(size, Math.ceil(Math.max(...ends)) + 1)];
    };
    const [[left, right], [top, foot]] = [reach('x', width), reach('y', height)];
    const size = { width: Math.max(2, right - left + 1), height: Math.max(2, foot - top + 1) };
    const part = this.floats(size.width * size.height).fill(0);
    const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    const [first, end] = [Math.max(0, left), Math.min(width, right + 1)];
    for (let y = Math.max(0, top); y <= Math.min(height - 1, foot) && first < end; y++) {
      const row = data.subarray((y * width + first) * 4, (y * width + end) * 4);
      bytes.set(row, ((y - top) * size.width + first - left) * 4);
    }
    const cut = this.floats(side * side * 3);
    const grid = [start.x - left, start.y - top, across.x, across.y, down.x, down.y];
    this.run.cutSquare(
      cut.byteOffset,
      part.byteOffset,
      size.width,
      size.height,
      side,
      averaged,
      ...grid,
      scale,
      offset,
    );
    return { width: side, height: side, channels: 3, data: new Float32Array(cut) };
  }

  /**
   * Convolution. `weights` of shape [rows, columns, channels in, channels out]; `bias` one per output channel.
   * @param slopes factors of negative results per output channel, as a leaky rectifier has them; default 1.
   */
  convolve(
    input: Tensor,
    weights: Weights,
    layer: { readonly bias: Float32Array; readonly slopes?: Float32Array | undefined; readonly sliding: Sliding },
  ): Tensor {
    const [rows, columns, from, to] = shapeOf(weights);
    const { stride } = layer.sliding;
    if (from !== input.channels) throw new RangeError(`expected ${from} channels, got ${input.channels}`);
    const down = extentOf(input.height, rows, layer.sliding);
    const across = extentOf(input.width, columns, layer.sliding);
    // Windows of a px each form a single row.
    const isFlat = rows * columns * stride === 1;
    const [high, wide] = isFlat ? [1, down.count * across.count] : [down.count, across.count];
    const [whole, deep] = [roundUp(wide, PX), roundUp(to, CHANNELS)];
    const reach = { down, across, rows, columns, stride, count: whole };
    const source = isFlat ? this.placed(input) : this.pad(input, paddingOf(input, reach));
    const matrix = this.widened(weights.data, to, deep);
    const biases = this.widened(layer.bias, to, deep);
    const slopes = this.widened(layer.slopes ?? new Float32Array(to).fill(1), to, deep);
    const result = this.floats(high * whole * deep);
    const pointers = [source.data, matrix, biases, slopes, result].map(({ byteOffset }) => byteOffset);
    this.run.convolve(...pointers, source.width, from, rows, columns, stride, whole, high, deep);
    const size = { height: down.count, width: across.count, channels: to };
    if (to === deep && (high === 1 || whole === wide)) {
      return { ...size, data: result.subarray(0, high * wide * deep) };
    }
    const data = this.floats(size.height * size.width * to);
    for (let y = 0; y < high; y++) {
      const [at, row] = [data.byteOffset + 4 * y * wide * to, result.byteOffset + 4 * y * whole * deep];
      this.run.copyRows(at, 4 * to, row, 4 * deep, 4 * to, wide);
    }
    return { ...size, data };
  }

  /** Depthwise convolution. `weights` of shape [rows, columns, channels, 1]. */
  convolveDepthwise(input: Tensor, weights: Weights, bias: Float32Array | undefined, sliding: Sliding): Tensor {
    const [rows, columns, channels] = shapeOf(weights);
    if (channels !== input.channels) throw new RangeError(`expected ${channels} channels, got ${input.channels}`);
    checkLanes(channels);
    const down = extentOf(input.height, rows, sliding);
    const across = extentOf(input.width, columns, sliding);
    const { stride } = sliding;
    const padded = this.pad(input, paddingOf(input, { down, across, rows, columns, stride, count: across.count }));
    const biases = bias === undefined ? this.floats(channels).fill(0) : this.copied(bias);
    const placed = this.copied(weights.data);
    // Last, because the kernel also writes what follows it.
    const data = this.floats(down.count * across.count * channels);
    const pointers = [padded.data, placed, biases, data].map(({ byteOffset }) => byteOffset);
    this.run.convolveDepthwise(...pointers, padded.width, channels, rows, columns, stride, across.count, down.count);
    return { height: down.count, width: across.count, channels, data };
  }

  /** Sum of two tensors of one size. */
  add(a: Tensor, b: Tensor): Tensor {
    if (a.data.length !== b.data.length) {
      throw new RangeError(`expected tensors of one size, got ${a.data.length} and ${b.data.length} values`);
    }
    checkLanes(a.data.length);
    const [first, second] = [this.placed(a).data, this.placed(b).data];
    const data = this.floats(a.data.length);
    this.run.add(data.byteOffset, first.byteOffset, second.byteOffset, data.length);
    return { ...a, data };
  }

  /** `x` where it is positive, else `x` times its channel's slope, by default 0. */
  rectify(input: Tensor, slopes?: Float32Array): Tensor {
    const { channels } = input;
    checkLanes(channels);
    const from = this.placed(input).data;
    const data = this.floats(from.length);
    const factors = slopes === undefined ? this.floats(channels).fill(0) : this.copied(slopes);
    const pointers = [data, from, factors].map(({ byteOffset }) => byteOffset);
    this.run.rectify(...pointers, channels, data.length / channels);
    return { ...input, data };
  }

  /** Maximum pooling over windows of `side` × `side` px that fill the picture without overlap. */
  poolGreatest(input: Tensor, side: number, { stride }: Sliding): Tensor {
    const { channels } = input;
    const [width, height] = [input.width / side, input.height / side];
    checkLanes(channels);
    if (stride !== side || !Number.isInteger(width) || !Number.isInteger(height)) {
      throw new RangeError(`expected windows of ${side} px that fill ${input.width}×${input.height} px`);
    }
    const from = this.placed(input).data;
    const data = this.floats(width * height * channels);
    this.run.poolGreatest(data.byteOffset, from.byteOffset, input.width, channels, side, width, height);
    return { height, width, channels, data };
  }

  /** Pads a picture with zeros. */
  pad(input: Tensor, by: Padding): Tensor {
    if (Object.values(by).every((count) => count === 0)) return this.placed(input);
    const { width, height } = input;
    const from = this.placed(input).data.byteOffset;
    const size = { height: height + by.top + by.bottom, width: width + by.left + by.right };
    const channels = input.channels + by.channels;
    const data = this.floats(size.height * size.width * channels).fill(0);
    const [px, wider] = [4 * input.channels, 4 * channels];
    const to = data.byteOffset + (by.top * size.width + by.left) * wider;
    if (by.channels === 0) this.run.copyRows(to, size.width * wider, from, width * px, width * px, height);
    for (let y = 0; y < height && by.channels > 0; y++) {
      this.run.copyRows(to + y * size.width * wider, wider, from + y * width * px, px, px, width);
    }
    return { ...size, channels, data };
  }

  /** Concatenates the channels of two pictures of one size. */
  joinChannels(a: Tensor, b: Tensor): Tensor {
    const channels = a.channels + b.channels;
    const data = this.floats(a.height * a.width * channels);
    let to = data.byteOffset;
    for (const part of [a, b]) {
      const px = 4 * part.channels;
      this.run.copyRows(to, 4 * channels, this.placed(part).data.byteOffset, px, px, a.height * a.width);
      to += px;
    }
    return { height: a.height, width: a.width, channels, data };
  }

  /** The tensor in the kernel's memory. */
  private placed(tensor: Tensor): Tensor {
    return tensor.data.buffer === this.memory.buffer ? tensor : { ...tensor, data: this.copied(tensor.data) };
  }

  private copied(values: Float32Array): Float32Array {
    const copy = this.floats(values.length);
    copy.set(values);
    return copy;
  }

  /** A copy of rows of `from` values that become `to` values long, followed by zeros. */
  private widened(rows: Float32Array, from: number, to: number): Float32Array {
    if (from === to) return this.copied(rows);
    const wide = this.floats((rows.length / from) * to).fill(0);
    for (let at = 0, end = 0; at < rows.length; at += from, end += to) wide.set(rows.subarray(at, at + from), end);
    return wide;
  }

  /** Space for values, and after them for those of the windows that only fill the last step. */
  private floats(count: number): Float32Array {
    const at = this.free;
    this.free = roundUp(at + 4 * count, 16);
    const missing = this.free + PAGE - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    return new Float32Array(this.memory.buffer, at, count);
  }
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

/** Zeros that windows reach, `count` of them in a row. */
function paddingOf(
  { width, height }: Tensor,
  {
    down,
    across,
    rows,
    columns,
    stride,
    count,
  }: { down: Extent; across: Extent; rows: number; columns: number; stride: number; count: number },
): Padding {
  const beyond = (start: number, windows: number, window: number, size: number): number =>
    Math.max(0, start + (windows - 1) * stride + window - size);
  return {
    ...UNPADDED,
    top: -down.start,
    left: -across.start,
    bottom: beyond(down.start, down.count, rows, height),
    right: beyond(across.start, count, columns, width),
  };
}

function checkLanes(count: number): void {
  if (count % LANES !== 0) throw new RangeError(`expected a multiple of ${LANES} channels, got ${count}`);
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}

function shapeOf({ shape }: Weights): [number, number, number, number] {
  const [rows, columns, from, to] = shape;
  if (rows === undefined || columns === undefined || from === undefined || to === undefined) {
    throw new RangeError(`expected weights of four dimensions, got ${shape.length}`);
  }
  return [rows, columns, from, to];
}
