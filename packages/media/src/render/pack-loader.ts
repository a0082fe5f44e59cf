import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import type { LoadedPack, PresenterPack } from '@figurehead/presenter';
import { LRUCache } from 'lru-cache';
import { digestOf } from '../digest.js';
import type { FolderStore } from '../folder-store.js';
import { framingOf, isVariantFolder, packOfVariant } from '../presenter/folders.js';
import { loadPack } from '../presenter/index.js';

/** Packs in the cache: 8 MB each, 22 MB with a body. */
const MAX_PACKS = 4;

/**
 * Creates a loader of presenter packs with an LRU cache, because decoding one takes 0.3 s of processor time. A changed folder is read again. Share
 * one loader per process.
 */
export function createPackLoader(
  load: (folder: string) => Promise<PresenterPack> = loadPack,
): (folder: string) => Promise<PresenterPack> {
  const kept = new LRUCache<string, { readonly version: number; readonly pack: Promise<PresenterPack> }>({
    max: MAX_PACKS,
  });
  return async (folder) => {
    const version = (await stat(framingOf(folder).folder).catch(() => undefined))?.mtimeMs ?? 0;
    const known = kept.get(folder);
    const entry = known?.version === version ? known : { version, pack: load(folder) };
    kept.set(folder, entry);
    try {
      return await entry.pack;
    } catch (error) {
      if (kept.peek(folder) === entry) kept.delete(folder);
      throw error;
    }
  };
}

/**
 * Creates a loader that keeps packs in `store` as they are in memory, which takes a twentieth of the time of decoding their pictures. The key is a hash of
 * all files of the pack and of the decoder. Throws as `loadPack`.
 */
export function createStoredPackLoader(store: FolderStore): (folder: string) => Promise<PresenterPack> {
  const drawing = dirname(createRequire(import.meta.url).resolve('@figurehead/presenter'));
  const decoder = hashOf([join(drawing, 'pack'), fileURLToPath(new URL('../presenter', import.meta.url))]);
  return async (dir) => {
    const { folder, framing } = framingOf(dir);
    const folders = isVariantFolder(folder) ? [packOfVariant(folder), folder] : [folder];
    const files = await hashOf(folders).catch(() => undefined);
    // `loadPack` reports files that cannot be read.
    if (files === undefined) return loadPack(dir);
    const facts = [process.versions.v8, await decoder, files, basename(folder), framing];
    const name = `${digestOf(facts)}.pack`;
    const bytes = await store.getShared(name);
    const stored = bytes && read(bytes, name);
    if (stored !== undefined) return stored;
    const pack = await loadPack(dir);
    await store.put(name, serialize({ pack, name }));
    return pack;
  };
}

/** A hash of all files in folders, without those of their folders. */
async function hashOf(folders: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const files = await Promise.all(names.sort().map((name) => readFile(join(folder, name))));
    for (const [index, file] of files.entries()) hash.update(`${names[index]} ${file.length} `).update(file);
  }
  return hash.digest('hex');
}

/** The pack in these bytes, without a copy; `undefined` for damaged ones: the name comes last. */
function read(bytes: Uint8Array, name: string): PresenterPack | undefined {
  try {
    const { pack, name: stored } = deserialize(bytes) as { readonly pack: LoadedPack; readonly name: string };
    if (stored !== name) return undefined;
    // Floats that are not aligned have been copied to memory of this thread.
    const flow = new Float32Array(new SharedArrayBuffer(pack.flow.byteLength));
    flow.set(pack.flow);
    const loaded: LoadedPack = { ...pack, flow };
    return loaded;
  } catch {
    return undefined;
  }
}
