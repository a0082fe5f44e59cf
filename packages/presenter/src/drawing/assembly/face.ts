// The face plate: gaze, eyelids and mouth drawn into a copy of the plate (presenters/FORMAT.md 3.1, 3.2).
import { accumulate, fitMap, halveMap, Map } from './patch';
import { multipliers, rounded, sample1, storeBytes } from './sample';

/** Side of a cell of the mouth's grid in texels. */
const CELL_SHIFT = 3;
const CELL = 1 << CELL_SHIFT;

/** Error in plate px at which a node's search ends before its seven steps. */
const CLOSE_ENOUGH: f32 = 0.03;

const luma = changetype<Map>(memory.data(32, 16));
const chroma = changetype<Map>(memory.data(32, 16));

/** Sums i16 of one cell: eight rows of eight, for chroma four rows of four U and four V. */
const lumaSums = memory.data(128, 16);
const chromaSums = memory.data(64, 16);

/** Copies a rectangle between planes. */
export function copyPlane(to: usize, toStride: i32, from: usize, fromStride: i32, width: i32, height: i32): void {
  for (let y = 0; y < height; y++) {
    memory.copy(to, from, width);
    to += toStride;
    from += fromStride;
  }
}

/**
 * Shifts the eyes of one plane. Each pixel whose visibility `eye` (0..255) is not 0 is mixed with the plate at (x -
 * follow*gazeX, y + follow*gazeY); `follow` is 0..255, gaze is in 16.16 texels (x right, y up).
 */
export function shiftEyes(
  to: usize,
  plate: usize,
  stride: i32,
  eye: usize,
  follow: usize,
  width: i32,
  height: i32,
  gazeX: i32,
  gazeY: i32,
): void {
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      // Most of the box is not eye. The masks are padded, so eight values can be read at once.
      if ((x & 7) == 0 && load<u64>(eye + x) == 0) {
        x += 7;
        continue;
      }
      const share = <i32>load<u8>(eye + x);
      if (share == 0) continue;
      const f = <i32>load<u8>(follow + x);
      // 257/65536 is 1/255 within 2 ppm
      const u = (x << 16) - <i32>((<i64>gazeX * f * 257) >> 16);
      const v = <i32>((<i64>gazeY * f * 257) >> 16);
      const sample = sample1(plate, stride, u, v);
      const old = <i32>load<u8>(to + x) << 7;
      store<u8>(to + x, <u8>((old + ((sample - old) * share * 257 >> 16) + 64) >> 7));
    }
    to += stride;
    plate += stride;
    eye += width;
    follow += width;
  }
}

/** to = mix(to, mix(lower, upper, t), mask); `t` 0..32767. `lower` may be `to` itself. All planes but `to` have `maskStride`. */
export function closeLids(
  to: usize,
  toStride: i32,
  lower: usize,
  lowerStride: i32,
  upper: usize,
  mask: usize,
  maskStride: i32,
  width: i32,
  height: i32,
  t: i32,
): void {
  const mix = i16x8.splat(<i16>t);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x += 8) {
      const old = i16x8.shl(v128.load_ext<u8>(to + x), 7);
      const from = i16x8.shl(v128.load_ext<u8>(lower + x), 7);
      const step = i16x8.sub(i16x8.shl(v128.load_ext<u8>(upper + x), 7), from);
      const lid = i16x8.add(from, i16x8.q15mulr_sat_s(step, mix));
      const value = i16x8.add(old, i16x8.q15mulr_sat_s(i16x8.sub(lid, old), multipliers(mask + x)));
      storeBytes(to + x, rounded(value), width - x);
    }
    to += toStride;
    lower += lowerStride;
    upper += maskStride;
    mask += maskStride;
  }
}

/** The mouth of one frame; filled in by the host. The order of the fields is the memory layout. */
@unmanaged
export class MouthJob {
  // The face plate at the corner of the mouth's box, in even texels.
  toY: usize;
  toU: usize;
  toV: usize;
  stride: i32;
  strideHalf: i32;
  width: i32;
  height: i32;
  /** Feather times the plate's opacity, 0..255; luma and chroma size, strides `maskStride` and half of it. */
  mask: usize;
  maskHalf: usize;
  maskStride: i32;
  /** `patchCount` times MouthPatch. */
  patches: usize;
  patchCount: i32;
  patchStride: i32;
  patchBorder: i32;
  // Motion fields: gridWidth*gridHeight f32 pairs in plate px; node (0, 0) at the box's corner, spacing `cell` plate px.
  gridWidth: i32;
  gridHeight: i32;
  cell: f32;
  scale: f32;
  /** Plate px of texel (0, 0) of the texture box relative to the motion grid's corner. */
  offsetX: f32;
  offsetY: f32;
  /** Work space: the weighted field (f32 pairs) and the nodes of each patch (16.16 pairs). */
  field: usize;
  nodes: usize;
}

