// A flat picture blended over a frame.
import { drawBlended, halveMap, Map } from './patch';

const luma = changetype<Map>(memory.data(32, 16));
const chroma = changetype<Map>(memory.data(32, 16));

/** One drawing of a sprite; filled in by the host. The order of the fields is the memory layout. */
@unmanaged
export class SpriteJob {
  toY: usize;
  toU: usize;
  toV: usize;
  toStride: i32;
  toStrideHalf: i32;
  width: i32;
  height: i32;
  textureY: usize;
  textureU: usize;
  textureV: usize;
  alpha: usize;
  alphaHalf: usize;
  stride: i32;
  strideHalf: i32;
  /** Texel of the first pixel, and texels per pixel, 16.16. */
  u: i32;
  v: i32;
  step: i32;
  /** 0..32767 */
  opacity: i32;
}

/** Blends the sprite's premultiplied planes over the target. */
export function drawSprite(job: SpriteJob): void {
  luma.u = job.u;
  luma.v = job.v;
  luma.ux = job.step;
  luma.uy = 0;
  luma.uxy = 0;
  luma.vx = 0;
  luma.vy = job.step;
  luma.vxy = 0;
  halveMap(chroma, luma);
  drawBlended(job.toY, 0, job.toStride, job.width, job.height, job.textureY, 0, job.alpha, job.stride, luma, 0, 0, job.opacity);
  const toV = job.toV - job.toU;
  const other = job.textureV - job.textureU;
  drawBlended(job.toU, toV, job.toStrideHalf, job.width >> 1, job.height >> 1, job.textureU, other, job.alphaHalf, job.strideHalf, chroma, 0, 0, job.opacity);
}
