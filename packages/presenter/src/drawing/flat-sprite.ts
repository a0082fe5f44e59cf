import type { Sprite } from '../contract.js';
import type { Rect, YuvaFrame, YuvFrame } from '../frame.js';
import { evenInside } from './crop.js';
import type { FrameStore } from './frame-store.js';
import { type JobLayout, KernelJob } from './job.js';
import type { DrawingKernel } from './kernel.js';

/** Fields of `SpriteJob` in assembly/sprite.ts. */
const SPRITE_JOB = [
  ['i32', 'toY toU toV toStride toStrideHalf width height textureY textureU textureV alpha alphaHalf stride'],
  ['i32', 'strideHalf u v step opacity'],
] as const satisfies JobLayout;

/** Transparent texels around a sprite; the even-aligned rectangle that is drawn extends past its edge. */
const BORDER = 16;

/** Below this scale a halved picture is drawn instead: bilinear samples would miss texels. */
const HALVING_SCALE = 0.5;

/** A sprite smaller than this share of its size is not drawn. */
const LEAST_SCALE = 1 / 64;

/** Premultiplied planes of a sprite at one size, addresses at texel (0, 0). */
interface Level {
  readonly block: number;
  readonly width: number;
  readonly height: number;
  readonly stride: number;
  readonly y: number;
  readonly a: number;
  readonly u: number;
  readonly v: number;
  readonly aHalf: number;
}

interface SpriteParts {
  readonly kernel: DrawingKernel;
  readonly frames: FrameStore;
  readonly picture: YuvaFrame;
  /** Called once, on the first `close`. */
  readonly onClose: () => void;
}

/** A picture with transparency in the kernel's memory (contract: {@link Sprite}). */
export class FlatSprite implements Sprite {
  readonly width: number;
  readonly height: number;
  private readonly job: KernelJob<typeof SPRITE_JOB>;
  /** The picture, its half, its quarter, …; the smaller ones are created when they are first needed. */
  private readonly levels: Level[];
  private isOpen = true;

  constructor(private readonly parts: SpriteParts) {
    const { picture, kernel } = parts;
    this.width = picture.width;
    this.height = picture.height;
    this.levels = [uploadLevel(kernel, picture)];
    this.job = new KernelJob(kernel.arena, SPRITE_JOB);
  }

  draw(target: YuvFrame, at: { x: number; y: number; scale: number; opacity: number }): Rect {
    if (!this.isOpen) throw new Error('expected an open sprite, it has been closed');
    const to = this.parts.frames.addressesOf(target);
    const opacity = Math.round(Math.min(Math.max(at.opacity, 0), 1) * 32767);
    const level = this.levelFor(at.scale);
    // Bilinear samples fade out within half a texel around the picture.
    const [width, height] = [this.width * at.scale, this.height * at.scale];
    const bleed = at.scale === 1 && Number.isInteger(at.x) && Number.isInteger(at.y) ? 0 : Math.max(at.scale / 2, 1);
    const touched = { x: at.x - bleed, y: at.y - bleed, width: width + 2 * bleed, height: height + 2 * bleed };
    const rect = evenInside(touched, target);
    if (level === undefined || opacity === 0 || rect.width === 0 || rect.height === 0) {
      return { x: rect.x, y: rect.y, width: 0, height: 0 };
    }
    const texelsPerPx = level.width / this.width / at.scale;
    const fixed = (value: number): number => Math.round(value * 65_536);
    const half = (rect.y / 2) * target.uvStride + rect.x / 2;
    this.job.set({
      toY: to.y + rect.y * target.yStride + rect.x,
      toU: to.u + half,
      toV: to.v + half,
      toStride: target.yStride,
      toStrideHalf: target.uvStride,
      width: rect.width,
      height: rect.height,
      textureY: level.y,
      textureU: level.u,
      textureV: level.v,
      alpha: level.a,
      alphaHalf: level.aHalf,
      stride: level.stride,
      strideHalf: level.stride / 2,
      u: fixed((rect.x + 0.5 - at.x) * texelsPerPx - 0.5),
      v: fixed((rect.y + 0.5 - at.y) * texelsPerPx - 0.5),
      step: fixed(texelsPerPx),
      opacity,
    });
    this.parts.kernel.run.drawSprite(this.job.address);
    return rect;
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const level of this.levels.splice(0)) this.parts.kernel.arena.free(level.block);
    this.job.free();
    this.parts.onClose();
  }

  private levelFor(scale: number): Level | undefined {
    if (!(scale >= LEAST_SCALE)) return undefined;
    const wanted = Math.max(0, Math.ceil(Math.log2(HALVING_SCALE / scale)));
    while (this.levels.length <= wanted) this.levels.push(halveLevel(this.parts.kernel, this.levels.at(-1)!));
    return this.levels[wanted];
  }
}

