import { allocateYuv, type YuvaFrame } from '@figurehead/presenter/frame';
import { boundsOf, clipToFrame } from '@figurehead/presenter/geometry';
import type { LayerShape } from '../contract.js';

/** A picture and the position of its top left corner in the frame. */
export interface PlacedPicture {
  readonly picture: YuvaFrame;
  readonly x: number;
  readonly y: number;
}

const NEUTRAL = 128;

/**
 * Turns and masks a picture that is placed upright at `placed`. Parts outside the frame are omitted; null when nothing
 * is visible.
 */
export function shapePicture(
  placed: PlacedPicture,
  shape: LayerShape,
  frame: { readonly width: number; readonly height: number },
): PlacedPicture | null {
  const turned = shape.angle === 0 ? placed : turnPicture(placed, shape, frame);
  return turned && (shape.mask ? maskPicture(turned, shape.mask) : turned);
}

/**
 * The picture turned about the shape's point, bilinear. Colours are weighted by alpha, so that transparent pixels do
 * not tint edges.
 */
function turnPicture(
  { picture, x, y }: PlacedPicture,
  shape: LayerShape,
  frame: { readonly width: number; readonly height: number },
): PlacedPicture | null {
  const [cos, sin] = [Math.cos(shape.angle), Math.sin(shape.angle)];
  const box = { x: x - shape.x, y: y - shape.y, width: picture.width, height: picture.height };
  const area = clipToFrame(boundsOf([cos, sin, -sin, cos, shape.x, shape.y], box), frame);
  if (area === null) return null;
  const out: YuvaFrame = { ...allocateYuv(area.width, area.height), a: new Uint8Array(area.width * area.height) };
  const { width, height, yStride, uvStride } = picture;
  for (let row = 0; row < area.height; row++) {
    // Maps the frame back to the picture: the inverse turn, a step of (cos, −sin) per px to the right.
    const fy = area.y + row + 0.5 - shape.y;
    let fromX = cos * (area.x + 0.5 - shape.x) + sin * fy + shape.x - x - 0.5;
    let fromY = -sin * (area.x + 0.5 - shape.x) + cos * fy + shape.y - y - 0.5;
    const wantsChroma = (row & 1) === 0;
    for (let column = 0; column < area.width; column++, fromX += cos, fromY -= sin) {
      const at = row * area.width + column;
      const left = Math.floor(fromX);
      const top = Math.floor(fromY);
      let luma = 0;
      let alpha = 0;
      if (left >= -1 && top >= -1 && left < width && top < height) {
        const [u, v] = [fromX - left, fromY - top];
        for (let tap = 0; tap < 4; tap++) {
          const px = left + (tap & 1);
          const py = top + (tap >> 1);
          if (px < 0 || py < 0 || px >= width || py >= height) continue;
          const from = py * yStride + px;
          const weight = ((tap & 1) === 1 ? u : 1 - u) * (tap >> 1 === 1 ? v : 1 - v) * picture.a[from]!;
          alpha += weight;
          luma += weight * picture.y[from]!;
        }
      }
      out.a[at] = Math.round(alpha);
      out.y[at] = alpha > 0 ? Math.round(luma / alpha) : 16;
      if (!wantsChroma || (column & 1) === 1) continue;
      const to = (row >> 1) * out.uvStride + (column >> 1);
      const cx = Math.round((fromX + 0.5 * (cos + sin)) / 2);
      const cy = Math.round((fromY + 0.5 * (cos - sin)) / 2);
      const isInside = cx >= 0 && cy >= 0 && cx < width / 2 && cy < height / 2;
      out.u[to] = isInside ? picture.u[cy * uvStride + cx]! : NEUTRAL;
      out.v[to] = isInside ? picture.v[cy * uvStride + cx]! : NEUTRAL;
    }
  }
  return { picture: out, x: area.x, y: area.y };
}

/** The picture with its alpha multiplied by the mask's; outside of the mask it is transparent. */
function maskPicture({ picture, x, y }: PlacedPicture, mask: NonNullable<LayerShape['mask']>): PlacedPicture {
  const { width, height, yStride } = picture;
  const a = new Uint8Array(yStride * height);
  const [left, top] = [Math.round(x) - mask.x, Math.round(y) - mask.y];
  for (let row = 0; row < height; row++) {
    const maskRow = top + row;
    if (maskRow < 0 || maskRow >= mask.height) continue;
    for (let column = 0; column < width; column++) {
      const maskColumn = left + column;
      if (maskColumn < 0 || maskColumn >= mask.width) continue;
      const at = row * yStride + column;
      a[at] = (picture.a[at]! * mask.a[maskRow * mask.width + maskColumn]! + 127) / 255;
    }
  }
  return { picture: { ...picture, a }, x, y };
}
