/** Presenters: the catalogue, aliases, their pictures. */
import { createReadStream } from 'node:fs';
import type { Http } from '../../kernel/http-contract.js';
import { type Avatars, PICTURES, type PictureKind } from './catalogue.js';

export { type Avatars, createAvatars } from './catalogue.js';

/** Serves the list of avatars, and the pictures of the presenters that everyone may see. */
export function bindAvatars(http: Http, avatars: Avatars): void {
  http.bind('listAvatars', {
    handle: async ({ caller, query }) => {
      const all = await avatars.list(caller.workspace.id, query);
      return query.realtime === undefined ? all : all.filter((avatar) => avatar.realtime === query.realtime);
    },
  });
  for (const [kind, { path, mediaType }] of Object.entries(PICTURES) as [
    PictureKind,
    (typeof PICTURES)[PictureKind],
  ][]) {
    http.app.get(`/presenters/:name/${path}`, { config: { routeId: 'presenterPicture' } }, async (request, reply) => {
      const { name } = request.params as { name: string };
      const file = await avatars.picture(name, kind);
      if (file === undefined) return reply.code(404).send({ message: 'There is no presenter of this name.' });
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
