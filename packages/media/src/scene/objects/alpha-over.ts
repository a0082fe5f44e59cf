import type { YuvaFrame } from '@figurehead/presenter/frame';

/**
 * Composites `above` over `below`, both transparent with colours that are not premultiplied (Porter and Duff, 1984,
 * "over"). `x` and `y` are even and `above` is inside `below`; its alpha is multiplied by `opacity` 0…1. Writes into
 * `below`.
 */
export function compositeOver(
  above: YuvaFrame,
  below: YuvaFrame,
  { x, y, opacity }: { readonly x: number; readonly y: number; readonly opacity: number },
): void {
  // Chroma first, because it needs the original alpha of `below`.
  for (let row = 0; row < above.height / 2; row++) {
    for (let column = 0; column < above.width / 2; column++) {
      const upper = (quadAlpha(above, column * 2, row * 2) * opacity) / 255;
      if (upper === 0) continue;
      const lower = (quadAlpha(below, x + column * 2, y + row * 2) / 255) * (1 - upper);
      const from = row * above.uvStride + column;
      const to = (y / 2 + row) * below.uvStride + x / 2 + column;
      below.u[to] = Math.round((above.u[from]! * upper + below.u[to]! * lower) / (upper + lower));
      below.v[to] = Math.round((above.v[from]! * upper + below.v[to]! * lower) / (upper + lower));
    }
  }
  for (let row = 0; row < above.height; row++) {
    for (let column = 0; column < above.width; column++) {
      const from = row * above.yStride + column;
      const upper = (above.a[from]! * opacity) / 255;
      if (upper === 0) continue;
      const to = (y + row) * below.yStride + x + column;
      const lower = (below.a[to]! / 255) * (1 - upper);
      below.y[to] = Math.round((above.y[from]! * upper + below.y[to]! * lower) / (upper + lower));
      below.a[to] = Math.round((upper + lower) * 255);
    }
  }
}

/** Mean alpha of the 2×2 px that share a chroma sample. */
function quadAlpha({ a, yStride }: YuvaFrame, x: number, y: number): number {
  const at = y * yStride + x;
  return (a[at]! + a[at + 1]! + a[at + yStride]! + a[at + yStride + 1]!) / 4;
}
