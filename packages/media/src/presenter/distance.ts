/** Distances are counted up to here. */
export const FAR = 255;

/**
 * Chessboard distance of each place of a grid to the nearest place with 0, in two passes (Rosenfeld and Pfaltz,
 * "Sequential operations in digital picture processing", 1966). Places outside the grid count as far.
 * @param isZero places (row-major) that are 0
 */
export function chessboardDistance(
  isZero: (x: number, y: number) => boolean,
  width: number,
  height: number,
): Uint8Array {
  const stride = width + 2;
  const distance = new Uint8Array(stride * (height + 2)).fill(FAR);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) if (isZero(x, y)) distance[(y + 1) * stride + x + 1] = 0;
  }
  relax(distance, stride, { from: stride + 1, to: stride * (height + 1) - 1, step: 1 });
  relax(distance, stride, { from: stride * (height + 1) - 2, to: stride, step: -1 });
  const cropped = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const from = (y + 1) * stride + 1;
    cropped.set(distance.subarray(from, from + width), y * width);
  }
  return cropped;
}

function relax(
  distance: Uint8Array,
  stride: number,
  { from, to, step }: { from: number; to: number; step: 1 | -1 },
): void {
  for (let at = from; at !== to; at += step) {
    const column = at % stride;
    if (column === 0 || column === stride - 1) continue;
    const row = at - step * stride;
    const near = Math.min(distance[at - step]!, distance[row - 1]!, distance[row]!, distance[row + 1]!);
    if (near + 1 < distance[at]!) distance[at] = near + 1;
  }
}
