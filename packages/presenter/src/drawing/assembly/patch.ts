// Draws one plane of one rectangle through an affine-along-rows map: the inside of a grid cell, or a whole sprite.
import {
  cover,
  multipliers,
  ramp,
  rounded,
  sample8,
  sampleCovered,
  samplePair,
  sampleTwo,
  sampleTwoCovered,
  second,
  storeBytes,
} from './sample';

/** Full opacity. */
export const OPAQUE = 32767;

/** A bilinear map on a rectangle: u(x, y) = u + x*ux + y*uy + x*y*uxy, all 16.16; v alike. */
@unmanaged
export class Map {
  u: i32;
  ux: i32;
  uy: i32;
  uxy: i32;
  v: i32;
  vx: i32;
  vy: i32;
  vxy: i32;
}

/**
 * Copies opaque samples over the target. For a second plane of the same size (V after U), `toOther` and `other` are its
 * distances from target and texture; 0 otherwise.
 */
export function drawOpaque(to: usize, toOther: usize, toStride: i32, width: i32, height: i32, texture: usize, other: usize, stride: i32, map: Map): void {
  let rowU = map.u;
  let rowV = map.v;
  let du = map.ux;
  let dv = map.vx;
  for (let y = 0; y < height; y++) {
    let u = rowU;
    let v = rowV;
    const rampU = ramp(du, false);
    const rampV = ramp(dv, false);
    for (let x = 0; x < width; x += 8) {
      if (other == 0) {
        storeBytes(to + x, rounded(sample8(texture, stride, u, v, du, dv, rampU, rampV)), width - x);
      } else {
        storeBytes(to + x, rounded(sampleTwo(texture, other, stride, u, v, du, dv, rampU, rampV)), width - x);
        storeBytes(to + toOther + x, rounded(second), width - x);
      }
      u += du << 3;
      v += dv << 3;
    }
    to += toStride;
    rowU += map.uy;
    rowV += map.vy;
    du += map.uxy;
    dv += map.vxy;
  }
}

/** Eight pixels of premultiplied colour over eight bytes. `behind` is 255 - alpha. */
// @ts-ignore: decorator
@inline
function over(to: usize, colour: v128, behind: v128, count: i32): void {
  const kept = i16x8.add(i16x8.mul(v128.load_ext<u8>(to), behind), i16x8.splat(128));
  // x / 255, exact for x = 0..65025
  storeBytes(to, i16x8.add(colour, i16x8.shr_u(i16x8.add(kept, i16x8.shr_u(kept, 8)), 8)), count);
}

/**
 * Blends premultiplied samples over the target. `mask` (0: none) is a plane of coverage 0..255 of the rectangle;
 * `opacity` 0..32767 applies where there is no mask. A second plane as in `drawOpaque`.
 */
export function drawBlended(
  to: usize,
  toOther: usize,
  toStride: i32,
  width: i32,
  height: i32,
  texture: usize,
  other: usize,
  alpha: usize,
  stride: i32,
  map: Map,
  mask: usize,
  maskStride: i32,
  opacity: i32,
): void {
  let rowU = map.u;
  let rowV = map.v;
  let du = map.ux;
  let dv = map.vx;
  const isWhole = mask == 0 && opacity == OPAQUE;
  const toAlpha = alpha - texture;
  for (let y = 0; y < height; y++) {
    let u = rowU;
    let v = rowV;
    const rampU = ramp(du, false);
    const rampV = ramp(dv, false);
    for (let x = 0; x < width; x += 8) {
      let samples =
        other == 0
          ? sampleCovered(texture, toAlpha, stride, u, v, du, dv, rampU, rampV)
          : sampleTwoCovered(texture, other, toAlpha, stride, u, v, du, dv, rampU, rampV);
      u += du << 3;
      v += dv << 3;
      let covered = cover;
      if (!v128.any_true(covered)) continue;
      let others = second;
      if (!isWhole) {
        const share = mask != 0 ? multipliers(mask + x) : i16x8.splat(<i16>opacity);
        samples = i16x8.q15mulr_sat_s(samples, share);
        others = i16x8.q15mulr_sat_s(others, share);
        covered = i16x8.q15mulr_sat_s(covered, share);
      }
      const behind = i16x8.sub(i16x8.splat(255), rounded(covered));
      if (!v128.any_true(behind)) {
        storeBytes(to + x, rounded(samples), width - x);
        if (other != 0) storeBytes(to + toOther + x, rounded(others), width - x);
        continue;
      }
      over(to + x, rounded(samples), behind, width - x);
      if (other != 0) over(to + toOther + x, rounded(others), behind, width - x);
    }
    to += toStride;
    if (mask != 0) mask += maskStride;
    rowU += map.uy;
    rowV += map.vy;
    du += map.uxy;
    dv += map.vxy;
  }
}

