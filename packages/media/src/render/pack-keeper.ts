import { stat } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import type { PresenterPack } from '../presenter/contract.js';
import { loadPack } from '../presenter/index.js';

/** Packs that stay in memory, some 35 MB each. */
const KEPT_PACKS = 4;

/**
 * Reads presenter packs and keeps the last few: decoding one takes 0.3 s of processor time. A folder that has changed is read anew. Give one to
 * everything in a process that draws.
 */
export function keepPacks(
  load: (folder: string) => Promise<PresenterPack> = loadPack,
): (folder: string) => Promise<PresenterPack> {
  const kept = new LRUCache<string, { readonly version: number; readonly pack: Promise<PresenterPack> }>({
    max: KEPT_PACKS,
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
