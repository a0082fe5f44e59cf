import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Compositor, createCompositor as createWith, type DrawingKernel, openKernel } from '@figurehead/presenter';

/** A drawing kernel with memory of its own. @throws the file system's error if it has not been built. */
export async function loadKernel(): Promise<DrawingKernel> {
  return openKernel(await readFile(createRequire(import.meta.url).resolve('@figurehead/presenter/kernel.wasm')));
}

/**
 * A compositor for the calling thread. The caller closes it.
 * @throws the file system's error if the kernel has not been built.
 */
export async function createCompositor(): Promise<Compositor> {
  return createWith(await loadKernel());
}
