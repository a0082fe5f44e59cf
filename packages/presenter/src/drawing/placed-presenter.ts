import type { FaceRedrawing, PlacedPresenter } from '../contract.js';
import type { Pose } from '../face/contract.js';
import { smoothstep } from '../face/easing.js';
import type { Rect, YuvFrame } from '../frame.js';
import { buildMask } from '../pack/masks.js';
import type { LoadedPack } from '../pack/pack.js';
import { ALPHA_BLOCK, type PackTextures, type Planes, type TextureBox } from '../pack/textures.js';
import { Blocks } from './arena.js';
import type { ArmsPlate } from './arms-plate.js';
import { checkTarget, type Layout } from './crop.js';
import { chessboardDistance, FAR } from './distance.js';
import type { FacePlate } from './face-plate.js';
import type { FrameStore } from './frame-store.js';
import { type JobLayout, KernelJob } from './job.js';
import type { DrawingKernel } from './kernel.js';
import { headRotation, PoseGauge, sameEyes, sameHead, sameMouth, shiftOf, strayOf } from './pose-bounds.js';

/** Fields of `HeadJob` in assembly/head.ts. */
const HEAD_JOB = [
  ['f32', 'cosYaw sinYaw cosPitch sinPitch cosRoll sinRoll shiftX shiftY breath sway brow pivotX pivotY chinY'],
  ['f32', 'neckY camDist plateHeight irisRadius eyeLeftX eyeRightX browY'],
  ['i32', 'depth depthWidth depthHeight'],
  ['f32', 'depthPerPx depthMin depthUnit scale'],
  ['i32', 'textureWidth textureHeight border textureY textureU textureV alpha alphaHalf stride strideHalf'],
  ['i32', 'blockMin blockMax blockStride toY toU toV toStride toStrideHalf width height'],
  ['f32', 'originX originY'],
  ['i32', 'columns rows nodes cellDistance rimDistance nodeDistance reach mask maskHalf maskStride maskClass'],
  ['i32', 'firstColumn firstRow lastColumn lastRow'],
] as const satisfies JobLayout;

type HeadJob = KernelJob<typeof HEAD_JOB>;

/** Side of a cell of the warp's grid in frame px; the kernel uses the same. */
const CELL = 16;

/** Brow lift above the centre of the eye, in iris radii (presenters/FORMAT.md 3.3). */
const BROW_RADII = 2.6;

/** Width in px of the soft edge of a disc. */
const DISC_EDGE = 2;

/** From this many neck heights below the chin on, the body only breathes and sways (assembly/head.ts). */
const BODY_NECKS = 1.25;

/** Range of cells of the grid; the last ones are exclusive. */
interface Cells {
  readonly firstColumn: number;
  readonly firstRow: number;
  readonly lastColumn: number;
  readonly lastRow: number;
}

const NO_CELLS: Cells = { firstColumn: FAR, firstRow: FAR, lastColumn: 0, lastRow: 0 };

/** Parts of a {@link Placement}; the compositor owns textures and face plate. */
interface PlacementParts {
  readonly kernel: DrawingKernel;
  readonly frames: FrameStore;
  readonly pack: LoadedPack;
  readonly textures: PackTextures;
  readonly face: FacePlate;
  readonly arms: ArmsPlate | undefined;
  readonly layout: Layout;
  readonly frame: { readonly width: number; readonly height: number };
  /** Called once, on the first `close`. */
  readonly onClose: () => void;
}

/** Draws a presenter at one place (contract: {@link PlacedPresenter}). */
export class Placement implements PlacedPresenter {
  readonly bounds: Rect;
  readonly face: FaceRedrawing = {
    distance: (from, to) => this.gauge.distance(from, to) * this.parts.layout.scale,
    changed: (from, to) => this.changed(from, to),
  };
  private readonly gauge: PoseGauge;
  private readonly blocks: Blocks;
  private readonly job: HeadJob;
  /** Draws the background: the same job as for the person, with other textures and an idle pose. */
  private readonly groundJob: HeadJob | undefined;
  private isOpen = true;

