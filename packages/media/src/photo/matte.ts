import { smoothStep } from '../presenter/pack/masks.js';
import { fillUnknown } from './fill.js';
import type { Network } from './network/graph.js';
import type { Tensor } from './network/tensor.js';
import type { Picture } from './picture.js';
import { boxMean } from './shaping/box-mean.js';
import type { FaceMesh } from './shaping/mesh.js';

/** Longest side on which the outline is fitted to the picture's edges, px. */
const FITTED_SIDE = 640;

/**
 * How far from the network's outline the true one is searched, in px of the fitted picture, and how strongly an edge
 * counts.
 */
const RADIUS = 7;
const EPSILON = 2e-4;

/** Opacities below the first are transparent, from the second on opaque. */
const CLEAR = 0.2;
const SOLID = 0.85;

/** From this opacity on colours belong to the person; below it they are mixed with the background. */
const PURE = 0.97;

/** A picture of which at least this share is transparent is already cut out. */
const CUT_OUT = 0.05;

/**
 * Cuts the person out of a portrait, by the picture's own transparency or by the network's mask fitted to the edges.
 */
export function cutOut(picture: Picture, mesh: FaceMesh, segmenter: Network): Picture {
  if (isCutOut(picture)) return { ...picture, data: withoutGround(picture) };
  const { width, height } = picture;
  const seen = segmenter.run(shrink(picture, segmenter.side, segmenter.side)).get('output')!;
  const scale = Math.min(1, FITTED_SIDE / Math.max(width, height));
  const [w, h] = [Math.max(16, Math.round(width * scale)), Math.max(16, Math.round(height * scale))];
  const guide = lightnessOf(shrink(picture, w, h));
  const rough = resample(seen.data, { width: seen.width, height: seen.height }, { width: w, height: h });
  const { slope, shift } = fitToEdges(guide, joined(rough, { width: w, height: h }, faceSeed(mesh, scale)), w, h);
  const data = Uint8Array.from(picture.data);
  for (let y = 0; y < height; y++) {
    const v = ((y + 0.5) * h) / height - 0.5;
    for (let x = 0; x < width; x++) {
      const u = ((x + 0.5) * w) / width - 0.5;
      const at = (y * width + x) * 4;
      const light = (0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!) / 255;
      const alpha = between(slope, w, h, u, v) * light + between(shift, w, h, u, v);
      data[at + 3] = Math.round(255 * smoothStep(CLEAR, SOLID, alpha));
    }
  }
  const cut = { width, height, data };
  return { ...cut, data: withoutGround(cut) };
}

/** Whether a picture has a transparent background already. */
export function isCutOut({ data }: Picture): boolean {
  let clear = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i]! < 128) clear++;
  return clear > (CUT_OUT * data.length) / 4;
}

/** A point that certainly belongs to the person, px of the fitted picture. */
function faceSeed(mesh: FaceMesh, scale: number): { x: number; y: number } {
  const nose = mesh.points[1]!;
  return { x: Math.round(nose.x * scale), y: Math.round(nose.y * scale) };
}

/** Keeps only what is connected to the face. */
function joined(
  alpha: Float32Array,
  { width, height }: { width: number; height: number },
  seed: { x: number; y: number },
): Float32Array {
  const kept = new Float32Array(alpha.length);
  const start = Math.min(Math.max(seed.y, 0), height - 1) * width + Math.min(Math.max(seed.x, 0), width - 1);
  const waiting = [start];
  const isSeen = new Uint8Array(alpha.length);
  isSeen[start] = 1;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    kept[at] = alpha[at]!;
    const x = at % width;
    for (const next of [x > 0 ? at - 1 : -1, x < width - 1 ? at + 1 : -1, at - width, at + width]) {
      if (next < 0 || next >= alpha.length || isSeen[next] === 1 || alpha[next]! < 0.1) continue;
      isSeen[next] = 1;
      waiting.push(next);
    }
  }
  return kept;
}

/**
 * The guided filter (He, Sun and Tang 2010, doi:10.1007/978-3-642-15549-9_1): opacity as a linear function of the
 * lightness around each px.
 */
