// The head's inverse depth warp on a grid, then the plate drawn cell by cell (presenters/FORMAT.md 3.3).
import { drawBlended, drawOpaque, fitMap, halveMap, Map, OPAQUE } from './patch';

/** Side of a grid cell in px of the frame, and of a block of the alpha summary in texels. */
const CELL_SHIFT = 4;
const BLOCK_SHIFT = 3;

/** Change in plate px at which a node's search ends before its three steps. */
const CLOSE_ENOUGH: f32 = 0.05;

/** Exponent from which a brow's lift is below a hundredth of a px. */
const BROW_END: f32 = 7;

const luma = changetype<Map>(memory.data(32, 16));
const chroma = changetype<Map>(memory.data(32, 16));

/** Inputs of one frame of one presenter, filled in by the host. The order of the fields is the memory layout. */
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
  // Target: the region that is drawn, frame px, and the position of texel (0, 0) relative to its corner.
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
  /** Distance in cells to the nearest cell that is not fully opaque, or to the region's edge. */
  rimDistance: usize;
  nodeDistance: usize;
  reach: i32;
  // Disc: coverage planes (0: none) and one class per cell: 0 outside, 1 on the edge, 2 inside.
  mask: usize;
  maskHalf: usize;
  maskStride: i32;
  maskClass: usize;
  // Range of cells that are drawn; the last ones are exclusive.
  firstColumn: i32;
  firstRow: i32;
  lastColumn: i32;
  lastRow: i32;
}

// @ts-ignore: decorator
@inline
function smoothStep(from: f32, perLength: f32, x: f32): f32 {
  const t = max(<f32>0, min(<f32>1, (x - from) * perLength));
  return t * t * (3 - 2 * t);
}

/** The same for four values. */
// @ts-ignore: decorator
@inline
function smoothStep4(from: f32, perLength: f32, x: v128): v128 {
  const t = f32x4.max(
    f32x4.splat(0),
    f32x4.min(f32x4.splat(1), f32x4.mul(f32x4.sub(x, f32x4.splat(from)), f32x4.splat(perLength))),
  );
  return f32x4.mul(f32x4.mul(t, t), f32x4.sub(f32x4.splat(3), f32x4.add(t, t)));
}

// @ts-ignore: decorator
@inline
function depthAt(job: HeadJob, x: f32, y: f32): f32 {
  const column = <i32>x;
  const row = <i32>y;
  const fx = x - <f32>column;
  const fy = y - <f32>row;
  const at = job.depth + row * job.depthWidth + column;
  const below = at + job.depthWidth;
  const upper = <f32>load<u8>(at) * (1 - fx) + <f32>load<u8>(at, 1) * fx;
  const lower = <f32>load<u8>(below) * (1 - fx) + <f32>load<u8>(below, 1) * fx;
  return upper * (1 - fy) + lower * fy;
}

/** Depths of four points of the plate. */
// @ts-ignore: decorator
@inline
function depthAt4(job: HeadJob, plateX: v128, plateY: v128): v128 {
  const perPx = f32x4.splat(job.depthPerPx);
  const last: f32 = 0.001;
  const x = f32x4.max(
    f32x4.splat(0),
    f32x4.min(f32x4.splat(<f32>(job.depthWidth - 1) - last), f32x4.mul(plateX, perPx)),
  );
  const y = f32x4.max(
    f32x4.splat(0),
    f32x4.min(f32x4.splat(<f32>(job.depthHeight - 1) - last), f32x4.mul(plateY, perPx)),
  );
  let depths = f32x4.splat(depthAt(job, f32x4.extract_lane(x, 0), f32x4.extract_lane(y, 0)));
  depths = f32x4.replace_lane(depths, 1, depthAt(job, f32x4.extract_lane(x, 1), f32x4.extract_lane(y, 1)));
  depths = f32x4.replace_lane(depths, 2, depthAt(job, f32x4.extract_lane(x, 2), f32x4.extract_lane(y, 2)));
  depths = f32x4.replace_lane(depths, 3, depthAt(job, f32x4.extract_lane(x, 3), f32x4.extract_lane(y, 3)));
  return f32x4.add(f32x4.splat(job.depthMin), f32x4.mul(f32x4.splat(job.depthUnit), depths));
}

/** Lift of the brows at a point, in plate px. */
// @ts-ignore: decorator
@inline
function browLift(job: HeadJob, plateX: f32, plateY: f32): f32 {
  const radius = job.irisRadius;
  const fromBrow = plateY - job.browY;
  const left = plateX - job.eyeLeftX;
  const right = plateX - job.eyeRightX;
  const beside = min(left * left, right * right);
  const far: f32 =
    fromBrow * fromBrow / (<f32>4.5 * radius * radius) + beside / (<f32>20.48 * radius * radius);
  return far > BROW_END ? 0 : job.brow * <f32>0.55 * radius * NativeMathf.exp(-far);
}