  constructor(private readonly parts: PlacementParts) {
    const { kernel, pack, textures, layout } = parts;
    this.bounds = layout.region;
    this.gauge = new PoseGauge(pack);
    this.blocks = new Blocks(kernel.arena);
    const columns = Math.ceil(this.bounds.width / CELL);
    const rows = Math.ceil(this.bounds.height / CELL);
    const originX = layout.originX - this.bounds.x;
    const originY = layout.originY - this.bounds.y;
    const moving = parts.arms?.boxes() ?? [];
    const { content, rim } = cellDistances(kernel, textures, { columns, rows, originX, originY, moving });
    const { plate } = textures;
    const { head, eye, depth } = pack.manifest;
    const [left, right] = eye.eyes;
    const common = {
      ...head,
      plateHeight: pack.height,
      irisRadius: (left.r + right.r) / 2,
      eyeLeftX: eye.box[0] + left.x,
      eyeRightX: eye.box[0] + right.x,
      browY: eye.box[1] + (left.y + right.y) / 2 - (BROW_RADII * (left.r + right.r)) / 2,
      depth: textures.depth,
      depthWidth: pack.depth.width,
      depthHeight: pack.depth.height,
      depthPerPx: 1 / depth.scale,
      depthMin: depth.min,
      depthUnit: (depth.max - depth.min) / 255,
      scale: textures.scale,
      textureWidth: plate.width,
      textureHeight: plate.height,
      border: plate.border,
      stride: plate.stride,
      strideHalf: plate.stride / 2,
      blockMin: plate.blockMin,
      blockMax: plate.blockMax,
      blockStride: plate.blockStride,
      width: this.bounds.width,
      height: this.bounds.height,
      originX,
      originY,
      columns,
      rows,
      // The kernel writes four nodes at a time.
      nodes: this.blocks.allocate((columns + 1) * (rows + 1) * 8 + 32),
      ...this.buildDisc(columns, rows),
    };
    this.job = new KernelJob(kernel.arena, HEAD_JOB);
    this.job.set({
      ...common,
      ...texturesOf(plate.face, plate),
      cellDistance: this.blocks.upload(content),
      rimDistance: this.blocks.upload(rim),
      nodeDistance: this.blocks.upload(nodeDistance(content, columns, rows)),
    });
    if (plate.ground === undefined) return;
    this.groundJob = new KernelJob(kernel.arena, HEAD_JOB);
    this.groundJob.set({
      ...common,
      ...texturesOf(plate.ground.planes, plate.ground),
      cosYaw: 1,
      cosPitch: 1,
      cosRoll: 1,
      // Not drawn where it is behind the person.
      cellDistance: this.blocks.upload(rim),
      nodeDistance: this.blocks.upload(nodeDistance(rim, columns, rows)),
      rimDistance: this.blocks.upload(new Uint8Array(rim.length).fill(FAR)),
    });
  }

  draw(pose: Pose, target: YuvFrame, part: Rect = this.bounds): void {
    const { frame, frames, face, arms, kernel, pack } = this.parts;
    if (!this.isOpen) throw new Error('expected an open presenter, it has been closed');
    checkTarget(target, frame);
    const at = frames.addressesOf(target);
    const cells = this.cellsOf(part);
    if (cells.firstColumn >= cells.lastColumn || cells.firstRow >= cells.lastRow) return;
    face.update(pose);
    arms?.update(pose.arms);
    const { x, y } = this.bounds;
    const half = (y / 2) * target.uvStride + x / 2;
    const { yaw, pitch, roll } = headRotation(pose);
    const { shiftX, shiftY, breath, sway } = shiftOf(pack, pose);
    for (const job of this.groundJob ? [this.groundJob, this.job] : [this.job]) {
      job.put('firstColumn', cells.firstColumn);
      job.put('firstRow', cells.firstRow);
      job.put('lastColumn', cells.lastColumn);
      job.put('lastRow', cells.lastRow);
      job.put('reach', Math.min(FAR - 1, Math.ceil(this.stray(pose) / CELL)));
      job.put('toY', at.y + y * target.yStride + x);
      job.put('toU', at.u + half);
      job.put('toV', at.v + half);
      job.put('toStride', target.yStride);
      job.put('toStrideHalf', target.uvStride);
    }
    const { job } = this;
    job.put('shiftX', shiftX);
    job.put('shiftY', shiftY);
    job.put('breath', breath);
    job.put('sway', sway);
    job.put('cosYaw', Math.cos(yaw));
    job.put('sinYaw', Math.sin(yaw));
    job.put('cosPitch', Math.cos(pitch));
    job.put('sinPitch', Math.sin(pitch));
    job.put('cosRoll', Math.cos(roll));
    job.put('sinRoll', Math.sin(roll));
    job.put('brow', pose.brow);
    if (this.groundJob) kernel.run.drawHead(this.groundJob.address);
    kernel.run.drawHead(job.address);
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.blocks.free();
    this.job.free();
    this.groundJob?.free();
    this.parts.onClose();
  }

