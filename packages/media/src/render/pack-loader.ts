import { stat } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import type { PresenterPack } from '../presenter/contract.js';
import { loadPack } from '../presenter/index.js';

/** Packs in the cache, about 35 MB each. */
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
    const version = (await stat(folder).catch(() => undefined))?.mtimeMs ?? 0;
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
