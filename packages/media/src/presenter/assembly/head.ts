// The head's inverse depth warp on a grid, then the plate drawn cell by cell (presenters/FORMAT.md 3.3).
import { drawBlended, drawOpaque, fitMap, halveMap, Map } from './patch';

/** Side of a grid cell in px of the frame, and of a block of the alpha summary in texels. */
const CELL_SHIFT = 4;
const BLOCK_SHIFT = 3;

/** Change in plate px at which a node's search ends before its three steps. */
const CLOSE_ENOUGH: f32 = 0.05;

const OPAQUE = 32767;

const luma = changetype<Map>(memory.data(32, 16));
const chroma = changetype<Map>(memory.data(32, 16));

/** All that one frame of one presenter needs; filled in by the host. The order of the fields is the memory layout. */
@unmanaged
export class HeadJob {
  // Pose; angles as cosine and sine, lengths in plate px.
  cosYaw: f32;
  sinYaw: f32;
  cosPitch: f32;
  sinPitch: f32;
  cosRoll: f32;
  sinRoll: f32;
  shiftX: f32;
  shiftY: f32;
  breath: f32;
  sway: f32;
  brow: f32;
  // Geometry of the pack, plate px.
  pivotX: f32;
  pivotY: f32;
  chinY: f32;
  neckY: f32;
  camDist: f32;
  plateHeight: f32;
  irisRadius: f32;
  eyeLeftX: f32;
  eyeRightX: f32;
  browY: f32;
  depth: usize;
  depthWidth: i32;
  depthHeight: i32;
  depthPerPx: f32;
  depthMin: f32;
  depthUnit: f32;
  // Texture: plate times `scale`, with `border` px around it; pointers are to texel (0, 0).
  scale: f32;
  textureWidth: i32;
  textureHeight: i32;
  border: i32;
  textureY: usize;
  textureU: usize;
  textureV: usize;
  alpha: usize;
  alphaHalf: usize;
  stride: i32;
  strideHalf: i32;
  blockMin: usize;
  blockMax: usize;
  blockStride: i32;
  // Target: the region that is drawn, frame px, and where texel (0, 0) lies relative to its corner.
  toY: usize;
  toU: usize;
  toV: usize;
  toStride: i32;
  toStrideHalf: i32;
  width: i32;
  height: i32;
  originX: f32;
  originY: f32;
  // Grid.
  columns: i32;
  rows: i32;
  nodes: usize;
  cellDistance: usize;
  nodeDistance: usize;
  reach: i32;
  // Disc: coverage planes (0: none) and a class a cell, 0 outside, 1 on the edge, 2 inside.
  mask: usize;
  maskHalf: usize;
  maskStride: i32;
  maskClass: usize;
}

// @ts-ignore: decorator
@inline
function smoothStep(from: f32, perLength: f32, x: f32): f32 {
  const t = max(<f32>0, min(<f32>1, (x - from) * perLength));
  return t * t * (3 - 2 * t);
}

// @ts-ignore: decorator
@inline
function depthAt(job: HeadJob, plateX: f32, plateY: f32): f32 {
  const x = max(<f32>0, min(<f32>(job.depthWidth - 1) - <f32>0.001, plateX * job.depthPerPx));
  const y = max(<f32>0, min(<f32>(job.depthHeight - 1) - <f32>0.001, plateY * job.depthPerPx));
  const column = <i32>x;
  const row = <i32>y;
  const fx = x - <f32>column;
  const fy = y - <f32>row;
  const at = job.depth + row * job.depthWidth + column;
  const below = at + job.depthWidth;
  const upper = <f32>load<u8>(at) * (1 - fx) + <f32>load<u8>(at, 1) * fx;
  const lower = <f32>load<u8>(below) * (1 - fx) + <f32>load<u8>(below, 1) * fx;
  return job.depthMin + job.depthUnit * (upper * (1 - fy) + lower * fy);
}

