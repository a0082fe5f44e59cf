/** Reads little-endian IEEE 754 binary16 numbers; infinities and NaN do not occur in weights. */
export function readHalves(bytes: Buffer, offset: number, count: number): Float32Array {
  const numbers = new Float32Array(count);
  // The same bits as binary32: another exponent bias, 13 more fraction bits.
  const bits = new Uint32Array(numbers.buffer);
  for (let i = 0; i < count; i++) {
    const half = bytes.readUInt16LE(offset + 2 * i);
    const exponent = (half >> 10) & 0x1f;
    const fraction = half & 0x3ff;
    if (exponent === 0) numbers[i] = (half & 0x8000 ? -1 : 1) * 2 ** -24 * fraction;
    else bits[i] = (((half & 0x8000) << 16) | ((exponent + 112) << 23) | (fraction << 13)) >>> 0;
  }
  return numbers;
}
