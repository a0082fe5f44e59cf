/** 16-bit big-endian numbers; negative ones in two's complement. */
export function u16(...values: readonly number[]): Buffer {
  const out = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) out.writeUInt16BE(value & 0xffff, index * 2);
  return out;
}

/** 32-bit big-endian numbers; negative ones in two's complement. */
export function u32(...values: readonly number[]): Buffer {
  const out = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) out.writeUInt32BE(value >>> 0, index * 4);
  return out;
}
