/** Writes ONNX models byte by byte, following onnx.proto3, so that tests need no model file. */

export const FLOAT = 1;
export const INT64 = 7;

/** A NodeProto of one operator. */
export function node(operator: string, inputs: string[], output: string, attributes: Buffer = Buffer.alloc(0)): Buffer {
  return bytes(1, ...inputs.map((name) => text(1, name)), text(2, output), text(4, operator), attributes);
}

/** An integer attribute. */
export function integer(name: string, of: number): Buffer {
  return bytes(5, text(1, name), number(3, of), number(20, 2));
}

/** A scalar initializer. */
export function real(name: string, of: number): Buffer {
  const content = Buffer.alloc(4);
  content.writeFloatLE(of);
  return bytes(5, number(2, FLOAT), text(8, name), bytes(9, content));
}

/** A ValueInfoProto: input (field 11) or output (12) of the graph. */
export function value(field: number, name: string, type: number, dimensions: (number | string)[]): Buffer {
  const shape = dimensions.map((size) => bytes(1, typeof size === 'number' ? number(1, size) : text(2, size)));
  return bytes(field, text(1, name), bytes(2, bytes(1, number(1, type), bytes(2, ...shape))));
}

/** 64-bit integers in a tensor's byte order. */
export function words(...of: number[]): Buffer {
  const content = Buffer.alloc(8 * of.length);
  of.forEach((each, index) => {
    content.writeBigInt64LE(BigInt(each), 8 * index);
  });
  return content;
}

/** A string field. */
export function text(field: number, of: string): Buffer {
  return bytes(field, Buffer.from(of));
}

/** A length-delimited field. */
export function bytes(field: number, ...content: Buffer[]): Buffer {
  const whole = Buffer.concat(content);
  return Buffer.concat([varint(field * 8 + 2), varint(whole.length), whole]);
}

/** A varint field. */
export function number(field: number, of: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(of)]);
}

function varint(of: number): Buffer {
  const out: number[] = [];
  let rest = of;
  for (; rest > 127; rest >>>= 7) out.push((rest & 127) | 128);
  return Buffer.from([...out, rest]);
}
