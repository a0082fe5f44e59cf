import { Blocks } from '../drawing/arena.js';
import type { DrawingKernel } from '../drawing/kernel.js';
import { type Plane, type Resampling, resamplePlane } from '../drawing/resample.js';
import type { Rect, YuvaFrame, YuvFrame } from '../frame.js';
import type { PlateBox } from './manifest.js';
import type { Inset, LoadedPack } from './pack.js';

/** Texels around a plate that repeat its edge, so that a shifted plate still covers its area. */
const PLATE_BORDER = 48;

/** Texels around a mouth patch. */
const PATCH_BORDER = 8;

/** Side of a block of the alpha summary; the kernel uses the same. */
export const ALPHA_BLOCK = 8;

/** Addresses of the three planes of a texture, at texel (0, 0). */
export interface Planes {
  readonly y: number;
  readonly u: number;
  readonly v: number;
}

/** A box of the plate in texels, even-aligned. */
export type TextureBox = Readonly<Rect>;

/** A plane's part of a box. */
interface PlanePart {
  readonly name: keyof Planes;
  /** Luma px per sample along a side. */
  readonly shrink: 1 | 2;
  readonly stride: number;
  /** From the plane's first sample to the box's. */
  readonly offset: number;
  readonly width: number;
  readonly height: number;
}

/** The parts of three planes that a box covers, from the row length of luma. */
export function planesOf({ x, y, width, height }: TextureBox, stride: number): PlanePart[] {
  return (['y', 'u', 'v'] as const).map((name) => {
    const shrink = name === 'y' ? 1 : 2;
    const offset = (y / shrink) * (stride / shrink) + x / shrink;
    return { name, shrink, stride: stride / shrink, offset, width: width / shrink, height: height / shrink };
  });
}

/** The plate's planes with a border: row length of luma; chroma has half of it. */
interface PlateTextures {
  readonly width: number;
  readonly height: number;
  readonly border: number;
  readonly stride: number;
  /** At rest, colour premultiplied. */
  readonly rest: Planes;
  /** The static background behind the person, with its own alpha, which is 255 everywhere. */
  readonly ground?: GroundTextures;
  /** A copy of `rest` into which the eyes and mouth of the current frame are drawn. */
  readonly face: Planes;
  readonly alpha: number;
  readonly alphaHalf: number;
  /** Least and greatest alpha of each block, border included. */
  readonly blockMin: number;
  readonly blockMax: number;
  readonly blockStride: number;
}

/** A picture behind the person with the plate's layout, and planes of alpha 255. */
interface GroundTextures {
  readonly planes: Planes;
  readonly alpha: number;
  readonly alphaHalf: number;
}

/** Planes of eyes or mouths that are drawn into the plate, all with the same row length and size. */
interface InsetTextures {
  readonly box: TextureBox;
  readonly stride: number;
  readonly border: number;
  readonly pictures: readonly Planes[];
}

/** A pack resampled to one scale in the kernel's memory, without anything that depends on a frame. */
export interface PackTextures {
  readonly scale: number;
  readonly plate: PlateTextures;
  readonly lids: InsetTextures;
  readonly mouths: InsetTextures;
  readonly depth: number;
  readonly flow: number;
  free(): void;
}

/** Uploads a pack at `scale` texels per plate px. */
export function uploadPack(kernel: DrawingKernel, pack: LoadedPack, scale: number): PackTextures {
  const blocks = new Blocks(kernel.arena);
  const plate = uploadPlate(kernel, blocks, pack, scale);
  const { eye, mouth } = pack.manifest;
  const depth = blocks.upload(pack.depth.data);
  // The kernel adds fields in vectors of four.
  const flow = blocks.allocate(pack.flow.byteLength + 16);
  kernel.arena.floats(flow, pack.flow.length).set(pack.flow);
  return {
    scale,
    plate,
    lids: uploadInsets(kernel, blocks, pack.lids, { box: scaleBox(eye.box, scale, plate), scale, border: 0 }),
    mouths: uploadInsets(kernel, blocks, pack.mouths, {
      box: scaleBox(mouth.box, scale, plate),
      scale,
      border: PATCH_BORDER,
    }),
    depth,
    flow,
    free: () => blocks.free(),
  };
}

/** Texels that cover a box of the plate, on even coordinates and inside the plate. */
export function scaleBox([x0, y0, x1, y1]: PlateBox, scale: number, plate: PlateTextures): TextureBox {
  const x = Math.floor(x0 * scale) & ~1;
  const y = Math.floor(y0 * scale) & ~1;
  const right = Math.min(Math.ceil(x1 * scale), plate.width);
  const bottom = Math.min(Math.ceil(y1 * scale), plate.height);
  return { x, y, width: (right - x + 1) & ~1, height: (bottom - y + 1) & ~1 };
}

