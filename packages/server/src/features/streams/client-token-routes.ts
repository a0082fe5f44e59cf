import { requireOwner } from '../../kernel/http/auth.js';
import type { Http } from '../../kernel/http/contract.js';
import type { ClientTokens } from './client-tokens/routes.js';
import type { Streams } from './streams.js';

/** Routes of client tokens. Owners and API tokens create and revoke them. */
export function serveClientTokens(http: Http, tokens: ClientTokens, streams: Streams): void {
  http.bind('createClientToken', {
    check: async ({ caller, body }) => {
      requireOwner(caller);
      await streams.check(caller, body);
    },
    handle: ({ caller, body }) => tokens.create(caller, body),
  });
  http.bind('listClientTokens', {
    handle: async ({ caller, query }) => ({ ...(await tokens.list(caller.workspace.id, query)), ...query }),
  });
  http.bind('revokeClientToken', {
    resource: async ({ caller, params }) => {
      const token = await tokens.load(caller, params.tokenId);
      requireOwner(caller);
      return token;
    },
    handle: async ({ resource: { id } }) => {
      await tokens.revoke(id);
      return { _id: id, deleted: true };
    },
  });
}
