import { cp, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { asLoaded } from '@figurehead/presenter';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFolderStore } from '../folder-store.js';
import { loadPack, type PresenterPack } from '../presenter/index.js';
import { createStoredPackLoader } from './pack-loader.js';

const AVA = fileURLToPath(new URL('../../../../presenters/packs/ava', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packs-'));
  await cp(AVA, join(folder, 'ava'), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true }));

/** Compares all pixels; the test runner's comparison takes a minute. */
function isSame(a: PresenterPack, b: PresenterPack): boolean {
  return isDeepStrictEqual(a, b);
}

it('reads a decoded pack like its pictures, and decodes it again when it is damaged or a file has changed', async () => {
  const kept = join(folder, 'kept');
  const load = createStoredPackLoader(await openFolderStore(kept, { maxBytes: 100_000_000 }));
  const own = join(folder, 'ava');
  const decoded = await loadPack(own);
  expect(isSame(await load(own), decoded)).toBe(true);
  const stored = asLoaded(await load(own));
  expect(isSame(stored, decoded)).toBe(true);
  for (const plane of [stored.plate.y, stored.eyeMask, stored.mouths[0]!.planes.u, stored.flow])
    expect(plane.buffer).toBeInstanceOf(SharedArrayBuffer);
  // The pictures of all mouths are views of one file.
  expect(stored.mouths[0]!.planes.y.buffer).toBe(stored.plate.y.buffer);
  const [file] = await readdir(kept);
  await truncate(join(kept, file!), 5_000_000);
  expect(isSame(await load(own), decoded)).toBe(true);
  await writeFile(join(own, 'manifest.json'), '{}');
  await expect(load(own)).rejects.toThrow('version');
});