  /** Cells of the grid that overlap `part`. */
  private cellsOf(part: Rect): Cells {
    const { x, y, width, height } = this.bounds;
    const first = (from: number): number => Math.max(0, Math.floor(from / CELL));
    const last = (to: number, length: number): number => Math.ceil(Math.min(to, length) / CELL);
    return {
      firstColumn: first(part.x - x),
      firstRow: first(part.y - y),
      lastColumn: last(part.x + part.width - x, width),
      lastRow: last(part.y + part.height - y, height),
    };
  }

  /**
   * Greatest distance of any point of the person from its resting place, px, including the margin that sampling reads.
   */
  private stray(pose: Pose): number {
    return strayOf(this.parts.pack, pose) * this.parts.textures.scale + 4;
  }

  /** Rounded to whole cells, so that everything `draw` touches has been restored. */
  private changed(from: Pose, to: Pose): Rect {
    const { mouths, lids } = this.parts.textures;
    const isBody = from.breath !== to.breath || from.sway !== to.sway;
    const isHead = isBody || !sameHead(from, to);
    const boxes = [
      ...(sameMouth(from, to) ? [] : [mouths.box]),
      ...(sameEyes(from, to) ? [] : [lids.box]),
      ...(from.arms || to.arms ? (this.parts.arms?.boxes(from.arms, to.arms) ?? []) : []),
    ];
    const { x, y, width, height } = this.bounds;
    const stray = Math.max(this.stray(from), this.stray(to));
    let cells = boxes.length > 0 ? this.cellsOf(this.reached(boxes, stray)) : NO_CELLS;
    // Whole rows are copied at once, which is faster than skipping the background next to the head.
    if (isHead)
      cells = joined(cells, { ...this.cellsOf(this.bounds), ...(isBody ? {} : { lastRow: this.headRows(to) }) });
    const [left, top] = [cells.firstColumn * CELL, cells.firstRow * CELL];
    const [right, bottom] = [Math.min(cells.lastColumn * CELL, width), Math.min(cells.lastRow * CELL, height)];
    if (right <= left || bottom <= top) return { x, y, width: 0, height: 0 };
    return { x: x + left, y: y + top, width: right - left, height: bottom - top };
  }

  /**
   * Rows of cells, from the top, that a movement of the head can change: below them everything only breathes and sways.
   */
  private headRows(pose: Pose): number {
    const { pack, layout, textures } = this.parts;
    const { chinY, neckY } = pack.manifest.head;
    const bodyY = chinY + BODY_NECKS * (neckY - chinY) + Math.abs(shiftOf(pack, pose).breath);
    const row = ((bodyY + 0.5) * textures.scale - 0.5 + layout.originY - this.bounds.y) / CELL;
    // The kernel rounds to single precision.
    return Math.floor(row + 0.01) + 1;
  }

  /** Area in which boxes of the plate may appear, px of the frame. */
  private reached(boxes: readonly TextureBox[], stray: number): Rect {
    const { originX, originY } = this.parts.layout;
    const left = Math.min(...boxes.map((box) => box.x)) - stray;
    const top = Math.min(...boxes.map((box) => box.y)) - stray;
    const right = Math.max(...boxes.map((box) => box.x + box.width)) + stray;
    const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + stray;
    return { x: originX + left, y: originY + top, width: right - left, height: bottom - top };
  }

  private buildDisc(
    columns: number,
    rows: number,
  ): { mask: number; maskHalf: number; maskStride: number; maskClass: number } {
    const { disc } = this.parts.layout;
    if (!disc) return { mask: 0, maskHalf: 0, maskStride: 0, maskClass: 0 };
    const { x: left, y: top, width, height } = this.bounds;
    const stride = columns * CELL;
    const mask = buildMask({ width, height, stride }, (x, y) => {
      const distance = Math.hypot(left + x - disc.x, top + y - disc.y);
      return 1 - smoothstep(disc.radius - DISC_EDGE, disc.radius, distance);
    });
    const classes = new Uint8Array(columns * rows);
    for (let j = 0; j < rows; j++) {
      for (let i = 0; i < columns; i++) {
        let least = 255;
        let greatest = 0;
        for (let y = j * CELL; y < Math.min((j + 1) * CELL, height); y++) {
          for (let x = i * CELL; x < Math.min((i + 1) * CELL, width); x++) {
            least = Math.min(least, mask.luma[y * stride + x]!);
            greatest = Math.max(greatest, mask.luma[y * stride + x]!);
          }
        }
        classes[j * columns + i] = least === 255 ? 2 : greatest === 0 ? 0 : 1;
      }
    }
    return {
      mask: this.blocks.upload(mask.luma),
      maskHalf: this.blocks.upload(mask.chroma),
      maskStride: stride,
      maskClass: this.blocks.upload(classes),
    };
  }
}

