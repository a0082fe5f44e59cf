/** Sign-in to the console by e-mail and password; identification of callers by cookie or token. */
import type { Kernel } from '../../kernel/contract.js';
import type { Authenticator } from '../../kernel/http/contract.js';
import { createClientTokens } from '../streams/index.js';
import { createTokenReader } from '../workspaces/index.js';
import { callerBySession } from './sessions.js';

export { bindSessions } from './routes.js';
export { pruneSessions } from './store.js';

/** Identifies callers by API tokens, client tokens and console sessions. */
export function createAuthenticator(kernel: Kernel): Authenticator {
  const clientTokens = createClientTokens(kernel);
  const byApiToken = createTokenReader(kernel);
  return {
    // A JWT contains dots, an API token does not.
    byToken: (token) => (token.includes('.') ? clientTokens.callerOf(token) : byApiToken(token)),
    isSigned: async (token) => token.includes('.') && clientTokens.isSigned(token),
    bySession: (secret) => callerBySession(kernel, secret),
  };
}
