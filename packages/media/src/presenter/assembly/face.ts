// The face plate: gaze, eyelids and mouth laid into a copy of the plate (presenters/FORMAT.md 3.1, 3.2).
import { accumulate, fitMap, halveMap, Map } from './patch';
import { multipliers, rounded, sample1, storeBytes } from './sample';

/** Side of a cell of the mouth's grid in texels. */
const CELL_SHIFT = 3;
const CELL = 1 << CELL_SHIFT;

/** Error in plate px at which a node's search ends before its seven steps. */
const CLOSE_ENOUGH: f32 = 0.03;

const luma = changetype<Map>(memory.data(32, 16));
const chroma = changetype<Map>(memory.data(32, 16));

/** Copies a rectangle between planes. */
export function copyPlane(to: usize, toStride: i32, from: usize, fromStride: i32, width: i32, height: i32): void {
  for (let y = 0; y < height; y++) {
    memory.copy(to, from, width);
    to += toStride;
    from += fromStride;
  }
}

/**
 * Shifts the eyes of one plane: each pixel whose visibility `eye` (0..255) is not 0 is mixed with the plate at
 * (x - follow*gazeX, y + follow*gazeY); `follow` is 0..255, gaze in 16.16 texels (x right, y up).
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
  /** Sums i16: `8*rows` rows of luma, then `4*rows` of both chroma planes, row length `maskStride`. */
  sums: usize;
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

/** One patch that takes part: its planes, its motion field, and its weight as 0..32767 and as 0..1. */
@unmanaged
class MouthPatch {
  y: usize;
  u: usize;
  v: usize;
  flow: usize;
  weight: i32;
  share: f32;
}

// Result of `interpolate`; a v128 would have to be taken apart again.
let fieldX: f32 = 0;
let fieldY: f32 = 0;

// @ts-ignore: decorator
@inline
function interpolate(job: MouthJob, field: usize, gx: f32, gy: f32): void {
  const x = max(<f32>0, min(<f32>(job.gridWidth - 1) - <f32>0.001, gx));
  const y = max(<f32>0, min(<f32>(job.gridHeight - 1) - <f32>0.001, gy));
  const column = <i32>x;
  const row = <i32>y;
  const fx = x - <f32>column;
  const fy = y - <f32>row;
  const at = field + ((row * job.gridWidth + column) << 3);
  const below = at + (job.gridWidth << 3);
  const a: f32 = (<f32>1 - fx) * (<f32>1 - fy);
  const b: f32 = fx * (<f32>1 - fy);
  const c: f32 = (<f32>1 - fx) * fy;
  const d = fx * fy;
  fieldX = a * load<f32>(at) + b * load<f32>(at, 8) + c * load<f32>(below) + d * load<f32>(below, 8);
  fieldY = a * load<f32>(at, 4) + b * load<f32>(at, 12) + c * load<f32>(below, 4) + d * load<f32>(below, 12);
}

/** D(r): the weighted sum of the patches' motion fields. */
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
    for (let i = 0; i <= columns; i++) {
      const plateX = <f32>(i << CELL_SHIFT) / job.scale + job.offsetX;
      const plateY = <f32>(j << CELL_SHIFT) / job.scale + job.offsetY;
      let x = plateX;
      let y = plateY;
      for (let step = 0; step < 7; step++) {
        interpolate(job, job.field, x * perCell, y * perCell);
        const errorX = plateX - fieldX - x;
        const errorY = plateY - fieldY - y;
        x += <f32>0.8 * errorX;
        y += <f32>0.8 * errorY;
        if (abs(errorX) + abs(errorY) < CLOSE_ENOUGH) break;
      }
      const index = j * (columns + 1) + i;
      for (let k = 0; k < job.patchCount; k++) {
        const patch = changetype<MouthPatch>(job.patches + k * offsetof<MouthPatch>());
        interpolate(job, patch.flow, x * perCell, y * perCell);
        const u = max(-margin, min(uMax, (x + fieldX - job.offsetX) * job.scale));
        const v = max(-margin, min(vMax, (y + fieldY - job.offsetY) * job.scale));
        const node = job.nodes + ((k * count + index) << 3);
        store<i32>(node, <i32>nearest(u * 65536));
        store<i32>(node, <i32>nearest(v * 65536), 4);
      }
    }
  }
}

