import { readFile } from 'node:fs/promises';
import type { Network } from './graph.js';
import { readHalves } from './half.js';
import type { NetworkKernel, Sliding } from './kernel.js';
import { enlarge, enlargeTwofold, mapValues, meanOf, multiplyTensors } from './operations.js';
import type { Tensor, Weights } from './tensor.js';

/** Supported operators of the TensorFlow Lite schema (tensorflow/lite/schema/schema.fbs). */
const OPERATOR = {
  add: 0,
  averagePool: 1,
  convolve: 3,
  convolveDepthwise: 4,
  dequantize: 6,
  logistic: 14,
  multiply: 18,
  rectify: 19,
  resize: 23,
  custom: 32,
  hardSwish: 117,
} as const;

/** The one custom operator: a transposed convolution with bias, 2 × 2, without overlap. */
const ENLARGING = 'Convolution2DTransposeBias';

/** Types of tensors in the schema. */
const FLOAT32 = 0;
const FLOAT16 = 1;
const INT32 = 2;

/** A tensor of the file. */
interface Entry {
  readonly shape: readonly number[];
  readonly type: number;
  readonly bytes: Buffer;
}

/** A step of the network. */
interface Step {
  readonly operator: number;
  readonly custom: string;
  readonly inputs: readonly number[];
  readonly output: number;
  /** Offset of its options; 0 without any. */
  readonly options: number;
}

/**
 * Reads a TensorFlow Lite model of float16 weights and the operators that a segmenter needs. Its only output is named
 * `output`.
 * @throws Error naming what is not supported.
 */
export async function readFlatModel(file: string, kernel: NetworkKernel): Promise<Network> {
  const tables = new Tables(await readFile(file));
  const root = tables.root();
  const buffers = tables.children(root, 4).map((table) => tables.bytes(table, 0));
  const [graph] = tables.children(root, 2);
  if (graph === undefined) throw new Error(`${file}: expected a graph, found none`);
  const entries = tables.children(graph, 0).map(
    (table): Entry => ({
      shape: tables.integers(table, 0),
      type: tables.byte(table, 1),
      bytes: buffers[tables.integer(table, 2)] ?? Buffer.alloc(0),
    }),
  );
  const codes = tables.children(root, 1).map((table) => ({
    operator: tables.integer(table, 3),
    custom: tables.bytes(table, 1).toString('latin1'),
  }));
  const steps = tables.children(graph, 3).map((table): Step => {
    const code = codes[tables.integer(table, 0)];
    const [output] = tables.integers(table, 2);
    if (code === undefined || output === undefined) throw new Error(`${file}: expected a whole step, found a part`);
    return { ...code, inputs: tables.integers(table, 1), output, options: tables.child(table, 4) };
  });
  const [input] = tables.integers(graph, 1);
  const [output] = tables.integers(graph, 2);
  const side = entries[input!]?.shape[1] ?? 0;
  const weights = new Map<number, Weights>();
  entries.forEach((entry, index) => {
    if (entry.bytes.length > 0) weights.set(index, weightsOf(entry));
  });
  for (const { operator, inputs, output: to } of steps) {
    const from = operator === OPERATOR.dequantize ? weights.get(inputs[0]!) : undefined;
    if (from !== undefined) weights.set(to, from);
    if (operator === OPERATOR.convolve) weights.set(inputs[1]!, rowsFirst(weights.get(inputs[1]!)!));
  }
  return {
    side,
    kernel,
    run(picture) {
      kernel.begin(picture, side);
      const values = new Map<number, Tensor>([[input!, picture]]);
      for (const step of steps) {
        if (step.operator !== OPERATOR.dequantize)
          values.set(step.output, evaluate(tables, step, { values, weights, kernel }));
      }
      const value = values.get(output!)!;
      return new Map([['output', { ...value, data: new Float32Array(value.data) }]]);
    },
  };
}

