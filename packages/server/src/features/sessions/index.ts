/** Sign-in to the console by e-mail and password; who calls, by cookie or token. */
import type { Kernel } from '../../kernel/contract.js';
import type { Authenticator } from '../../kernel/http/contract.js';
import { createTokenReader } from '../tokens/index.js';
import { callerBySession } from './sessions.js';

export { bindSessions } from './routes.js';

/** Both ways to be known to the API. */
export function createAuthenticator(kernel: Kernel): Authenticator {
  return {
    byToken: createTokenReader(kernel),
    bySession: (secret) => callerBySession(kernel, secret),
  };
}