/** The fields of a job that determine what is drawn. */
function texturesOf({ y, u, v }: Planes, { alpha, alphaHalf }: { alpha: number; alphaHalf: number }) {
  return { textureY: y, textureU: u, textureV: v, alpha, alphaHalf };
}

interface Grid {
  readonly columns: number;
  readonly rows: number;
  /** Texel (0, 0) relative to the grid's corner. */
  readonly originX: number;
  readonly originY: number;
  /** Texels of parts whose outline changes. */
  readonly moving: readonly TextureBox[];
}

/** Distances of each cell at rest, in cells. */
interface CellDistances {
  /** To the nearest cell that contains part of the person. */
  readonly content: Uint8Array;
  /** To the nearest cell that is not fully opaque, or outside the grid. */
  readonly rim: Uint8Array;
}

function cellDistances({ arena }: DrawingKernel, { plate }: PackTextures, grid: Grid): CellDistances {
  const { columns, rows, originX, originY, moving } = grid;
  const blockRows = Math.floor((plate.height + 2 * plate.border) / ALPHA_BLOCK);
  const greatest = arena.bytes(plate.blockMax, plate.blockStride * blockRows);
  const least = arena.bytes(plate.blockMin, plate.blockStride * blockRows);
  const blockAt = (pixel: number, origin: number, last: number): number =>
    Math.min(Math.max(Math.floor((pixel - origin + plate.border) / ALPHA_BLOCK), 0), last);
  const hasBlock = (i: number, j: number, test: (block: number) => boolean): boolean => {
    const bottom = blockAt((j + 1) * CELL, originY, blockRows - 1);
    const right = blockAt((i + 1) * CELL, originX, plate.blockStride - 1);
    for (let y = blockAt(j * CELL - 1, originY, blockRows - 1); y <= bottom; y++) {
      for (let x = blockAt(i * CELL - 1, originX, plate.blockStride - 1); x <= right; x++) {
        if (test(y * plate.blockStride + x)) return true;
      }
    }
    return false;
  };
  const isMoving = (i: number, j: number): boolean =>
    moving.some(({ x, y, width, height }) => {
      const [left, top] = [i * CELL - originX, j * CELL - originY];
      return left < x + width && left + CELL > x && top < y + height && top + CELL > y;
    });
  const isOutside = (i: number, j: number): boolean => isMoving(i, j) || hasBlock(i, j, (block) => least[block]! < 255);
  const isContent = (i: number, j: number): boolean =>
    isMoving(i, j) || hasBlock(i, j, (block) => greatest[block]! > 0);
  const rim = chessboardDistance(isOutside, columns, rows);
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const at = j * columns + i;
      // Content that may move in from outside the grid is unknown.
      rim[at] = Math.min(rim[at]!, i + 1, j + 1, columns - i, rows - j);
    }
  }
  return { content: chessboardDistance(isContent, columns, rows), rim };
}

/** The smallest range around both. */
function joined(a: Cells, b: Cells): Cells {
  return {
    firstColumn: Math.min(a.firstColumn, b.firstColumn),
    firstRow: Math.min(a.firstRow, b.firstRow),
    lastColumn: Math.max(a.lastColumn, b.lastColumn),
    lastRow: Math.max(a.lastRow, b.lastRow),
  };
}

/** For each corner of the cells, the least distance of the surrounding cells. */
function nodeDistance(cells: Uint8Array, columns: number, rows: number): Uint8Array {
  const nodes = new Uint8Array((columns + 1) * (rows + 1)).fill(FAR);
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      for (const node of [j * (columns + 1) + i, j * (columns + 1) + i + 1]) {
        for (const at of [node, node + columns + 1]) nodes[at] = Math.min(nodes[at]!, cells[j * columns + i]!);
      }
    }
  }
  return nodes;
}