/** For each node the source of its plate point, as 16.16 texels. */
function placeNodes(job: HeadJob): void {
  const scale = job.scale;
  const margin = <f32>(job.border - 2);
  const uMax = <f32>job.textureWidth + margin - 16;
  const vMax = <f32>job.textureHeight + margin - 3;
  const perFoot: f32 = <f32>1 / (job.plateHeight * <f32>1.15 - job.neckY);
  const perSway: f32 = <f32>1 / (job.plateHeight * <f32>1.1 - job.neckY);
  const perNeck: f32 = <f32>1 / (<f32>1.25 * (job.neckY - job.chinY));
  // Below this row the body only breathes and sways, which is the same across a row.
  const bodyY = job.chinY + <f32>1.25 * (job.neckY - job.chinY) + abs(job.breath);
  const browReach: f32 = <f32>5 * job.irisRadius;
  const step: f32 = <f32>(1 << CELL_SHIFT) / scale;
  for (let j = job.firstRow; j <= job.lastRow; j++) {
    const row = j * (job.columns + 1);
    const outY = (<f32>(j << CELL_SHIFT) - job.originY + <f32>0.5) / scale - <f32>0.5;
    const firstX = (<f32>0.5 - job.originX) / scale - <f32>0.5;
    const isBody = outY > bodyY;
    let bodyX: f32 = 0;
    let bodyV: i32 = 0;
    if (isBody) {
      let plateY = outY;
      for (let turn = 0; turn < 3; turn++) {
        plateY = outY + job.breath * (1 - smoothStep(job.neckY, perFoot, plateY));
      }
      bodyX = -job.sway * (1 - smoothStep(job.neckY, perSway, plateY));
      bodyV = toTexels(plateY, scale, margin, vMax);
    }
    const hasBrow = job.brow != 0 && abs(outY - job.browY) < browReach + abs(job.shiftY) + abs(job.breath) + <f32>80;
    // Starts at a multiple of four, so that the groups of four searched together do not depend on what is drawn.
    for (let i = job.firstColumn & ~3; i <= job.lastColumn; i += 4) {
      const index = row + i;
      if (isFar(job, index)) continue;
      const outX = f32x4.add(
        f32x4.splat(firstX + <f32>i * step),
        f32x4.mul(f32x4(0, 1, 2, 3), f32x4.splat(step)),
      );
      const node = job.nodes + (index << 3);
      if (isBody) {
        const u = toTexels4(f32x4.add(outX, f32x4.splat(bodyX)), scale, margin, uMax);
        storeNodes(node, u, i32x4.splat(bodyV));
        continue;
      }
      let plateX = outX;
      let plateY = f32x4.splat(outY);
      for (let turn = 0; turn < 3; turn++) {
        const fade = smoothStep4(job.chinY, perNeck, plateY);
        const share = f32x4.sub(f32x4.splat(1), fade);
        const swayed = f32x4.sub(f32x4.splat(1), smoothStep4(job.neckY, perSway, plateY));
        const lifted = f32x4.sub(f32x4.splat(1), smoothStep4(job.neckY, perFoot, plateY));
        let dx = f32x4.mul(f32x4.splat(job.sway), swayed);
        let dy = f32x4.mul(f32x4.splat(-job.breath), f32x4.add(f32x4.mul(fade, lifted), share));
        const z = depthAt4(job, plateX, plateY);
        const camDist = f32x4.splat(job.camDist);
        const perspective = f32x4.sub(f32x4.splat(1), f32x4.mul(z, f32x4.splat(<f32>1 / job.camDist)));
        const x = f32x4.mul(f32x4.sub(plateX, f32x4.splat(job.pivotX)), perspective);
        const y = f32x4.mul(f32x4.sub(f32x4.splat(job.pivotY), plateY), perspective);
        const x1 = f32x4.sub(f32x4.mul(f32x4.splat(job.cosRoll), x), f32x4.mul(f32x4.splat(job.sinRoll), y));
        const y1 = f32x4.add(f32x4.mul(f32x4.splat(job.sinRoll), x), f32x4.mul(f32x4.splat(job.cosRoll), y));
        const y2 = f32x4.sub(f32x4.mul(f32x4.splat(job.cosPitch), y1), f32x4.mul(f32x4.splat(job.sinPitch), z));
        const z2 = f32x4.add(f32x4.mul(f32x4.splat(job.sinPitch), y1), f32x4.mul(f32x4.splat(job.cosPitch), z));
        const x3 = f32x4.add(f32x4.mul(f32x4.splat(job.cosYaw), x1), f32x4.mul(f32x4.splat(job.sinYaw), z2));
        const z3 = f32x4.sub(f32x4.mul(f32x4.splat(job.cosYaw), z2), f32x4.mul(f32x4.splat(job.sinYaw), x1));
        const k = f32x4.div(camDist, f32x4.sub(camDist, z3));
        const turnedX = f32x4.sub(f32x4.add(f32x4.mul(x3, k), f32x4.splat(job.pivotX + job.shiftX)), plateX);
        const turnedY = f32x4.sub(f32x4.sub(f32x4.splat(job.pivotY + job.shiftY), f32x4.mul(y2, k)), plateY);
        dx = f32x4.add(dx, f32x4.mul(share, turnedX));
        dy = f32x4.add(dy, f32x4.mul(share, turnedY));
        if (hasBrow) dy = f32x4.sub(dy, browLift4(job, plateX, plateY));
        const nextX = f32x4.sub(outX, dx);
        const nextY = f32x4.sub(f32x4.splat(outY), dy);
        const change = f32x4.add(f32x4.abs(f32x4.sub(nextX, plateX)), f32x4.abs(f32x4.sub(nextY, plateY)));
        plateX = nextX;
        plateY = nextY;
        if (!v128.any_true(f32x4.ge(change, f32x4.splat(CLOSE_ENOUGH)))) break;
      }
      storeNodes(node, toTexels4(plateX, scale, margin, uMax), toTexels4(plateY, scale, margin, vMax));
    }
  }
}