/**
 * One active patch: its planes, its motion field, its share of the colour as 0..32767 and of the motion as 0..1. With a
 * colour share of 0 it only contributes to the motion.
 */
@unmanaged
class MouthPatch {
  y: usize;
  u: usize;
  v: usize;
  flow: usize;
  weight: i32;
  share: f32;
}

/** A motion field at a point of its grid: (dx, dy) in lanes 0 and 1, in plate px. */
// @ts-ignore: decorator
@inline
function interpolate(job: MouthJob, field: usize, gx: f32, gy: f32): v128 {
  const x = max(<f32>0, min(<f32>(job.gridWidth - 1) - <f32>0.001, gx));
  const y = max(<f32>0, min(<f32>(job.gridHeight - 1) - <f32>0.001, gy));
  const column = <i32>x;
  const row = <i32>y;
  const fx = x - <f32>column;
  const fy = f32x4.splat(y - <f32>row);
  const at = field + ((row * job.gridWidth + column) << 3);
  // Two neighbouring nodes are one vector.
  const upper = v128.load(at);
  const lower = v128.load(at + (job.gridWidth << 3));
  const both = f32x4.add(upper, f32x4.mul(f32x4.sub(lower, upper), fy));
  const right = i8x16.shuffle(both, both, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
  return f32x4.add(both, f32x4.mul(f32x4.sub(right, both), f32x4.splat(fx)));
}

/** The weighted sum of the patches' motion fields. */
function sumFields(job: MouthJob): void {
  const bytes = (job.gridWidth * job.gridHeight) << 3;
  for (let k = 0; k < job.patchCount; k++) {
    const patch = changetype<MouthPatch>(job.patches + k * offsetof<MouthPatch>());
    const share = f32x4.splat(patch.share);
    for (let i = 0; i < bytes; i += 16) {
      const part = f32x4.mul(v128.load(patch.flow + i), share);
      v128.store(job.field + i, k == 0 ? part : f32x4.add(v128.load(job.field + i), part));
    }
  }
}

/** Where each node of the output grid samples each patch. */
function placeNodes(job: MouthJob, columns: i32, rows: i32): void {
  const count = (columns + 1) * (rows + 1);
  const perCell: f32 = <f32>1 / job.cell;
  const margin = <f32>(job.patchBorder - 2);
  const uMax = <f32>job.width + margin - 2;
  const vMax = <f32>job.height + margin - 2;
  for (let j = 0; j <= rows; j++) {
    // Neighbouring nodes move alike, so each search starts from the previous result.
    let moveX: f32 = 0;
    let moveY: f32 = 0;
    for (let i = 0; i <= columns; i++) {
      const plateX = <f32>(i << CELL_SHIFT) / job.scale + job.offsetX;
      const plateY = <f32>(j << CELL_SHIFT) / job.scale + job.offsetY;
      let x = plateX - moveX;
      let y = plateY - moveY;
      for (let step = 0; step < 7; step++) {
        const move = interpolate(job, job.field, x * perCell, y * perCell);
        const errorX = plateX - f32x4.extract_lane(move, 0) - x;
        const errorY = plateY - f32x4.extract_lane(move, 1) - y;
        x += <f32>0.8 * errorX;
        y += <f32>0.8 * errorY;
        if (abs(errorX) + abs(errorY) < CLOSE_ENOUGH) break;
      }
      moveX = plateX - x;
      moveY = plateY - y;
      const index = j * (columns + 1) + i;
      for (let k = 0; k < job.patchCount; k++) {
        const patch = changetype<MouthPatch>(job.patches + k * offsetof<MouthPatch>());
        if (patch.weight == 0) continue;
        const move = interpolate(job, patch.flow, x * perCell, y * perCell);
        const u = max(-margin, min(uMax, (x + f32x4.extract_lane(move, 0) - job.offsetX) * job.scale));
        const v = max(-margin, min(vMax, (y + f32x4.extract_lane(move, 1) - job.offsetY) * job.scale));
        const node = job.nodes + ((k * count + index) << 3);
        store<i32>(node, <i32>nearest(u * 65536));
        store<i32>(node, <i32>nearest(v * 65536), 4);
      }
    }
  }
}

/** face = mask*sums + (1 - mask)*face */
// @ts-ignore: decorator
@inline
function mixIn(old: v128, sums: v128, mask: v128): v128 {
  const from = i16x8.shl(old, 7);
  return rounded(i16x8.add(from, i16x8.q15mulr_sat_s(i16x8.sub(sums, from), mask)));
}

/** Writes the sums of a cell into the face plate's luma. */
// @ts-ignore: decorator
@inline
function layLuma(job: MouthJob, x: i32, y: i32, height: i32): void {
  let to = job.toY + y * job.stride + x;
  let mask = job.mask + y * job.maskStride + x;
  for (let row = 0; row < height; row++) {
    const sums = v128.load(lumaSums + (row << 4));
    storeBytes(to, mixIn(v128.load_ext<u8>(to), sums, multipliers(mask)), job.width - x);
    to += job.stride;
    mask += job.maskStride;
  }
}

/**
 * Writes the sums of a cell (per row four of U, then four of V) into the face plate's chroma; x and y are chroma
 * texels.
 */
// @ts-ignore: decorator
@inline
function layChroma(job: MouthJob, x: i32, y: i32, height: i32): void {
  const offset = y * job.strideHalf + x;
  let toU = job.toU + offset;
  let toV = job.toV + offset;
  let mask = job.maskHalf + y * (job.maskStride >> 1) + x;
  const count = min(4, (job.width >> 1) - x);
  for (let row = 0; row < height; row++) {
    const sums = v128.load(chromaSums + (row << 4));
    const old = i8x16.shuffle(
      v128.load32_zero(toU), v128.load32_zero(toV), 0, 1, 2, 3, 16, 17, 18, 19, 4, 4, 4, 4, 4, 4, 4, 4,
    );
    const share = multipliers(mask);
    const both = i8x16.shuffle(share, share, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
    const mixed = mixIn(i16x8.extend_low_i8x16_u(old), sums, both);
    storeBytes(toU, mixed, count);
    storeBytes(toV, i8x16.shuffle(mixed, mixed, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15), count);
    toU += job.strideHalf;
    toV += job.strideHalf;
    mask += job.maskStride >> 1;
  }
}

/** True for a cell that is entirely outside the person. */
// @ts-ignore: decorator
@inline
function isHidden(job: MouthJob, x: i32, y: i32, height: i32): bool {
  let any: u64 = 0;
  let mask = job.mask + y * job.maskStride + x;
  for (let row = 0; row < height; row++) {
    any |= load<u64>(mask);
    mask += job.maskStride;
  }
  return any == 0;
}

/** Sums the patches cell by cell, so that the sums stay in the L1 cache, and writes the result into the face plate. */
function blendPatches(job: MouthJob, columns: i32, rows: i32): void {
  const nodesOfPatch = ((columns + 1) * (rows + 1)) << 3;
  const nodeStride = (columns + 1) << 3;
  for (let j = 0; j < rows; j++) {
    const y = j << CELL_SHIFT;
    const height = min(CELL, job.height - y);
    for (let i = 0; i < columns; i++) {
      const x = i << CELL_SHIFT;
      if (isHidden(job, x, y, height)) continue;
      let topLeft = job.nodes + j * nodeStride + (i << 3);
      let isFirst = true;
      for (let k = 0; k < job.patchCount; k++, topLeft += nodesOfPatch) {
        const patch = changetype<MouthPatch>(job.patches + k * offsetof<MouthPatch>());
        if (patch.weight == 0) continue;
        fitMap(luma, topLeft, topLeft + nodeStride, CELL_SHIFT);
        halveMap(chroma, luma);
        accumulate(lumaSums, height, patch.y, 0, job.patchStride, luma, patch.weight, isFirst);
        accumulate(chromaSums, height >> 1, patch.u, patch.v - patch.u, job.patchStride >> 1, chroma, patch.weight, isFirst);
        isFirst = false;
      }
      layLuma(job, x, y, height);
      layChroma(job, x >> 1, y >> 1, height >> 1);
    }
  }
}

/** Morphs the patches to one geometry, blends them and writes the result into the face plate. */
export function drawMouth(job: MouthJob): void {
  const columns = (job.width + CELL - 1) >> CELL_SHIFT;
  const rows = (job.height + CELL - 1) >> CELL_SHIFT;
  sumFields(job);
  placeNodes(job, columns, rows);
  blendPatches(job, columns, rows);
}