function fitToEdges(
  guide: Float32Array,
  alpha: Float32Array,
  width: number,
  height: number,
): { slope: Float32Array; shift: Float32Array } {
  const mean = (values: Float32Array): Float32Array => boxMean(values, { width, height, radius: RADIUS });
  const meanGuide = mean(guide);
  const meanAlpha = mean(alpha);
  const both = mean(guide.map((value, i) => value * alpha[i]!));
  const squares = mean(guide.map((value) => value * value));
  const slope = guide.map(
    (_, i) => (both[i]! - meanGuide[i]! * meanAlpha[i]!) / (squares[i]! - meanGuide[i]! ** 2 + EPSILON),
  );
  const shift = slope.map((value, i) => meanAlpha[i]! - value * meanGuide[i]!);
  return { slope: mean(slope), shift: mean(shift) };
}

/** Removes the background from the colours of half-transparent px: they get those of the opaque px around them. */
function withoutGround({ width, height, data }: Picture): Uint8Array {
  const filled = fillUnknown({ width, height, data }, (i) => data[i * 4 + 3]! >= 255 * PURE);
  const out = Uint8Array.from(data);
  for (let i = 0; i < width * height; i++) {
    const alpha = data[i * 4 + 3]! / 255;
    if (alpha >= PURE) continue;
    const own = smoothStep(0.5, 1, alpha);
    for (let c = 0; c < 3; c++) {
      const pure = filled[i * 3 + c]!;
      out[i * 4 + c] = Math.round(pure + own * (data[i * 4 + c]! - pure));
    }
  }
  return out;
}

/** A picture at another size by averaging, colours 0…1. */
function shrink(picture: Picture, width: number, height: number): Tensor {
  const data = new Float32Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const [top, foot] = spanOf(y, height, picture.height);
    for (let x = 0; x < width; x++) {
      const [left, right] = spanOf(x, width, picture.width);
      const sum = [0, 0, 0];
      for (let row = top; row < foot; row++) {
        for (let column = left; column < right; column++) {
          for (let c = 0; c < 3; c++) sum[c] = sum[c]! + picture.data[(row * picture.width + column) * 4 + c]!;
        }
      }
      const share = 1 / (255 * (foot - top) * (right - left));
      for (let c = 0; c < 3; c++) data[(y * width + x) * 3 + c] = sum[c]! * share;
    }
  }
  return { width, height, channels: 3, data };
}

/** The px along a side that one px of a smaller picture covers, at least one. */
function spanOf(index: number, size: number, from: number): [number, number] {
  const start = Math.min(Math.floor((index * from) / size), from - 1);
  return [start, Math.max(start + 1, Math.floor(((index + 1) * from) / size))];
}

function lightnessOf({ data }: Tensor): Float32Array {
  return Float32Array.from(
    { length: data.length / 3 },
    (_, i) => 0.299 * data[i * 3]! + 0.587 * data[i * 3 + 1]! + 0.114 * data[i * 3 + 2]!,
  );
}

function resample(
  values: Float32Array,
  from: { width: number; height: number },
  to: { width: number; height: number },
): Float32Array {
  return Float32Array.from({ length: to.width * to.height }, (_, i) => {
    const u = (((i % to.width) + 0.5) * from.width) / to.width - 0.5;
    const v = ((Math.floor(i / to.width) + 0.5) * from.height) / to.height - 0.5;
    return between(values, from.width, from.height, u, v);
  });
}

/** Bilinear; the edge is repeated outside. */
function between(values: Float32Array, width: number, height: number, u: number, v: number): number {
  const x = Math.min(Math.max(u, 0), width - 1);
  const y = Math.min(Math.max(v, 0), height - 1);
  const [i, j] = [Math.min(Math.floor(x), width - 2), Math.min(Math.floor(y), height - 2)];
  const [fx, fy] = [x - i, y - j];
  const at = j * width + i;
  return (
    (values[at]! * (1 - fx) + values[at + 1]! * fx) * (1 - fy) +
    (values[at + width]! * (1 - fx) + values[at + width + 1]! * fx) * fy
  );
}