/** Where the plate point that is shown at each node comes from, as 16.16 texels. */
function placeNodes(job: HeadJob): void {
  const scale = job.scale;
  const margin = <f32>(job.border - 2);
  const uMax = <f32>job.textureWidth + margin - 16;
  const vMax = <f32>job.textureHeight + margin - 3;
  const perFoot: f32 = <f32>1 / (job.plateHeight * <f32>1.15 - job.neckY);
  const perSway: f32 = <f32>1 / (job.plateHeight * <f32>1.1 - job.neckY);
  const perNeck: f32 = <f32>1 / (<f32>1.25 * (job.neckY - job.chinY));
  const perCamera: f32 = <f32>1 / job.camDist;
  const browSpread: f32 = <f32>2 * (<f32>1.5 * job.irisRadius) * (<f32>1.5 * job.irisRadius);
  const eyeSpread: f32 = <f32>2 * (<f32>3.2 * job.irisRadius) * (<f32>3.2 * job.irisRadius);
  const browReach: f32 = <f32>5 * job.irisRadius;
  for (let j = 0; j <= job.rows; j++) {
    for (let i = 0; i <= job.columns; i++) {
      const index = j * (job.columns + 1) + i;
      if (<i32>load<u8>(job.nodeDistance + index) > job.reach) continue;
      const outX = (<f32>(i << CELL_SHIFT) - job.originX + <f32>0.5) / scale - <f32>0.5;
      const outY = (<f32>(j << CELL_SHIFT) - job.originY + <f32>0.5) / scale - <f32>0.5;
      let plateX = outX;
      let plateY = outY;
      for (let step = 0; step < 3; step++) {
        const share: f32 = 1 - smoothStep(job.chinY, perNeck, plateY);
        let dx: f32 = job.sway * (1 - smoothStep(job.neckY, perSway, plateY));
        let dy: f32 = -job.breath * ((1 - share) * (1 - smoothStep(job.neckY, perFoot, plateY)) + share);
        if (share > 0) {
          const z = depthAt(job, plateX, plateY);
          const perspective: f32 = 1 - z * perCamera;
          const x = (plateX - job.pivotX) * perspective;
          const y = (job.pivotY - plateY) * perspective;
          const x1 = job.cosRoll * x - job.sinRoll * y;
          const y1 = job.sinRoll * x + job.cosRoll * y;
          const y2 = job.cosPitch * y1 - job.sinPitch * z;
          const z2 = job.sinPitch * y1 + job.cosPitch * z;
          const x3 = job.cosYaw * x1 + job.sinYaw * z2;
          const z3 = job.cosYaw * z2 - job.sinYaw * x1;
          const k = job.camDist / (job.camDist - z3);
          dx += share * (job.pivotX + x3 * k - plateX + job.shiftX);
          dy += share * (job.pivotY - y2 * k - plateY + job.shiftY);
        }
        if (job.brow != 0) {
          const fromBrow = plateY - job.browY;
          if (abs(fromBrow) < browReach) {
            const left = plateX - job.eyeLeftX;
            const right = plateX - job.eyeRightX;
            const beside = min(left * left, right * right);
            dy -= job.brow * <f32>0.55 * job.irisRadius * NativeMathf.exp(-fromBrow * fromBrow / browSpread - beside / eyeSpread);
          }
        }
        const change = abs(outX - dx - plateX) + abs(outY - dy - plateY);
        plateX = outX - dx;
        plateY = outY - dy;
        if (change < CLOSE_ENOUGH) break;
      }
      const u = max(-margin, min(uMax, (plateX + <f32>0.5) * scale - <f32>0.5));
      const v = max(-margin, min(vMax, (plateY + <f32>0.5) * scale - <f32>0.5));
      const node = job.nodes + (index << 3);
      store<i32>(node, <i32>nearest(u * 65536));
      store<i32>(node, <i32>nearest(v * 65536), 4);
    }
  }
}

