// Bilinear sampling of 8-bit planes, eight pixels at a time.
//
// Positions are 16.16 fixed point texels. The pixels of a group form a straight, nearly horizontal line, because every
// map is close to the identity. So the 16 texels right of the first one, in two or three rows, contain everything that
// the group needs, and one `swizzle` per row replaces sixteen loads.

/** Maximum vertical range of a group in rows; above it, fetching each pixel individually is cheaper. */
const MAX_DESCENT = 6;

const LANES: v128 = i16x8(0, 1, 2, 3, 4, 5, 6, 7);
const scratch = memory.data(16, 16);

/** Four pixels of one plane, then the same four of another. */
const PAIR_LANES: v128 = i16x8(0, 1, 2, 3, 0, 1, 2, 3);
const FIRST_PLANE: v128 = i32x4(-1, 0, -1, 0);

/** What `sampleLine` samples in addition to its texture. */
const ALONE = 0;
/** Four pixels only, and the same four of the texture `other` bytes further on in the upper half. */
const PAIRED = 1;
/** The texture `other` bytes further on, into `second`. */
const WITH_SECOND = 2;
/** The texture `alpha` bytes further on, into `cover`. */
const WITH_COVER = 4;

/** A cover of 255. */
const WHOLE: i16 = 255 << 7;

/** Further results of the sampling functions: planes of one picture share the work on positions. */
export let second: v128 = i16x8(0, 0, 0, 0, 0, 0, 0, 0);
export let cover: v128 = i16x8(0, 0, 0, 0, 0, 0, 0, 0);

/**
 * Distances of a group's pixels from its first one, for a step of `d` per pixel; the same for all groups of a row.
 * `paired`: four pixels, twice.
 */
// @ts-ignore: decorator
@inline
export function ramp(d: i32, paired: bool): v128 {
  return i16x8.mul(paired ? PAIR_LANES : LANES, i16x8.splat(<i16>(d >> 5)));
}

/**
 * Eight samples as i16x8, each 0..255 times 128. Reads up to 16 texels right of the group and a row below it. `rampU` and
 * `rampV` are the ramps of `du` and `dv`.
 */
// @ts-ignore: decorator
@inline
export function sample8(texture: usize, stride: i32, u: i32, v: i32, du: i32, dv: i32, rampU: v128, rampV: v128): v128 {
  return sampleLine(texture, 0, 0, stride, u, v, du, dv, rampU, rampV, ALONE);
}

/** Four samples of a texture, then four at the same places of the texture `other` bytes after it. */
// @ts-ignore: decorator
@inline
export function samplePair(texture: usize, other: usize, stride: i32, u: i32, v: i32, du: i32, dv: i32, rampU: v128, rampV: v128): v128 {
  return sampleLine(texture, other, 0, stride, u, v, du, dv, rampU, rampV, PAIRED);
}

/** Eight samples of a texture; those of the texture `other` bytes after it go into `second`. */
// @ts-ignore: decorator
@inline
export function sampleTwo(texture: usize, other: usize, stride: i32, u: i32, v: i32, du: i32, dv: i32, rampU: v128, rampV: v128): v128 {
  return sampleLine(texture, other, 0, stride, u, v, du, dv, rampU, rampV, WITH_SECOND);
}

/** Eight samples of a texture; those of its alpha, `alpha` bytes after it, go into `cover`. Where that is 0, all is. */
// @ts-ignore: decorator
@inline
export function sampleCovered(texture: usize, alpha: usize, stride: i32, u: i32, v: i32, du: i32, dv: i32, rampU: v128, rampV: v128): v128 {
  return sampleLine(texture, 0, alpha, stride, u, v, du, dv, rampU, rampV, WITH_COVER);
}

/** Both `second` and `cover`. */
// @ts-ignore: decorator
@inline
export function sampleTwoCovered(texture: usize, other: usize, alpha: usize, stride: i32, u: i32, v: i32, du: i32, dv: i32, rampU: v128, rampV: v128): v128 {
  return sampleLine(texture, other, alpha, stride, u, v, du, dv, rampU, rampV, WITH_SECOND | WITH_COVER);
}

