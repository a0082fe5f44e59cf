/** A field of a protocol buffers message: its number, its bytes and its content. */
interface Field {
  readonly number: number;
  readonly start: number;
  readonly end: number;
  /** Content of a length-delimited field; empty for others. */
  readonly content: Uint8Array;
}

const MODEL_GRAPH = 7;
const GRAPH_NODE = 1;
const GRAPH_OUTPUT = 12;
const NODE_OUTPUT = 2;
const NODE_OPERATOR = 4;
const VALUE_NAME = 1;
const LENGTH_DELIMITED = 2;

/** A Piper model with its durations as an additional output. */
interface TimedModel {
  readonly model: Uint8Array;
  /** Name of the output with the frames of each phone; absent when the model has no node that computes them. */
  readonly durations?: string;
}

/**
 * Adds the durations of a VITS model (Kim, Kong & Son 2021), which its only `Ceil` node computes, to its outputs. Changes the ONNX
 * file (onnx.proto3) in memory; everything else stays byte for byte.
 */
export function exposeDurations(model: Uint8Array): TimedModel {
  const graph = fields(model).find(({ number }) => number === MODEL_GRAPH);
  if (!graph) throw new Error('expected an ONNX model with a graph');
  const ceil = fields(graph.content)
    .filter(({ number }) => number === GRAPH_NODE)
    .map(({ content }) => fields(content))
    .find((node) => textOf(node, NODE_OPERATOR) === 'Ceil');
  const durations = ceil && textOf(ceil, NODE_OUTPUT);
  if (!durations) return { model };
  const output = delimited(GRAPH_OUTPUT, delimited(VALUE_NAME, new TextEncoder().encode(durations)));
  // One copy: a model has some 60 MB.
  const parts = [
    model.subarray(0, graph.start),
    header(MODEL_GRAPH, graph.content.length + output.length),
    graph.content,
    output,
    model.subarray(graph.end),
  ];
  return { model: Buffer.concat(parts), durations };
}

function fields(message: Uint8Array): Field[] {
  const out: Field[] = [];
  for (let at = 0; at < message.length; ) {
    const start = at;
    const [key, afterKey] = readVarint(message, at);
    const type = key & 7;
    let content = message.subarray(0, 0);
    if (type === LENGTH_DELIMITED) {
      const [length, from] = readVarint(message, afterKey);
      at = from + length;
      content = message.subarray(from, at);
    } else if (type === 0) at = readVarint(message, afterKey)[1];
    else if (type === 1) at = afterKey + 8;
    else if (type === 5) at = afterKey + 4;
    else throw new Error(`expected an ONNX model, found wire type ${type}`);
    if (at > message.length) throw new Error('expected a whole ONNX model, got a part of one');
    out.push({ number: key >>> 3, start, end: at, content });
  }
  return out;
}

function textOf(message: readonly Field[], number: number): string | undefined {
  const found = message.find((field) => field.number === number);
  return found && new TextDecoder().decode(found.content);
}

function readVarint(bytes: Uint8Array, at: number): [value: number, next: number] {
  let value = 0;
  let scale = 1;
  for (let next = at; next < bytes.length; next++) {
    const byte = bytes[next]!;
    value += (byte & 127) * scale;
    if (byte < 128) return [value, next + 1];
    scale *= 128;
  }
  throw new Error('expected a whole ONNX model, got a part of one');
}

function delimited(number: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([header(number, content.length), content]);
}

/** Number and type of a length-delimited field, and the length of its content. */
function header(number: number, length: number): Uint8Array {
  return Buffer.concat([varint(number * 8 + LENGTH_DELIMITED), varint(length)]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.from([...bytes, rest]);
}
