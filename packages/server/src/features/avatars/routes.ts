import { createReadStream } from 'node:fs';
import type { Avatar } from '@figurehead/contract';
import { namesOf } from '@figurehead/contract/document/table';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError, invalidFields } from '../../kernel/errors.js';
import type { Caller, Http } from '../../kernel/http/contract.js';
import { type Avatars, PICTURES, VIEWER_PACKS } from './catalogue.js';
import { createLandmarkFinder } from './landmarks.js';
import { createPhotoAvatar, deletePhotoAvatar, loadPhotoAvatar, presentPhotoAvatar } from './photo-avatars.js';
import { isPhotoId } from './photo-store.js';

/** Serves the list of avatars, photo avatars, and the public pictures of presenters. */
export function bindAvatars(http: Http, kernel: Kernel, avatars: Avatars): void {
  bindPhotoAvatars(http, kernel, avatars);
  http.bind('listAvatars', {
    handle: async ({ caller, query }) => {
      const all = await avatars.list(caller.workspace.id);
      return query.realtime === undefined ? all : all.filter((avatar) => avatar.realtime === query.realtime);
    },
  });
  const files = [
    ...namesOf(PICTURES).map((kind) => ({ ...PICTURES[kind], find: (name: string) => avatars.picture(name, kind) })),
    ...namesOf(VIEWER_PACKS).map((kind) => ({
      ...VIEWER_PACKS[kind],
      find: (name: string) => avatars.viewerPack(name, kind),
    })),
  ];
  for (const { path, mediaType, find } of files) {
    http.app.get(`/presenters/:name/${path}`, { config: { routeId: 'presenterPicture' } }, async (request, reply) => {
      const { name } = request.params as { name: string };
      const { v: version } = request.query as { v?: unknown };
      const file = await find(name);
      if (file === undefined) return reply.code(404).send({ message: 'There is no presenter with this name.' });
      return reply
        .headers({
          'Content-Type': mediaType,
          // With the version, an address always has the same contents.
          'Cache-Control': version === undefined ? 'public, max-age=3600' : 'public, max-age=31536000, immutable',
          'Access-Control-Allow-Origin': '*',
        })
        .send(createReadStream(file));
    });
  }
}

/** Serves creating, reading and deleting of photo avatars. */
function bindPhotoAvatars(http: Http, kernel: Kernel, avatars: Avatars): void {
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
