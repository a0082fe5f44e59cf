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

/** Pages of 64 KiB that kernels declare (`npm run kernel`): 1 MiB, growing to at most 1 GiB. */
const PAGES = { initial: 16, maximum: 16_384 } as const;

/**
 * Instantiates a kernel that `npm run kernel` compiled.
 * @returns its functions, whose pointers are byte addresses in `memory`. The memory is shared, so that views stay valid when it grows.
 */
export async function openModule(
  bytes: BufferSource,
): Promise<{ exports: WebAssembly.Exports; memory: WebAssembly.Memory }> {
  const memory = new WebAssembly.Memory({ ...PAGES, shared: true });
  const { exports } = new WebAssembly.Instance(await WebAssembly.compile(bytes), { env: { memory } });
  return { exports, memory };
}

/** Instantiates the kernel of the folder `assembly`, `data/kernel/kernel.wasm`. */
export async function openKernel(bytes: BufferSource): Promise<DrawingKernel> {
  const { exports, memory } = await openModule(bytes);
  const run = exports as unknown as KernelExports;
  return { run, arena: new Arena(memory, run.heapBase()) };
}
