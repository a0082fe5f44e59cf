/** Box blur: each px becomes the mean of the square with a side of `2 radius + 1` px around it. Px outside of the picture do not count. */
export function boxMean(
  values: Float32Array,
  { width, height, radius }: { readonly width: number; readonly height: number; readonly radius: number },
): Float32Array {
  const pass = (from: Float32Array, count: number, length: number, step: number, next: number): Float32Array => {
    const out = new Float32Array(from.length);
    for (let line = 0; line < count; line++) {
      const start = line * next;
      let sum = 0;
      for (let i = 0; i < Math.min(radius, length); i++) sum += from[start + i * step]!;
      for (let i = 0; i < length; i++) {
        if (i + radius < length) sum += from[start + (i + radius) * step]!;
        if (i - radius - 1 >= 0) sum -= from[start + (i - radius - 1) * step]!;
        out[start + i * step] = sum / (Math.min(i + radius, length - 1) - Math.max(i - radius, 0) + 1);
      }
    }
    return out;
  };
  return pass(pass(values, height, width, 1, width), width, height, width, 1);
}