// @ts-ignore: decorator
@inline
function sampleLine(texture: usize, other: usize, alpha: usize, stride: i32, u: i32, v: i32, du: i32, dv: i32, rampU: v128, rampV: v128, mode: i32): v128 {
  const isPair = mode == PAIRED;
  const last = isPair ? 3 : 7;
  const vEnd = v + last * dv;
  const rowMin = min(v, vEnd) >> 16;
  const descent = (max(v, vEnd) >> 16) - rowMin;
  if (du < 0 || (u & 0xffff) + last * du >= 15 << 16 || descent > MAX_DESCENT) {
    if (mode & WITH_SECOND) second = gather(texture + other, 0, stride, u, v, du, dv, false);
    if (mode & WITH_COVER) cover = gather(texture + alpha, 0, stride, u, v, du, dv, false);
    return gather(texture, other, stride, u, v, du, dv, isPair);
  }
  const at = texture + rowMin * stride + (u >> 16);
  let isWhole = false;
  if (mode & WITH_COVER) {
    // Most groups are entirely inside or outside the picture, where nothing has to be mixed.
    const one = at + alpha;
    let least = v128.load(one);
    let most = least;
    for (let row = 0, below = one; row <= descent; row++) {
      below += stride;
      const line = v128.load(below);
      least = v128.and(least, line);
      most = v128.or(most, line);
    }
    if (!v128.any_true(most)) {
      cover = i16x8.splat(0);
      return cover;
    }
    isWhole = i8x16.all_true(i8x16.eq(least, i8x16.splat(-1)));
    if (isWhole) cover = i16x8.splat(WHOLE);
  }
  // 11 bits of fraction: the 15 texels of a group then still fit a positive i16.
  const uFirst = (u & 0xffff) >> 5;
  const uRel = i16x8.add(i16x8.splat(<i16>uFirst), rampU);
  const vRel = i16x8.max_s(
    i16x8.add(i16x8.splat(<i16>((v - (rowMin << 16)) >> 5)), rampV),
    i16x8.splat(0),
  );
  const fu = v128.and(i16x8.shr_u(uRel, 4), i16x8.splat(127));
  const fv = i16x8.shl(v128.and(vRel, i16x8.splat(2047)), 4);
  // Where the map hardly stretches, each pixel's left tap is the previous pixel's right tap, so taps need not be
  // picked.
  if (!isPair && descent == 0 && <u32>(uFirst + last * ((du >> 5) - 2048)) < 2048) {
    if (mode & WITH_COVER && !isWhole) {
      cover = mixNeighbours(at + alpha, stride, fu, fv);
      if (!v128.any_true(cover)) return cover;
    }
    if (mode & WITH_SECOND) second = mixNeighbours(at + other, stride, fu, fv);
    return mixNeighbours(at, stride, fu, fv);
  }
  const column = i16x8.shr_u(uRel, 11);
  const taps = i8x16.narrow_i16x8_u(column, i16x8.add(column, i16x8.splat(1)));
  if (mode & WITH_COVER && !isWhole) {
    cover = mixTaps(at + alpha, 0, stride, taps, vRel, descent, fu, fv, false);
    if (!v128.any_true(cover)) return cover;
  }
  if (mode & WITH_SECOND) second = mixTaps(at + other, 0, stride, taps, vRel, descent, fu, fv, false);
  return mixTaps(at, other, stride, taps, vRel, descent, fu, fv, isPair);
}

/** Mixes eight pixels whose taps follow one another in two rows. */
// @ts-ignore: decorator
@inline
function mixNeighbours(at: usize, stride: i32, fu: v128, fv: v128): v128 {
  const below = at + stride;
  const top = mixAcross(v128.load_ext<u8>(at), v128.load_ext<u8>(at, 1), fu);
  const bottom = mixAcross(v128.load_ext<u8>(below), v128.load_ext<u8>(below, 1), fu);
  return i16x8.add(top, i16x8.q15mulr_sat_s(i16x8.sub(bottom, top), fv));
}

/** left + (right - left) * fu, times 128. */
// @ts-ignore: decorator
@inline
function mixAcross(left: v128, right: v128, fu: v128): v128 {
  return i16x8.add(i16x8.shl(left, 7), i16x8.mul(i16x8.sub(right, left), fu));
}

