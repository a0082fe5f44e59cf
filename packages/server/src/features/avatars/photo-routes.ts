import type { Avatar } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import type { Caller, Http } from '../../kernel/http/contract.js';
import { ApiError, invalidFields } from '../../kernel/http/error.js';
import type { Avatars } from './catalogue.js';
import { createLandmarkFinder } from './landmarks.js';
import {
  createPhotoAvatar,
  deletePhotoAvatar,
  isPhotoId,
  loadPhotoAvatar,
  presentPhotoAvatar,
} from './photo-avatars.js';

/** Serves creating, reading and deleting of photo avatars. */
export function bindPhotoAvatars(http: Http, kernel: Kernel, avatars: Avatars): void {
  const findLandmarks = createLandmarkFinder(kernel);

  /** A presenter of the installation, or a photo avatar of the workspace. */
  async function load(caller: Caller, id: string) {
    if (isPhotoId(id)) return loadPhotoAvatar(kernel, caller, id);
    const common: Avatar | undefined = (await avatars.list(caller.workspace.id)).find((avatar) => avatar.id === id);
    if (common === undefined) throw new ApiError('notFound', { what: 'avatar' });
    return common;
  }

  http.bind('createAvatar', { handle: ({ caller, body }) => createPhotoAvatar(kernel, caller, body) });
  http.bind('findLandmarks', {
    handle: ({ caller, body, signal }) => findLandmarks(caller.workspace.id, body, signal),
  });
  http.bind('readAvatar', {
    resource: ({ caller, params }) => load(caller, params.avatarId),
    handle: async ({ resource }) => ('code' in resource ? resource : presentPhotoAvatar(kernel, resource)),
  });
  http.bind('deleteAvatar', {
    resource: ({ caller, params }) => load(caller, params.avatarId),
    handle: async ({ resource }) => {
      if ('code' in resource) {
        throw invalidFields([
          { field: 'avatarId', message: 'is a presenter of this installation, which cannot be deleted' },
        ]);
      }
      return deletePhotoAvatar(kernel, resource);
    },
  });
}
