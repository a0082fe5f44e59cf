/** Elements of EBML (RFC 8794), which Matroska (RFC 9559) and WebM consist of. Pure: values in, bytes out. */

/** An element with this id around `body`. */
export function element(id: number, ...body: readonly Uint8Array[]): Buffer {
  const length = body.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([idBytes(id), variable(length), ...body]);
}

/** An unsigned number in the minimum number of bytes, or in `width` bytes. */
export function unsigned(id: number, value: number, width = bytesFor(value)): Buffer {
  const out = Buffer.alloc(8);
  out.writeBigUInt64BE(BigInt(value));
  return element(id, out.subarray(8 - width));
}

/** A 64-bit floating-point number. */
export function float(id: number, value: number): Buffer {
  const out = Buffer.alloc(8);
  out.writeDoubleBE(value);
  return element(id, out);
}

/** Text in UTF-8. */
export function text(id: number, value: string): Buffer {
  return element(id, Buffer.from(value));
}

/** The head of an element whose body of `length` bytes is written separately; its size field always has 8 bytes. */
export function head(id: number, length: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(length) | (1n << 56n));
  return Buffer.concat([idBytes(id), size]);
}

function bytesFor(value: number): number {
  return Math.max(1, Math.ceil(Math.log2(value + 1) / 8));
}

/** Ids encode their own length. */
function idBytes(id: number): Uint8Array {
  const width = id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1;
  return new Uint8Array(width).map((_, index) => (id >>> (8 * (width - 1 - index))) & 255);
}

/** A number in the format of sizes and of track numbers in blocks: the leading zeros encode its length. */
export function variable(length: number): Uint8Array {
  // All ones would mean "unknown", hence one less.
  const width = [1, 2, 3, 4].find((bytes) => length < 2 ** (7 * bytes) - 1);
  if (width === undefined) throw new RangeError(`expected an element of less than 256 MB, got ${length} bytes`);
  const marked = length + 2 ** (7 * width);
  return new Uint8Array(width).map((_, index) => Math.floor(marked / 256 ** (width - 1 - index)) % 256);
}
