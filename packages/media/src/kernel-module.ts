import { readFile } from 'node:fs/promises';

/** Pages of 64 KiB that the modules declare (`scripts/build-kernel.js`): 1 MiB, growing to at most 1 GiB. */
const PAGES = { initial: 16, maximum: 16_384 } as const;

/**
 * Loads a kernel that `npm run kernel` compiled to `packages/media/data`.
 * @returns its functions, whose pointers are byte addresses in `memory`. The memory is shared, so that views stay valid when it grows.
 */
export async function loadKernelModule(
  folder: 'kernel' | 'networks',
): Promise<{ exports: object; memory: WebAssembly.Memory }> {
  // Works from dist and from src: both resolve to the package's data.
  const bytes = await readFile(new URL(`../data/${folder}/kernel.wasm`, import.meta.url));
  const memory = new WebAssembly.Memory({ ...PAGES, shared: true });
  const { exports } = new WebAssembly.Instance(await WebAssembly.compile(bytes), { env: { memory } });
  return { exports, memory };
}
