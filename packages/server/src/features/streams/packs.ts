import type { PresenterPack } from '@figurehead/media';
import { LRUCache } from 'lru-cache';
import type { Avatars } from '../avatars/index.js';

/** Presenters that stay in memory, some 5 MB each. Those that sessions show live as long as these, in the store or not. */
const KEPT = 16;

/**
 * Presenters in memory: each is loaded once and then shared by all sessions that show it. Renders have stores of their own, one in each of
 * their drawing threads: memory is not shared between threads, and a stream host draws on one.
 */
export interface PackStore {
  /** The presenter of an avatar code. Throws `unknownAvatar`, or what loading throws. */
  find(workspaceId: string, code: string): Promise<PresenterPack>;
}

/** @param load reads a pack from its folder. */
export function createPackStore(avatars: Avatars, load: (folder: string) => Promise<PresenterPack>): PackStore {
  const packs = new LRUCache<string, Promise<PresenterPack>>({ max: KEPT });
  return {
    async find(workspaceId, code) {
      const { folder, version } = await avatars.resolve(workspaceId, code);
      const key = `${folder} ${version}`;
      const known = packs.get(key);
      if (known !== undefined) return known;
      const loading = load(folder);
      packs.set(key, loading);
      // A file that could not be read may be there the next time.
      loading.catch(() => packs.delete(key));
      return loading;
    },
  };
}
