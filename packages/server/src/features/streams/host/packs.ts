import type { PresenterPack } from '@figurehead/media';
import { LRUCache } from 'lru-cache';
import type { Avatars } from '../../avatars/index.js';

/** Presenters in the cache, about 5 MB each. Open sessions keep theirs in memory in addition. */
const MAX_CACHED = 16;

/**
 * Cache of presenters: each is loaded once and shared by all sessions that show it. Drawing threads of renders have their own caches,
 * because memory is not shared between threads.
 */
export interface PackStore {
  /** The presenter of an avatar code. Throws `unknownAvatar`, or the error of loading it. */
  find(workspaceId: string, code: string): Promise<PresenterPack>;
}

/** @param load reads a pack from its folder. */
export function createPackStore(avatars: Avatars, load: (folder: string) => Promise<PresenterPack>): PackStore {
  const packs = new LRUCache<string, Promise<PresenterPack>>({ max: MAX_CACHED });
  return {
    async find(workspaceId, code) {
      const { folder, version } = await avatars.resolve(workspaceId, code);
      const key = `${folder} ${version}`;
      const known = packs.get(key);
      if (known !== undefined) return known;
      const loading = load(folder);
      packs.set(key, loading);
      // Lets the next call try again.
      loading.catch(() => packs.delete(key));
      return loading;
    },
  };
}