function uploadPlate(kernel: DrawingKernel, blocks: Blocks, pack: LoadedPack, scale: number): PlateTextures {
  const { run } = kernel;
  const border = PLATE_BORDER;
  const width = Math.ceil((pack.width * scale) / 2) * 2;
  const height = Math.ceil((pack.height * scale) / 2) * 2;
  const stride = Math.ceil((width + 2 * border) / 16) * 16;
  const rows = Math.ceil((height + 2 * border) / ALPHA_BLOCK) * ALPHA_BLOCK;
  const luma = (): number => blocks.allocate(stride * rows + 64) + border * stride + border;
  const half = (): number => blocks.allocate((stride * rows) / 4 + 64) + (border * stride) / 4 + border / 2;
  const planes = (): Planes => ({ y: luma(), u: half(), v: half() });
  const rest = planes();
  const face = planes();
  const alpha = luma();
  const alphaHalf = half();
  const source = premultiply(kernel, pack.plate);
  const how = { scale, originX: 0, originY: 0, sourceX: 0, sourceY: 0 };
  const at = (address: number): Plane => ({ at: address, stride, width, height });
  const atHalf = (address: number): Plane => ({
    at: address,
    stride: stride / 2,
    width: width / 2,
    height: height / 2,
  });
  if (scale === 1) {
    for (const [from, to] of [
      [source.y, at(rest.y)],
      [source.a, at(alpha)],
      [source.u, atHalf(rest.u)],
      [source.v, atHalf(rest.v)],
      [source.aHalf, atHalf(alphaHalf)],
    ] as const) {
      run.copyPlane(to.at, to.stride, from.at, from.stride, from.width, from.height);
    }
  } else {
    resamplePlane(kernel, source.a, at(alpha), { ...how, filter: 'soft' });
    resamplePlane(kernel, source.y, at(rest.y), { ...how, filter: 'soft' });
    sharpenInside(kernel, source, at(rest.y), how);
    for (const [from, to] of [
      [source.u, rest.u],
      [source.v, rest.v],
      [source.aHalf, alphaHalf],
    ] as const) {
      resamplePlane(kernel, from, atHalf(to), { ...how, filter: 'soft' });
    }
  }
  source.free();
  for (const plane of [rest.y, alpha]) run.extendEdges(plane, stride, width, height, border);
  for (const plane of [rest.u, rest.v, alphaHalf])
    run.extendEdges(plane, stride / 2, width / 2, height / 2, border / 2);
  for (const [to, from, size] of [
    [face.y, rest.y, stride],
    [face.u, rest.u, stride / 2],
    [face.v, rest.v, stride / 2],
  ] as const) {
    const edge = size === stride ? border : border / 2;
    const start = edge * size + edge;
    run.copyPlane(to - start, size, from - start, size, size, (rows * size) / stride);
  }
  const solid = (plane: number, bytes: number, corner: number): number => {
    kernel.arena.bytes(plane - corner, bytes).fill(255);
    return plane;
  };
  const ground = pack.ground && {
    planes: planes(),
    alpha: solid(luma(), stride * rows, border * (stride + 1)),
    alphaHalf: solid(half(), (stride * rows) / 4, (border / 2) * (stride / 2 + 1)),
  };
  if (pack.ground && ground) {
    const box = { x: 0, y: 0, width, height };
    uploadInset(kernel, { x: 0, y: 0, planes: pack.ground }, ground.planes, { box, scale, border, stride });
  }
  const blockStride = stride / ALPHA_BLOCK;
  const blockMin = blocks.allocate((blockStride * rows) / ALPHA_BLOCK + 64);
  const blockMax = blocks.allocate((blockStride * rows) / ALPHA_BLOCK + 64);
  run.summarise(alpha - border * stride - border, stride, stride, rows, blockMin, blockMax);
  const behind = ground === undefined ? {} : { ground };
  return { width, height, border, stride, rest, ...behind, face, alpha, alphaHalf, blockMin, blockMax, blockStride };
}

/**
 * The inside of the person is resampled with a sharper filter. At the silhouette its overshoot would show as a bright
 * fringe, because alpha cannot overshoot like the colour.
 */
function sharpenInside(kernel: DrawingKernel, source: PlateSource, to: Plane, how: Omit<Resampling, 'filter'>): void {
  const { arena, run } = kernel;
  const length = to.stride * to.height;
  const sharp = arena.allocateZeroed(length + 64);
  const isWhole = arena.allocateZeroed(length + 64);
  resamplePlane(kernel, source.y, { ...to, at: sharp }, { ...how, filter: 'sharp' });
  resamplePlane(kernel, source.a, { ...to, at: isWhole }, { ...how, filter: 'wide' });
  run.takeSharp(to.at, sharp, isWhole, length - (to.stride - to.width));
  arena.free(sharp);
  arena.free(isWhole);
}