function evaluate(
  tables: Tables,
  step: Step,
  {
    values,
    weights,
    kernel,
  }: { values: ReadonlyMap<number, Tensor>; weights: ReadonlyMap<number, Weights>; kernel: NetworkKernel },
): Tensor {
  const valueAt = (index: number): Tensor => {
    const value = values.get(step.inputs[index] ?? -1);
    if (value === undefined) throw new Error(`operator ${step.operator}: expected an input ${index}, found none`);
    return value;
  };
  const weightsAt = (index: number): Weights => {
    const found = weights.get(step.inputs[index] ?? -1);
    if (found === undefined) throw new Error(`operator ${step.operator}: expected weights ${index}, found none`);
    return found;
  };
  switch (step.operator) {
    case OPERATOR.convolve:
      return kernel.convolve(valueAt(0), weightsAt(1), {
        bias: weightsAt(2).data,
        sliding: slidingOf(tables, step),
      });
    case OPERATOR.convolveDepthwise: {
      const { shape, data } = weightsAt(1);
      return kernel.convolveDepthwise(
        valueAt(0),
        { shape: [shape[1]!, shape[2]!, shape[3]!, 1], data },
        weightsAt(2).data,
        slidingOf(tables, step),
      );
    }
    case OPERATOR.add:
      return kernel.add(valueAt(0), valueAt(1));
    case OPERATOR.multiply:
      return multiplyTensors(valueAt(0), valueAt(1));
    // Every pool of these networks spans the whole picture.
    case OPERATOR.averagePool:
      return meanOf(valueAt(0));
    case OPERATOR.logistic:
      return mapValues(valueAt(0), (value) => 1 / (1 + Math.exp(-value)));
    case OPERATOR.rectify:
      return kernel.rectify(valueAt(0));
    case OPERATOR.hardSwish:
      return mapValues(valueAt(0), (value) => (value * Math.min(Math.max(value + 3, 0), 6)) / 6);
    case OPERATOR.resize: {
      const [height, width] = weightsAt(1).data;
      return enlarge(valueAt(0), height!, width!);
    }
    case OPERATOR.custom:
      if (step.custom === ENLARGING) return enlargeTwofold(valueAt(0), weightsAt(1).data, weightsAt(2).data[0]!);
      throw new Error(`the operator ${step.custom} is not supported`);
    default:
      throw new Error(`the operator ${step.operator} is not supported`);
  }
}

/** From [out, rows, columns, in] to [rows, columns, in, out]. */
function rowsFirst({ shape, data }: Weights): Weights {
  const [to, rows, columns, from] = shape as [number, number, number, number];
  const turned = new Float32Array(data.length);
  const inner = rows * columns * from;
  for (let o = 0; o < to; o++) for (let i = 0; i < inner; i++) turned[i * to + o] = data[o * inner + i]!;
  return { shape: [rows, columns, from, to], data: turned };
}

function slidingOf(tables: Tables, { options }: Step): Sliding {
  // The tables of Conv2DOptions and DepthwiseConv2DOptions start alike: padding, width and height of the stride.
  return { padding: tables.byte(options, 0) === 0 ? 'same' : 'valid', stride: tables.integer(options, 1) };
}

function weightsOf({ shape, type, bytes }: Entry): Weights {
  const count = shape.reduce((product, side) => product * side, 1);
  if (type === FLOAT16) return { shape, data: readHalves(bytes, 0, count) };
  const data = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    if (type === FLOAT32) data[i] = bytes.readFloatLE(4 * i);
    else if (type === INT32) data[i] = bytes.readInt32LE(4 * i);
    else throw new Error(`expected weights of float16, float32 or int32, found type ${type}`);
  }
  return { shape, data };
}

/** Reads FlatBuffers tables: fields by number; absent ones are 0 or empty. */
class Tables {
  constructor(private readonly file: Buffer) {}

  root(): number {
    return this.file.readUInt32LE(0);
  }

  byte(table: number, field: number): number {
    const at = this.find(table, field);
    return at === 0 ? 0 : this.file.readInt8(at);
  }

  integer(table: number, field: number): number {
    const at = this.find(table, field);
    return at === 0 ? 0 : this.file.readInt32LE(at);
  }

  integers(table: number, field: number): number[] {
    const { at, length } = this.list(table, field);
    return Array.from({ length }, (_, i) => this.file.readInt32LE(at + 4 * i));
  }

  bytes(table: number, field: number): Buffer {
    const { at, length } = this.list(table, field);
    return this.file.subarray(at, at + length);
  }

  child(table: number, field: number): number {
    const at = this.find(table, field);
    return at === 0 ? 0 : at + this.file.readUInt32LE(at);
  }

  children(table: number, field: number): number[] {
    const { at, length } = this.list(table, field);
    return Array.from({ length }, (_, i) => at + 4 * i + this.file.readUInt32LE(at + 4 * i));
  }

  private list(table: number, field: number): { at: number; length: number } {
    const at = this.child(table, field);
    return at === 0 ? { at: 0, length: 0 } : { at: at + 4, length: this.file.readUInt32LE(at) };
  }

  private find(table: number, field: number): number {
    if (table === 0) return 0;
    const index = table - this.file.readInt32LE(table);
    const entry = 4 + 2 * field;
    if (entry >= this.file.readUInt16LE(index)) return 0;
    const offset = this.file.readUInt16LE(index + entry);
    return offset === 0 ? 0 : table + offset;
  }
}