/** Sums of U and V, in turns of four; they follow those of luma. */
// @ts-ignore: decorator
@inline
function chromaSums(job: MouthJob, rows: i32): usize {
  return job.sums + ((rows * CELL * job.maskStride) << 1);
}

/** Sums the patches cell by cell. */
function sumPatches(job: MouthJob, columns: i32, rows: i32): void {
  const nodesOfPatch = ((columns + 1) * (rows + 1)) << 3;
  const nodeStride = (columns + 1) << 3;
  const stride = job.maskStride;
  for (let k = 0; k < job.patchCount; k++) {
    const patch = changetype<MouthPatch>(job.patches + k * offsetof<MouthPatch>());
    const weight = patch.weight;
    const toV = patch.v - patch.u;
    for (let j = 0; j < rows; j++) {
      const height = min(CELL, job.height - j * CELL);
      let topLeft = job.nodes + k * nodesOfPatch + j * nodeStride;
      let lumaAt = job.sums + ((j * CELL * stride) << 1);
      let chromaAt = chromaSums(job, rows) + ((j * (CELL >> 1) * stride) << 1);
      for (let i = 0; i < columns; i++) {
        fitMap(luma, topLeft, topLeft + nodeStride, CELL_SHIFT);
        halveMap(chroma, luma);
        accumulate(lumaAt, stride, height, patch.y, 0, job.patchStride, luma, weight, k == 0);
        accumulate(chromaAt, stride, height >> 1, patch.u, toV, job.patchStride >> 1, chroma, weight, k == 0);
        topLeft += 8;
        lumaAt += CELL << 1;
        chromaAt += CELL << 1;
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

function layLuma(job: MouthJob): void {
  for (let y = 0; y < job.height; y++) {
    const to = job.toY + y * job.stride;
    const row = y * job.maskStride;
    for (let x = 0; x < job.width; x += 8) {
      const sums = v128.load(job.sums + ((row + x) << 1));
      storeBytes(to + x, mixIn(v128.load_ext<u8>(to + x), sums, multipliers(job.mask + row + x)), job.width - x);
    }
  }
}

function layChroma(job: MouthJob, from: usize): void {
  const width = job.width >> 1;
  for (let y = 0; y < job.height >> 1; y++) {
    const offset = y * job.strideHalf;
    const mask = job.maskHalf + y * (job.maskStride >> 1);
    for (let x = 0; x < width; x += 4) {
      const sums = v128.load(from + ((y * job.maskStride + (x << 1)) << 1));
      const toU = job.toU + offset + x;
      const toV = job.toV + offset + x;
      const old = i8x16.shuffle(
        v128.load32_zero(toU), v128.load32_zero(toV), 0, 1, 2, 3, 16, 17, 18, 19, 4, 4, 4, 4, 4, 4, 4, 4,
      );
      const share = multipliers(mask + x);
      const both = i8x16.shuffle(share, share, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
      const mixed = mixIn(i16x8.extend_low_i8x16_u(old), sums, both);
      storeBytes(toU, mixed, min(4, width - x));
      storeBytes(toV, i8x16.shuffle(mixed, mixed, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15), min(4, width - x));
    }
  }
}

/** Morphs the patches to one geometry, blends them and lays the result into the face plate. */
export function drawMouth(job: MouthJob): void {
  const columns = (job.width + CELL - 1) >> CELL_SHIFT;
  const rows = (job.height + CELL - 1) >> CELL_SHIFT;
  sumFields(job);
  placeNodes(job, columns, rows);
  sumPatches(job, columns, rows);
  layLuma(job);
  layChroma(job, chromaSums(job, rows));
}
