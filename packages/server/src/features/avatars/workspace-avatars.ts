import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/http/error.js';
import { type Avatars, createPresenters } from './catalogue.js';
import { isPhotoId, photoPicture, presentPhotoAvatar } from './photo-avatars.js';
import { openPhotoPacks } from './photo-packs.js';
import { photoAvatars } from './photo-store.js';

/** The presenters of this installation, and the photo avatars of each workspace, which are private to it. */
export function createAvatars(kernel: Kernel): Avatars {
  const presenters = createPresenters(kernel);
  const packs = openPhotoPacks(kernel);
  return {
    async list(workspaceId, filter) {
      const [common, own] = await Promise.all([
        presenters.list(workspaceId, filter),
        photoAvatars.all(kernel.db, workspaceId),
      ]);
      return [...common, ...own.map((row) => presentPhotoAvatar(kernel, row))];
    },
    async resolve(workspaceId, code) {
      const own = kernel.config.aliases.avatars[code] ?? code;
      const row = isPhotoId(own) ? await photoAvatars.find(kernel.db, own) : undefined;
      // An avatar of another workspace is treated as unknown, so that its existence is not revealed.
      if (row === undefined || row.workspaceId !== workspaceId) return presenters.resolve(workspaceId, code);
      if (row.status === 'ready') return packs.open(row);
      throw new ApiError('invalid', {
        reason:
          row.status === 'processing'
            ? `The avatar "${row.name}" is still being created. Try again in a moment.`
            : `The avatar "${row.name}" could not be created from its portrait.`,
      });
    },
    picture: (code, kind) => presenters.picture(code, kind),
    async link(workspaceId, code, kind) {
      const own = kernel.config.aliases.avatars[code] ?? code;
      const row = isPhotoId(own) ? await photoAvatars.find(kernel.db, own) : undefined;
      if (row === undefined || row.workspaceId !== workspaceId) return presenters.link(workspaceId, code, kind);
      return photoPicture(kernel, row, kind);
    },
  };
}