interface PlateSource {
  readonly y: Plane;
  readonly u: Plane;
  readonly v: Plane;
  readonly a: Plane;
  readonly aHalf: Plane;
  free(): void;
}

/** A picture at its own size in the kernel's memory, colour times alpha. */
export function premultiply({ arena }: DrawingKernel, picture: YuvaFrame): PlateSource {
  const { width, height, y, u, v, a } = picture;
  const luma = width * height;
  const block = arena.allocate(luma * 2 + (luma / 4) * 3 + 64);
  const yOut = arena.bytes(block, luma);
  const aOut = arena.bytes(block + luma, luma);
  const [uOut, vOut, aHalfOut] = [0, 1, 2].map((i) => arena.bytes(block + 2 * luma + (i * luma) / 4, luma / 4));
  aOut.set(a);
  for (let i = 0; i < luma; i++) {
    const alpha = a[i]!;
    yOut[i] = alpha === 255 ? y[i]! : (y[i]! * alpha * 257 + 32896) >> 16;
  }
  for (let row = 0; row < height / 2; row++) {
    for (let column = 0; column < width / 2; column++) {
      const first = row * 2 * width + column * 2;
      const cover = a[first]! + a[first + 1]! + a[first + width]! + a[first + width + 1]!;
      const at = (row * width) / 2 + column;
      aHalfOut![at] = (cover + 2) >> 2;
      uOut![at] = Math.round((u[at]! * cover) / 1020);
      vOut![at] = Math.round((v[at]! * cover) / 1020);
    }
  }
  const plane = (at: number): Plane => ({ at, stride: width, width, height });
  const half = (i: number): Plane => ({
    at: block + 2 * luma + (i * luma) / 4,
    stride: width / 2,
    width: width / 2,
    height: height / 2,
  });
  return {
    y: plane(block),
    a: plane(block + luma),
    u: half(0),
    v: half(1),
    aHalf: half(2),
    free: () => arena.free(block),
  };
}

interface InsetOptions {
  readonly box: TextureBox;
  readonly scale: number;
  readonly border: number;
}

function uploadInsets(
  kernel: DrawingKernel,
  blocks: Blocks,
  insets: readonly Inset[],
  options: InsetOptions,
): InsetTextures {
  const { box, border } = options;
  const stride = Math.ceil((box.width + 2 * border) / 16) * 16;
  const rows = box.height + 2 * border;
  const pictures = insets.map((inset): Planes => {
    const luma = blocks.allocate(stride * rows * 1.5 + 128);
    const y = luma + border * stride + border;
    const u = luma + stride * rows + (border * stride) / 4 + border / 2;
    const v = u + (stride * rows) / 4;
    const to: Planes = { y, u, v };
    uploadInset(kernel, inset, to, { ...options, stride });
    return to;
  });
  return { box, stride, border, pictures };
}

function uploadInset(
  kernel: DrawingKernel,
  inset: Inset,
  to: Planes,
  options: InsetOptions & { readonly stride: number },
): void {
  const { run, arena } = kernel;
  const { box, scale, border } = options;
  const { planes } = inset;
  const isSame = scale === 1;
  const from = uploadPlanes(kernel, planes);
  for (const { name, shrink, stride, width, height } of planesOf(box, options.stride)) {
    const target = { at: to[name], stride, width, height };
    const across = planes.width / shrink;
    const source = { at: from[name], stride: across, width: across, height: planes.height / shrink };
    if (isSame) run.copyPlane(target.at, target.stride, source.at, source.stride, source.width, source.height);
    else {
      resamplePlane(kernel, source, target, {
        scale,
        originX: box.x / shrink,
        originY: box.y / shrink,
        sourceX: inset.x / shrink,
        sourceY: inset.y / shrink,
        filter: name === 'y' ? 'sharp' : 'soft',
      });
    }
    if (border > 0) run.extendEdges(target.at, target.stride, target.width, target.height, border / shrink);
  }
  arena.free(from.y);
}

/** Copies packed planes into one block, whose address is that of luma. */
function uploadPlanes({ arena }: DrawingKernel, { y, u, v }: YuvFrame): Planes {
  const at = arena.allocate(y.length + u.length + v.length + 64);
  const planes = { y: at, u: at + y.length, v: at + y.length + u.length };
  arena.bytes(planes.y, y.length).set(y);
  arena.bytes(planes.u, u.length).set(u);
  arena.bytes(planes.v, v.length).set(v);
  return planes;
}
