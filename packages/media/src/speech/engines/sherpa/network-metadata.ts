/*
 * Fields of the network's file that sherpa-onnx reads (onnx.proto3, `ModelProto.metadata_props`). Fields of a protocol buffers message may come in any
 * order, so they are appended to the file.
 */

const METADATA = 14;
const KEY = 1;
const VALUE = 2;

/** Bytes that add properties to an ONNX file when they are appended to it. */
export function networkMetadata(properties: Readonly<Record<string, string | number>>): Uint8Array {
  const entries = Object.entries(properties).map(([key, value]) =>
    field(METADATA, Buffer.concat([field(KEY, Buffer.from(key)), field(VALUE, Buffer.from(String(value)))])),
  );
  return Buffer.concat(entries);
}

/** A length-delimited field: number and type, length, content. */
function field(number: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.from([number * 8 + 2, ...varint(content.length)]), content]);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}
