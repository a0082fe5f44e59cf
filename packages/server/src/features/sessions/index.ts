/** Sign-in to the console by e-mail and password; who calls, by cookie or token. */
import type { Kernel } from '../../kernel/contract.js';
import type { Authenticator } from '../../kernel/http/contract.js';
import { createClientTokens } from '../streams/index.js';
import { createTokenReader } from '../tokens/index.js';
import { callerBySession } from './sessions.js';

export { bindSessions } from './routes.js';

/** The ways to be known to the API: API tokens, client tokens, console sessions. */
export function createAuthenticator(kernel: Kernel): Authenticator {
  const clientTokens = createClientTokens(kernel);
  const byApiToken = createTokenReader(kernel);
  return {
    // A JWT has dots, an API token has none.
    byToken: (token) => (token.includes('.') ? clientTokens.callerOf(token) : byApiToken(token)),
    isSigned: async (token) => token.includes('.') && clientTokens.isSigned(token),
    bySession: (secret) => callerBySession(kernel, secret),
  };
}
