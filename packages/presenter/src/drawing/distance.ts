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
  relax(distance, { width, height, step: 1 });
  relax(distance, { width, height, step: -1 });
  const cropped = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const from = (y + 1) * stride + 1;
    cropped.set(distance.subarray(from, from + width), y * width);
  }
  return cropped;
}

/** Passes over a grid with a rim of a place, forwards or backwards. */
function relax(
  distance: Uint8Array,
  { width, height, step }: { readonly width: number; readonly height: number; readonly step: 1 | -1 },
): void {
  const stride = width + 2;
  const first = step === 1 ? stride + 1 : stride * (height + 1) - 2;
  for (let row = 0; row < height; row++) {
    let at = first + step * row * stride;
    for (let column = 0; column < width; column++, at += step) {
      const before = at - step * stride;
      const near = Math.min(distance[at - step]!, distance[before - 1]!, distance[before]!, distance[before + 1]!);
      if (near + 1 < distance[at]!) distance[at] = near + 1;
    }
  }
}