// @ts-ignore: decorator
@inline
function browLift4(job: HeadJob, x: v128, y: v128): v128 {
  let lift = f32x4.splat(browLift(job, f32x4.extract_lane(x, 0), f32x4.extract_lane(y, 0)));
  lift = f32x4.replace_lane(lift, 1, browLift(job, f32x4.extract_lane(x, 1), f32x4.extract_lane(y, 1)));
  lift = f32x4.replace_lane(lift, 2, browLift(job, f32x4.extract_lane(x, 2), f32x4.extract_lane(y, 2)));
  return f32x4.replace_lane(lift, 3, browLift(job, f32x4.extract_lane(x, 3), f32x4.extract_lane(y, 3)));
}

/** True when no part of the person can reach the four nodes from `index`; some of them may be in the next row. */
// @ts-ignore: decorator
@inline
function isFar(job: HeadJob, index: i32): bool {
  const distances = v128.load32_splat(job.nodeDistance + index);
  return !v128.any_true(i8x16.le_u(distances, i8x16.splat(<i8>job.reach)));
}

/** Plate px to 16.16 texels inside the texture's border. */
// @ts-ignore: decorator
@inline
function toTexels(plate: f32, scale: f32, margin: f32, limit: f32): i32 {
  const texel = max(-margin, min(limit, (plate + <f32>0.5) * scale - <f32>0.5));
  return <i32>nearest(texel * 65536);
}

/** The same for four. */
// @ts-ignore: decorator
@inline
function toTexels4(plate: v128, scale: f32, margin: f32, limit: f32): v128 {
  const texel = f32x4.sub(f32x4.mul(f32x4.add(plate, f32x4.splat(0.5)), f32x4.splat(scale)), f32x4.splat(0.5));
  const inside = f32x4.max(f32x4.splat(-margin), f32x4.min(f32x4.splat(limit), texel));
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(inside, f32x4.splat(65536))));
}

/** Four neighbouring nodes. At the end of a row this writes into the next row, which is overwritten later. */
// @ts-ignore: decorator
@inline
function storeNodes(node: usize, u: v128, v: v128): void {
  v128.store(node, i8x16.shuffle(u, v, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23));
  v128.store(node + 16, i8x16.shuffle(u, v, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31));
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

/** Draws the presenter into the cells of the job. */
export function drawHead(job: HeadJob): void {
  placeNodes(job);
  const nodeStride = (job.columns + 1) << 3;
  for (let j = job.firstRow; j < job.lastRow; j++) {
    const y = j << CELL_SHIFT;
    const height = min(16, job.height - y);
    for (let i = job.firstColumn; i < job.lastColumn; i++) {
      const cell = j * job.columns + i;
      if (<i32>load<u8>(job.cellDistance + cell) > job.reach) continue;
      const disc = job.mask != 0 ? <i32>load<u8>(job.maskClass + cell) : 2;
      if (disc == 0) continue;
      const topLeft = job.nodes + j * nodeStride + (i << 3);
      const isInner = <i32>load<u8>(job.rimDistance + cell) > job.reach;
      const range = isInner ? 0xffff : alphaRange(job, topLeft, topLeft + nodeStride);
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
