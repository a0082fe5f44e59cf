import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import { SharedWork } from '../../kernel/workers/shared-work.js';
import { type Avatars, createPresenters, isBuiltIn, VIEWER_PACKS } from './catalogue.js';
import { photoPicture, photoViewerPack, presentPhotoAvatar } from './photo-avatars.js';
import { openPhotoPacks } from './photo-packs.js';
import { consentHashes, isPhotoId, type PhotoAvatarRow, photoAvatars } from './photo-store.js';

/** The presenters of this installation, and the photo avatars of each workspace, which are private to it. */
export function createAvatars(kernel: Kernel): Avatars {
  const presenters = createPresenters(kernel);
  const packs = openPhotoPacks(kernel);
  const linking = new SharedWork<string>();
  /** The workspace's photo avatar with this code. One of another workspace is unknown, so that its existence is not revealed. */
  const ownAvatar = async (workspaceId: string, code: string): Promise<PhotoAvatarRow | undefined> => {
    const id = kernel.config.aliases.avatars[code] ?? code;
    const row = isPhotoId(id) ? await photoAvatars.find(kernel.db, id) : undefined;
    return row?.workspaceId === workspaceId ? row : undefined;
  };
  return {
    async list(workspaceId) {
      const [common, own] = await Promise.all([presenters.list(workspaceId), photoAvatars.all(kernel.db, workspaceId)]);
      return [...common, ...own.map((row) => presentPhotoAvatar(kernel, row))];
    },
    async resolve(workspaceId, code) {
      const row = await ownAvatar(workspaceId, code);
      if (row === undefined) return presenters.resolve(workspaceId, code);
      if (row.status === 'ready') return packs.open(row);
      throw new ApiError('invalid', {
        reason:
          row.status === 'processing'
            ? `The avatar "${row.name}" is still being created. Try again in a moment.`
            : `The avatar "${row.name}" could not be created from its portrait.`,
      });
    },
    picture: (code, kind) => presenters.picture(code, kind),
    viewerPack: (code, kind) => presenters.viewerPack(code, kind),
    async viewerPackLink(workspaceId, code, kind) {
      const row = await ownAvatar(workspaceId, code);
      if (row === undefined) return presenters.viewerPackLink(workspaceId, code, kind);
      if (!row.drawnByViewers || row.status !== 'ready') return undefined;
      const make = async () => presenters.makeViewerPack(await packs.open(row), kind);
      return linking.run(`${row.id} ${kind}`, () =>
        photoViewerPack(kernel, row, { path: VIEWER_PACKS[kind].path, make }),
      );
    },
    async link(workspaceId, code, kind) {
      const row = await ownAvatar(workspaceId, code);
      return row === undefined ? presenters.link(workspaceId, code, kind) : photoPicture(kernel, row, kind);
    },
  };
}

/** Where presenters come from, for the marks of films. */
export function createProvenance({ config, db }: Pick<Kernel, 'config' | 'db'>) {
  return {
    isBuiltIn: (code: string) => isBuiltIn(config, code),
    consentsOf: (workspaceId: string, codes: readonly string[]) => consentHashes(db, workspaceId, codes),
  };
}
