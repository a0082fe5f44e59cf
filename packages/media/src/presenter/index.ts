/** Public entry of `presenter/`: finding and loading packs on this machine, and the compositor that draws them. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Compositor, createCompositor as createWith, openKernel } from '@figurehead/presenter';

export { chinOf } from '@figurehead/presenter';
export * from '@figurehead/presenter/contract';
export { framedFolder } from './folders.js';
export { listPacks, loadPack, packPlate } from './packs.js';
export { type ListedVariant, listVariants } from './variants.js';

/**
 * A compositor for the calling thread. The caller closes it.
 * @throws the file system's error if the kernel has not been built.
 */
export async function createCompositor(): Promise<Compositor> {
  return createWith(
    await openKernel(await readFile(createRequire(import.meta.url).resolve('@figurehead/presenter/kernel.wasm'))),
  );
}