function allocateLevel(kernel: DrawingKernel, width: number, height: number): Level {
  const stride = Math.ceil((width + 2 * BORDER) / 16) * 16;
  const rows = height + 2 * BORDER + 2;
  const luma = stride * rows;
  const block = kernel.arena.allocateZeroed(luma * 2 + luma * 0.75 + 64);
  const first = BORDER * stride + BORDER;
  const firstHalf = (BORDER / 2) * (stride / 2) + BORDER / 2;
  const half = (i: number): number => block + 2 * luma + (i * luma) / 4 + firstHalf;
  return {
    block,
    width,
    height,
    stride,
    y: block + first,
    a: block + luma + first,
    u: half(0),
    v: half(1),
    aHalf: half(2),
  };
}

function uploadLevel(kernel: DrawingKernel, picture: YuvaFrame): Level {
  const { width, height, yStride, uvStride } = picture;
  const level = allocateLevel(kernel, width, height);
  const { luma, alpha, chromaU, chromaV, alphaHalf } = viewsOf(kernel, level);
  const times = (value: number, share: number): number => Math.round((value * share) / 255);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const a = picture.a[y * yStride + x]!;
      alpha[y * level.stride + x] = a;
      luma[y * level.stride + x] = times(picture.y[y * yStride + x]!, a);
    }
  }
  for (let y = 0; y < height / 2; y++) {
    for (let x = 0; x < width / 2; x++) {
      const at = 2 * y * yStride + 2 * x;
      const a = picture.a;
      const cover = (a[at]! + a[at + 1]! + a[at + yStride]! + a[at + yStride + 1]!) / 4;
      const to = (y * level.stride) / 2 + x;
      alphaHalf[to] = Math.round(cover);
      chromaU[to] = times(picture.u[y * uvStride + x]!, cover);
      chromaV[to] = times(picture.v[y * uvStride + x]!, cover);
    }
  }
  return level;
}

/** The mean of each 2×2 square; an odd remainder is averaged with the transparent border. */
function halveLevel(kernel: DrawingKernel, from: Level): Level {
  const even = (size: number): number => Math.max(2, Math.ceil(size / 4) * 2);
  const level = allocateLevel(kernel, even(from.width), even(from.height));
  const source = viewsOf(kernel, from);
  const target = viewsOf(kernel, level);
  for (const name of ['luma', 'alpha', 'chromaU', 'chromaV', 'alphaHalf'] as const) {
    const shrink = name === 'luma' || name === 'alpha' ? 1 : 2;
    const stride = from.stride / shrink;
    for (let y = 0; y < level.height / shrink; y++) {
      for (let x = 0; x < level.width / shrink; x++) {
        const at = 2 * y * stride + 2 * x;
        const s = source[name];
        target[name][(y * level.stride) / shrink + x] =
          (s[at]! + s[at + 1]! + s[at + stride]! + s[at + stride + 1]! + 2) >> 2;
      }
    }
  }
  return level;
}

function viewsOf(
  { arena }: DrawingKernel,
  level: Level,
): Record<'luma' | 'alpha' | 'chromaU' | 'chromaV' | 'alphaHalf', Uint8Array> {
  const size = level.stride * (level.height + BORDER);
  const half = size / 4;
  return {
    luma: arena.bytes(level.y, size),
    alpha: arena.bytes(level.a, size),
    chromaU: arena.bytes(level.u, half),
    chromaV: arena.bytes(level.v, half),
    alphaHalf: arena.bytes(level.aHalf, half),
  };
}
