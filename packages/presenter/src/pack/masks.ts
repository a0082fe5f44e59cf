import { chessboardDistance } from '../drawing/distance.js';
import { smoothstep } from '../face/easing.js';
import { OPAQUE, type PlateBox } from './manifest.js';
import type { TextureBox } from './textures.js';

/** A weight 0…255 for each texel of a box, and for each of its chroma samples. */
export interface Mask {
  readonly luma: Uint8Array;
  readonly chroma: Uint8Array;
}

/** Builds a mask, with rows of `stride` and half of it, from a function of texel coordinates that gives 0…1. */
export function buildMask(
  size: { width: number; height: number; stride: number },
  weight: (x: number, y: number) => number,
): Mask {
  const { width, height, stride } = size;
  const luma = new Uint8Array(stride * height);
  const chroma = new Uint8Array((stride / 2) * (height / 2));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) luma[y * stride + x] = Math.round(255 * weight(x, y));
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      const at = y * stride + x;
      const sum = luma[at]! + luma[at + 1]! + luma[at + stride]! + luma[at + stride + 1]!;
      chroma[(y * stride) / 4 + x / 2] = (sum + 2) >> 2;
    }
  }
  return { luma, chroma };
}

/** How a box's picture fades into the plate; lengths are shares of the box's width or height. */
interface Feather {
  readonly sides: number;
  readonly ends: number;
}

/** Feathers of presenters/FORMAT.md 3.1 and 3.2. */
export const MOUTH_FEATHER: Feather = { sides: 0.17, ends: 0.12 };
/** See {@link MOUTH_FEATHER}. */
export const LID_FEATHER: Feather = { sides: 0.06, ends: 0.14 };

interface FeatherOptions {
  /** Box of the manifest, plate px. */
  readonly box: PlateBox;
  readonly texels: TextureBox;
  readonly stride: number;
  readonly scale: number;
  readonly feather: Feather;
  /** Alpha of the plate at a texel. */
  readonly alphaAt: (x: number, y: number) => number;
}

/**
 * Plate px inside the silhouette where a picture begins to show, and the distance over which it becomes fully opaque.
 * The pictures are black outside the person and compressed: at the silhouette the black bleeds into them, and chroma
 * samples there would mix premultiplied and plain colour.
 */
const RIM = 1;
const RIM_FADE = 4;

/** Weight of a picture that is drawn into a box: 0 at its edge and where the plate is not fully opaque. */
export function featherMask({ box, texels, stride, scale, feather, alphaAt }: FeatherOptions): Mask {
  const width = box[2] - box[0];
  const height = box[3] - box[1];
  const margin = Math.ceil((RIM + RIM_FADE) * Math.max(scale, 1));
  const across = texels.width + 2 * margin;
  const inside = chessboardDistance(
    (x, y) => alphaAt(texels.x + x - margin, texels.y + y - margin) < OPAQUE,
    across,
    texels.height + 2 * margin,
  );
  return buildMask({ width: texels.width, height: texels.height, stride }, (column, row) => {
    // At least a chroma sample's width from the silhouette, whatever the scale.
    const depth = (inside[(row + margin) * across + column + margin]! - RIM * Math.max(scale, 1)) / (RIM_FADE * scale);
    if (depth <= 0) return 0;
    const x = (texels.x + column + 0.5) / scale - 0.5 - box[0];
    const y = (texels.y + row + 0.5) / scale - 0.5 - box[1];
    const sides = smoothstep(0, feather.sides, Math.min(x, width - 1 - x) / width);
    return (
      Math.min(depth, 1) *
      sides *
      smoothstep(0, feather.ends, y / height) *
      smoothstep(0, feather.ends, (height - 1 - y) / height)
    );
  });
}
