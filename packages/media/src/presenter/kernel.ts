import { loadKernelModule } from '../kernel-module.js';
import { Arena } from './arena.js';

/** Functions of the compiled kernel (`assembly/`); pointers are byte addresses in its memory. */
interface KernelExports {
  heapBase(): number;
  copyPlane(to: number, toStride: number, from: number, fromStride: number, width: number, height: number): void;
  drawHead(job: number): void;
  drawMouth(job: number): void;
  drawSprite(job: number): void;
  shiftEyes(
    to: number,
    plate: number,
    stride: number,
    eye: number,
    follow: number,
    width: number,
    height: number,
    gazeX: number,
    gazeY: number,
  ): void;
  closeLids(
    to: number,
    toStride: number,
    lower: number,
    lowerStride: number,
    upper: number,
    mask: number,
    maskStride: number,
    width: number,
    height: number,
    t: number,
  ): void;
  filterColumns(...filter: FilterArguments): void;
  filterRows(...filter: FilterArguments): void;
  extendEdges(plane: number, stride: number, width: number, height: number, border: number): void;
  takeSharp(to: number, sharp: number, isWhole: number, length: number): void;
  summarise(plane: number, stride: number, width: number, height: number, least: number, greatest: number): void;
}

type FilterArguments = [
  to: number,
  toStride: number,
  from: number,
  fromStride: number,
  width: number,
  height: number,
  starts: number,
  weights: number,
  taps: number,
];

/** One instance of the drawing kernel with its memory. Not shared between threads. */
export interface DrawingKernel {
  readonly run: KernelExports;
  readonly arena: Arena;
}

/** Loads the kernel of the folder `assembly`. */
export async function loadKernel(): Promise<DrawingKernel> {
  const { exports, memory } = await loadKernelModule('kernel');
  const run = exports as KernelExports;
  return { run, arena: new Arena(memory, run.heapBase()) };
}
