import { createReadStream } from 'node:fs';
import { namesOf } from '@figurehead/contract/document/table';
import type { Kernel } from '../../kernel/contract.js';
import type { Http } from '../../kernel/http/contract.js';
import { type Avatars, PICTURES } from './catalogue.js';
import { bindPhotoAvatars } from './photo-routes.js';

/** Serves the list of avatars, photo avatars, and the public pictures of presenters. */
export function bindAvatars(http: Http, kernel: Kernel, avatars: Avatars): void {
  bindPhotoAvatars(http, kernel, avatars);
  http.bind('listAvatars', {
    handle: async ({ caller, query }) => {
      const all = await avatars.list(caller.workspace.id);
      return query.realtime === undefined ? all : all.filter((avatar) => avatar.realtime === query.realtime);
    },
  });
  for (const kind of namesOf(PICTURES)) {
    const { path, mediaType } = PICTURES[kind];
    http.app.get(`/presenters/:name/${path}`, { config: { routeId: 'presenterPicture' } }, async (request, reply) => {
      const { name } = request.params as { name: string };
      const file = await avatars.picture(name, kind);
      if (file === undefined) return reply.code(404).send({ message: 'There is no presenter with this name.' });
      return reply
        .headers({
          'Content-Type': mediaType,
          'Cache-Control': 'public, max-age=3600',
          'Access-Control-Allow-Origin': '*',
        })
        .send(createReadStream(file));
    });
  }
}