/** Fetches the four taps of each pixel of a group and mixes them by `fu` (0..127) and `fv` (0..32767). */
// @ts-ignore: decorator
@inline
function mixTaps(first: usize, other: usize, stride: i32, taps: v128, vRel: v128, descent: i32, fu: v128, fv: v128, isPair: bool): v128 {
  let at = first;
  let upper = fetch(at, other, taps, isPair);
  at += stride;
  let lower = fetch(at, other, taps, isPair);
  let next = lower;
  for (let row = 1; row <= descent; row++) {
    const isBelow = i16x8.gt_s(vRel, i16x8.splat(<i16>((row << 11) - 1)));
    const mask = i8x16.narrow_i16x8_s(isBelow, isBelow);
    upper = v128.bitselect(next, upper, mask);
    at += stride;
    next = fetch(at, other, taps, isPair);
    lower = v128.bitselect(next, lower, mask);
  }
  const top = mixAcross(i16x8.extend_low_i8x16_u(upper), i16x8.extend_high_i8x16_u(upper), fu);
  const bottom = mixAcross(i16x8.extend_low_i8x16_u(lower), i16x8.extend_high_i8x16_u(lower), fu);
  return i16x8.add(top, i16x8.q15mulr_sat_s(i16x8.sub(bottom, top), fv));
}

/** Left taps in the low half, right taps in the high half. */
// @ts-ignore: decorator
@inline
function fetch(at: usize, other: usize, taps: v128, isPair: bool): v128 {
  const texels = i8x16.swizzle(v128.load(at), taps);
  return isPair ? v128.bitselect(texels, i8x16.swizzle(v128.load(at + other), taps), FIRST_PLANE) : texels;
}

/** As `gatherNear`, for any slope, one pixel at a time. */
function gather(texture: usize, other: usize, stride: i32, u: i32, v: i32, du: i32, dv: i32, isPair: bool): v128 {
  const count = isPair ? 4 : 8;
  for (let i = 0; i < count; i++) {
    store<i16>(scratch + (i << 1), <i16>sample1(texture, stride, u, v));
    if (isPair) store<i16>(scratch + 8 + (i << 1), <i16>sample1(texture + other, stride, u, v));
    u += du;
    v += dv;
  }
  return v128.load(scratch);
}

/** One sample, 0..255 times 128. */
// @ts-ignore: decorator
@inline
export function sample1(texture: usize, stride: i32, u: i32, v: i32): i32 {
  const at = texture + (v >> 16) * stride + (u >> 16);
  const fu = (u >> 9) & 127;
  const fv = (v >> 1) & 32767;
  const upper = <i32>load<u8>(at);
  const lower = <i32>load<u8>(at + stride);
  const top = (upper << 7) + (<i32>load<u8>(at, 1) - upper) * fu;
  const bottom = (lower << 7) + (<i32>load<u8>(at + stride, 1) - lower) * fu;
  return top + (((bottom - top) * fv + 16384) >> 15);
}

/** Rounds i16x8 of value times 128 to values. */
// @ts-ignore: decorator
@inline
export function rounded(samples: v128): v128 {
  return i16x8.shr_u(i16x8.add(samples, i16x8.splat(64)), 7);
}

/** Eight bytes 0..255 as multipliers 0..32767. */
// @ts-ignore: decorator
@inline
export function multipliers(bytes: usize): v128 {
  const values = v128.load_ext<u8>(bytes);
  return v128.or(i16x8.shl(values, 7), i16x8.shr_u(values, 1));
}

/** Stores the low bytes of i16x8 (values must be 0..255): eight of them, or the first `count` at the end of a row. */
// @ts-ignore: decorator
@inline
export function storeBytes(to: usize, values: v128, count: i32): void {
  const bytes = i8x16.narrow_i16x8_u(values, values);
  if (count >= 8) {
    v128.store_lane<u64>(to, bytes, 0);
    return;
  }
  if (count == 4) {
    v128.store_lane<u32>(to, bytes, 0);
    return;
  }
  v128.store_lane<u64>(scratch, bytes, 0);
  for (let i: usize = 0; i < <usize>count; i++) store<u8>(to + i, load<u8>(scratch + i));
}