/**
 * Adds samples times `weight` (0..32767) to the 16-bit sums (value times 128) of a cell 8 px wide, rows of 16 bytes; `first`
 * overwrites the sums instead. `other` is 0 for a luma plane; for chroma it is the distance from the texture of U to that of V: the cell is
 * then 4 px wide, and each row of sums holds four of U, then four of V.
 */
export function accumulate(
  sums: usize,
  height: i32,
  texture: usize,
  other: usize,
  stride: i32,
  map: Map,
  weight: i32,
  first: bool,
): void {
  let u = map.u;
  let v = map.v;
  let du = map.ux;
  let dv = map.vx;
  const uy = map.uy;
  const vy = map.vy;
  const uxy = map.uxy;
  const vxy = map.vxy;
  const share = i16x8.splat(<i16>weight);
  for (let y = 0; y < height; y++) {
    const isPair = other != 0;
    const rampU = ramp(du, isPair);
    const rampV = ramp(dv, isPair);
    const samples = isPair
      ? samplePair(texture, other, stride, u, v, du, dv, rampU, rampV)
      : sample8(texture, stride, u, v, du, dv, rampU, rampV);
    const part = i16x8.q15mulr_sat_s(samples, share);
    v128.store(sums, first ? part : i16x8.add(v128.load(sums), part));
    sums += 16;
    u += uy;
    v += vy;
    du += uxy;
    dv += vxy;
  }
}

/** Sets `map` from the four corners of a cell of `1 << shift` px a side. */
// @ts-ignore: decorator
@inline
export function fitMap(map: Map, topLeft: usize, bottomLeft: usize, shift: i32): void {
  const u = load<i32>(topLeft);
  const v = load<i32>(topLeft, 4);
  const ux = load<i32>(topLeft, 8) - u;
  const vx = load<i32>(topLeft, 12) - v;
  map.u = u;
  map.v = v;
  map.ux = ux >> shift;
  map.vx = vx >> shift;
  map.uy = (load<i32>(bottomLeft) - u) >> shift;
  map.vy = (load<i32>(bottomLeft, 4) - v) >> shift;
  map.uxy = (load<i32>(bottomLeft, 8) - load<i32>(bottomLeft) - ux) >> (2 * shift);
  map.vxy = (load<i32>(bottomLeft, 12) - load<i32>(bottomLeft, 4) - vx) >> (2 * shift);
}

/** The same map for the half-size chroma planes, whose sample (i, j) sits at luma (2i + 0.5, 2j + 0.5). */
// @ts-ignore: decorator
@inline
export function halveMap(chroma: Map, luma: Map): void {
  chroma.uy = luma.uy + (luma.uxy >> 1);
  chroma.vy = luma.vy + (luma.vxy >> 1);
  chroma.ux = luma.ux + (luma.uxy >> 1);
  chroma.vx = luma.vx + (luma.vxy >> 1);
  chroma.u = (luma.u + (luma.ux >> 1) + (chroma.uy >> 1) - 32768) >> 1;
  chroma.v = (luma.v + (luma.vx >> 1) + (chroma.vy >> 1) - 32768) >> 1;
  chroma.uxy = luma.uxy << 1;
  chroma.vxy = luma.vxy << 1;
}
