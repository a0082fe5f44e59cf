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

/** Memory of pages that cannot share it, 64 MiB: it cannot grow, because its views would be lost. A presenter needs 10 to 30. */
const UNSHARED_PAGES = 1024;

/** Import of the memory `env.memory`, and after it the flags of its limits: bit 0 says that there is a maximum, bit 1 that it is shared. */
const MEMORY_IMPORT = [3, 0x65, 0x6e, 0x76, 6, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 2];

/**
 * Instantiates a kernel that `npm run kernel` compiled.
 * @returns its functions, whose pointers are byte addresses in `memory`. The memory is shared where it can be, so that views stay valid when it grows.
 */
export async function openModule(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<{ exports: WebAssembly.Exports; memory: WebAssembly.Memory }> {
  const isShared = typeof SharedArrayBuffer !== 'undefined';
  const memory = new WebAssembly.Memory(
    isShared ? { ...PAGES, shared: true } : { initial: UNSHARED_PAGES, maximum: UNSHARED_PAGES },
  );
  const module = await WebAssembly.compile(isShared ? bytes : withoutSharing(bytes));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return { exports, memory };
}

function withoutSharing(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const at = bytes.findIndex((_, start) => MEMORY_IMPORT.every((byte, i) => bytes[start + i] === byte));
  const changed = bytes.slice();
  changed[at + MEMORY_IMPORT.length] = 1;
  return changed;
}

/** Instantiates the kernel of the folder `assembly`, `data/kernel/kernel.wasm`. */
export async function openKernel(bytes: Uint8Array<ArrayBuffer>): Promise<DrawingKernel> {
  const { exports, memory } = await openModule(bytes);
  const run = exports as unknown as KernelExports;
  return { run, arena: new Arena(memory, run.heapBase()) };
}
