import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readHalves } from './half.js';
import type { NetworkKernel, Sliding } from './kernel.js';
import { enlarge, enlargeTwofold, mapValues, meanOf, multiplyTensors } from './operations.js';
import type { Tensor, Weights } from './tensor.js';

/** A network ready to run. Stateless and reusable. */
export interface Network {
  /** Side of the square input picture, three channels. */
  readonly side: number;
  /** Computes its layers. */
  readonly kernel: NetworkKernel;
  /** Runs it. Returns every output by its name in the file. */
  run(picture: Tensor): ReadonlyMap<string, Tensor>;
}

interface GraphNode {
  readonly name: string;
  readonly op: string;
  readonly input?: readonly string[];
  readonly attr?: Readonly<Record<string, Attribute>>;
}

interface Attribute {
  readonly s?: string;
  readonly list?: { readonly i?: readonly string[]; readonly s?: readonly string[] };
  readonly shape?: { readonly shape?: unknown; readonly dim?: readonly { readonly size: string }[] };
}

interface GraphFile {
  readonly modelTopology: { readonly node: readonly GraphNode[] };
  readonly weightsManifest: readonly {
    readonly paths: readonly string[];
    readonly weights: readonly WeightEntry[];
  }[];
}

interface WeightEntry {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: 'float32' | 'int32';
  readonly quantization?: { readonly dtype: string };
}

/**
 * Reads a TensorFlow.js graph model (`*.json` with its weights in the same folder) of the operations that portrait networks
 * need. Nearly all of their time goes into convolutions, so no tensor library (a hundred times larger) is needed.
 * @throws Error naming an operation or a kind of weights that is not supported.
 */
export async function readNetwork(file: string, kernel: NetworkKernel): Promise<Network> {
  const graph = JSON.parse(await readFile(file, 'utf8')) as GraphFile;
  const weights = new Map<string, Weights>();
  for (const group of graph.weightsManifest) {
    const parts = await Promise.all(group.paths.map((path) => readFile(join(dirname(file), path))));
    readWeights(Buffer.concat(parts), group.weights, weights);
  }
  const { node: nodes } = graph.modelTopology;
  const source = nodes.find(({ op }) => op === 'Placeholder');
  if (source === undefined) throw new Error(`${file}: expected an input, found none`);
  const ordered = inOrder(nodes);
  const side = Number((source.attr?.shape?.shape as { dim?: { size: string }[] } | undefined)?.dim?.[1]?.size);
  return {
    side,
    kernel,
    run(picture) {
      kernel.begin(picture, side);
      const values = new Map<string, Tensor>([[source.name, picture]]);
      const outputs = new Map<string, Tensor>();
      for (const node of ordered) {
        const value = evaluate(node, { values, weights, kernel });
        values.set(node.name, value);
        if (node.op === 'Identity') outputs.set(node.name, { ...value, data: new Float32Array(value.data) });
      }
      return outputs;
    },
  };
}

function readWeights(bytes: Buffer, entries: readonly WeightEntry[], into: Map<string, Weights>): void {
  let at = 0;
  for (const { name, shape, dtype, quantization } of entries) {
    const count = shape.reduce((product, side) => product * side, 1);
    let data: Float32Array;
    if (quantization === undefined) {
      data = new Float32Array(count);
      for (let i = 0; i < count; i++)
        data[i] = dtype === 'int32' ? bytes.readInt32LE(at + 4 * i) : bytes.readFloatLE(at + 4 * i);
      at += 4 * count;
    } else if (quantization.dtype === 'float16') {
      data = readHalves(bytes, at, count);
      at += 2 * count;
    } else throw new Error(`weights ${name}: expected float16, found ${quantization.dtype}`);
    into.set(name, { shape, data });
  }
}

