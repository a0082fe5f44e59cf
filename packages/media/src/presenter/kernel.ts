import { readFile } from 'node:fs/promises';
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

const EXPORTS = [
  'heapBase',
  'copyPlane',
  'drawHead',
  'drawMouth',
  'drawSprite',
  'shiftEyes',
  'closeLids',
  'filterColumns',
  'filterRows',
  'extendEdges',
  'takeSharp',
  'summarise',
] as const satisfies readonly (keyof KernelExports)[];

/** Pages of 64 KiB that the module declares (`scripts/build-kernel.js`): 1 MiB, growing to at most 1 GiB. */
const INITIAL_PAGES = 16;
const MAXIMUM_PAGES = 16_384;

/** Loads the kernel, which `npm run kernel` compiled from the folder `assembly`. */
export async function loadKernel(): Promise<DrawingKernel> {
  // Works from dist and from src: both resolve to the package's data.
  const bytes = await readFile(new URL('../../data/kernel/kernel.wasm', import.meta.url));
  const module = await WebAssembly.compile(bytes);
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: MAXIMUM_PAGES, shared: true });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  if (!isKernel(exports))
    throw new Error('kernel.wasm: expected the functions of presenter/assembly, run `npm run kernel`');
  return { run: exports, arena: new Arena(memory, exports.heapBase()) };
}

function isKernel(exports: object): exports is KernelExports {
  return EXPORTS.every((name) => typeof Reflect.get(exports, name) === 'function');
}
