import type { Kernel } from '../../../kernel/contract.js';
import { requireOwn } from '../../../kernel/errors.js';
import { requireOwner } from '../../../kernel/http/auth.js';
import type { Http } from '../../../kernel/http/contract.js';
import { createToken, findToken, listTokens, revokeToken } from './tokens.js';

/** Serves the console pages about tokens. Only owners create and revoke them. */
export function bindTokens(http: Http, kernel: Kernel): void {
  http.bind('listTokens', {
    handle: ({ caller, query }) => listTokens(kernel, caller.workspace.id, query),
  });
  http.bind('createToken', {
    handle: async ({ caller, body }) => {
      requireOwner(caller);
      const name = body?.name ?? 'API token';
      return createToken(kernel, { workspaceId: caller.workspace.id, userId: caller.userId, name });
    },
  });
  http.bind('revokeToken', {
    resource: async ({ caller, params }) => {
      const token = requireOwn(await findToken(kernel, params.tokenId), caller.workspace.id, 'token');
      requireOwner(caller);
      return token;
    },
    handle: async ({ resource }) => {
      await revokeToken(kernel, resource._id);
      return { _id: resource._id, deleted: true };
    },
  });
}
