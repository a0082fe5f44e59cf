/** Elements of EBML (RFC 8794), which Matroska (RFC 9559) and WebM consist of. Pure: values in, bytes out. */

/** An element with this id around `body`. */
export function element(id: number, ...body: readonly Uint8Array[]): Uint8Array {
  const length = body.reduce((sum, part) => sum + part.length, 0);
  return join([idBytes(id), sizeBytes(length), ...body]);
}

/** An unsigned number in as few bytes as possible, or in `width` bytes. */
export function unsigned(id: number, value: number, width = bytesFor(value)): Uint8Array {
  const out = new Uint8Array(width);
  let rest = value;
  for (let at = width - 1; at >= 0; at--) {
    out[at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return element(id, out);
}

/** A 64-bit floating-point number. */
export function float(id: number, value: number): Uint8Array {
  const out = new Uint8Array(8);
  new DataView(out.buffer).setFloat64(0, value);
  return element(id, out);
}

/** Text in UTF-8. */
export function text(id: number, value: string): Uint8Array {
  return element(id, new TextEncoder().encode(value));
}

/** The head of an element whose body of `length` bytes is written separately; the size always takes 8 bytes. */
export function head(id: number, length: number): Uint8Array {
  const size = new Uint8Array(8);
  new DataView(size.buffer).setBigUint64(0, BigInt(length) | (1n << 56n));
  return join([idBytes(id), size]);
}

/** A number in the format of a block's track number: its length is encoded in the leading zeros. */
export function variable(value: number): Uint8Array {
  return sizeBytes(value);
}

/** The parts one after the other. */
export function join(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function bytesFor(value: number): number {
  return Math.max(1, Math.ceil(Math.log2(value + 1) / 8));
}

/** Ids encode their own length. */
function idBytes(id: number): Uint8Array {
  const width = id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1;
  return Uint8Array.from({ length: width }, (_, index) => (id >>> (8 * (width - 1 - index))) & 255);
}

function sizeBytes(length: number): Uint8Array {
  // All ones would mean "unknown", hence one less.
  const width = [1, 2, 3, 4].find((bytes) => length < 2 ** (7 * bytes) - 1);
  if (width === undefined) throw new RangeError(`expected an element of less than 256 MB, got ${length} bytes`);
  const marked = length + 2 ** (7 * width);
  return Uint8Array.from({ length: width }, (_, index) => Math.floor(marked / 256 ** (width - 1 - index)) % 256);
}
