import type { PresenterPack } from '@figurehead/media';
import type { Avatars } from '../avatars/index.js';

/** Presenters in memory: each is loaded once and then shared by all sessions that show it. */
export interface PackStore {
  /** The presenter of an avatar code. Throws `unknownAvatar`, or what loading throws. */
  find(workspaceId: string, code: string): Promise<PresenterPack>;
}

/** @param load reads a pack from its folder. */
export function createPackStore(avatars: Avatars, load: (folder: string) => Promise<PresenterPack>): PackStore {
  const packs = new Map<string, Promise<PresenterPack>>();
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