/** The computing nodes in topological order. */
function inOrder(nodes: readonly GraphNode[]): GraphNode[] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const ordered = new Set<GraphNode>();
  const visit = (node: GraphNode): void => {
    if (ordered.has(node) || node.op === 'Const' || node.op === 'Placeholder') return;
    for (const name of node.input ?? []) {
      const from = byName.get(name);
      if (from !== undefined) visit(from);
    }
    ordered.add(node);
  };
  for (const node of nodes) visit(node);
  return [...ordered];
}

function evaluate(
  node: GraphNode,
  {
    values,
    weights,
    kernel,
  }: { values: ReadonlyMap<string, Tensor>; weights: ReadonlyMap<string, Weights>; kernel: NetworkKernel },
): Tensor {
  const names = node.input ?? [];
  const valueAt = (index: number): Tensor => {
    const value = values.get(names[index] ?? '');
    if (value === undefined) throw new Error(`${node.name}: expected an input ${index}, found none`);
    return value;
  };
  const weightsAt = (index: number): Weights => {
    const found = weights.get(names[index] ?? '');
    if (found === undefined) throw new Error(`${node.name}: expected weights ${index}, found none`);
    return found;
  };
  switch (node.op) {
    case '_FusedConv2D': {
      const fused = (node.attr?.['fused_ops']?.list?.s ?? []).map(decodeText);
      const slopes = fused.includes('Relu')
        ? new Float32Array(weightsAt(2).data.length)
        : fused.includes('Prelu')
          ? weightsAt(3).data
          : undefined;
      return kernel.convolve(valueAt(0), weightsAt(1), {
        bias: weightsAt(2).data,
        slopes,
        sliding: slidingOf(node),
      });
    }
    case 'DepthwiseConv2dNative':
      return kernel.convolveDepthwise(valueAt(0), weightsAt(1), undefined, slidingOf(node));
    case '_FusedDepthwiseConv2dNative':
      return kernel.convolveDepthwise(valueAt(0), weightsAt(1), weightsAt(2).data, slidingOf(node));
    case 'AddV2':
      return kernel.add(valueAt(0), valueAt(1));
    case 'Relu':
      return kernel.rectify(valueAt(0));
    case 'Prelu':
      return kernel.rectify(valueAt(0), weightsAt(1).data);
    case 'Sigmoid':
      return mapValues(valueAt(0), (value) => 1 / (1 + Math.exp(-value)));
    case 'HardSwish':
      return mapValues(valueAt(0), (value) => (value * Math.min(Math.max(value + 3, 0), 6)) / 6);
    case 'Mul':
      return multiplyTensors(valueAt(0), valueAt(1));
    // It spans the whole picture.
    case 'Mean':
      return meanOf(valueAt(0));
    case 'ResizeBilinear': {
      const [height, width] = weightsAt(1).data;
      return enlarge(valueAt(0), height!, width!);
    }
    case 'Conv2DTransposeBias':
      return enlargeTwofold(valueAt(0), weightsAt(1).data, weightsAt(2).data[0]!);
    case 'MaxPool':
      return kernel.poolGreatest(valueAt(0), Number(node.attr?.['ksize']?.list?.i?.[1]), slidingOf(node));
    case 'Pad': {
      const [, , top, bottom, left, right, , channels] = weightsAt(1).data;
      return kernel.pad(valueAt(0), { top: top!, bottom: bottom!, left: left!, right: right!, channels: channels! });
    }
    case 'ConcatV2':
      return kernel.joinChannels(valueAt(0), valueAt(1));
    // Outputs are read value by value, so their shape does not matter.
    case 'Reshape':
    case 'Identity':
      return valueAt(0);
    default:
      throw new Error(`${node.name}: the operation ${node.op} is not supported`);
  }
}

function slidingOf(node: GraphNode): Sliding {
  return {
    stride: Number(node.attr?.['strides']?.list?.i?.[1] ?? 1),
    padding: decodeText(node.attr?.['padding']?.s ?? '') === 'SAME' ? 'same' : 'valid',
  };
}

function decodeText(base64: string): string {
  return Buffer.from(base64, 'base64').toString('latin1');
}