/** Least and greatest alpha of the blocks under a cell, as min << 8 | max. */
// @ts-ignore: decorator
@inline
function alphaRange(job: HeadJob, topLeft: usize, bottomLeft: usize): i32 {
  const u0 = load<i32>(topLeft);
  const u1 = load<i32>(topLeft, 8);
  const u2 = load<i32>(bottomLeft);
  const u3 = load<i32>(bottomLeft, 8);
  const v0 = load<i32>(topLeft, 4);
  const v1 = load<i32>(topLeft, 12);
  const v2 = load<i32>(bottomLeft, 4);
  const v3 = load<i32>(bottomLeft, 12);
  // One texel more on either side: bilinear taps, and chroma samples that cover two texels.
  const left = ((min(min(u0, u1), min(u2, u3)) >> 16) + job.border - 2) >> BLOCK_SHIFT;
  const right = ((max(max(u0, u1), max(u2, u3)) >> 16) + job.border + 3) >> BLOCK_SHIFT;
  const top = ((min(min(v0, v1), min(v2, v3)) >> 16) + job.border - 2) >> BLOCK_SHIFT;
  const bottom = ((max(max(v0, v1), max(v2, v3)) >> 16) + job.border + 3) >> BLOCK_SHIFT;
  let least = 255;
  let greatest = 0;
  for (let y = max(0, top); y <= bottom; y++) {
    const row = y * job.blockStride;
    for (let x = max(0, left); x <= right; x++) {
      least = min(least, <i32>load<u8>(job.blockMin + row + x));
      greatest = max(greatest, <i32>load<u8>(job.blockMax + row + x));
    }
  }
  return (least << 8) | greatest;
}

/** Draws the presenter into the region. */
export function drawHead(job: HeadJob): void {
  placeNodes(job);
  const nodeStride = (job.columns + 1) << 3;
  for (let j = 0; j < job.rows; j++) {
    const y = j << CELL_SHIFT;
    const height = min(16, job.height - y);
    for (let i = 0; i < job.columns; i++) {
      const cell = j * job.columns + i;
      if (<i32>load<u8>(job.cellDistance + cell) > job.reach) continue;
      const disc = job.mask != 0 ? <i32>load<u8>(job.maskClass + cell) : 2;
      if (disc == 0) continue;
      const topLeft = job.nodes + j * nodeStride + (i << 3);
      const range = alphaRange(job, topLeft, topLeft + nodeStride);
      if ((range & 255) == 0) continue;
      const x = i << CELL_SHIFT;
      const width = min(16, job.width - x);
      fitMap(luma, topLeft, topLeft + nodeStride, CELL_SHIFT);
      halveMap(chroma, luma);
      const toY = job.toY + y * job.toStride + x;
      const offset = (y >> 1) * job.toStrideHalf + (x >> 1);
      const halfWidth = width >> 1;
      const halfHeight = height >> 1;
      const toU = job.toU + offset;
      const toV = job.toV - job.toU;
      const other = job.textureV - job.textureU;
      if (range >> 8 == 255 && disc == 2) {
        drawOpaque(toY, 0, job.toStride, width, height, job.textureY, 0, job.stride, luma);
        drawOpaque(toU, toV, job.toStrideHalf, halfWidth, halfHeight, job.textureU, other, job.strideHalf, chroma);
        continue;
      }
      const stride = job.maskStride;
      const mask = disc == 1 ? job.mask + y * stride + x : 0;
      const maskHalf = disc == 1 ? job.maskHalf + (y >> 1) * (stride >> 1) + (x >> 1) : 0;
      drawBlended(toY, 0, job.toStride, width, height, job.textureY, 0, job.alpha, job.stride, luma, mask, stride, OPAQUE);
      drawBlended(toU, toV, job.toStrideHalf, halfWidth, halfHeight, job.textureU, other, job.alphaHalf, job.strideHalf, chroma, maskHalf, stride >> 1, OPAQUE);
    }
  }
}
