import type { Session } from '@figurehead/contract';
import { Counter } from 'prom-client';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError, invalidFields } from '../../kernel/errors.js';
import { sessionCookie } from '../../kernel/http/auth.js';
import type { Authenticator, Caller, Http, Limiter } from '../../kernel/http/contract.js';
import { rateLimited } from '../../kernel/http/limit.js';
import { networkOf } from '../../kernel/network/addresses.js';
import { changePassword, checkPassword, createTokenReader } from '../workspaces/index.js';
import {
  callerBySession,
  describeSession,
  endOtherSessions,
  endSession,
  SESSION_SECONDS,
  startSession,
  switchWorkspace,
} from './sessions.js';
import { forgetFailures, noteFailure, secondsToWait } from './sign-in-guard.js';

/** Sign-ins from one address (IPv6: one /64), for all accounts. Many users may share an address. */
const GUESSES_FROM = { perMinute: 60, perHour: 600, counts: 'all' } as const;

/** Serves sign-in, sign-out and the console's session data. */
export function bindSessions(http: Http, kernel: Kernel, limiter: Limiter): void {
  const secure = kernel.config.url.startsWith('https:');
  const attempts = new Counter({
    name: 'figurehead_sign_ins_total',
    help: 'Sign-ins to the console by outcome; refused means too many attempts.',
    labelNames: ['outcome'] as const,
    registers: [http.metrics],
  });

  http.bind('signIn', {
    handle: async ({ body, address, setHeader }) => {
      const attempt = { email: body.email, network: networkOf(address) };
      try {
        const guess = await limiter.take(`sign-in-from:${attempt.network}`, 'signIn', GUESSES_FROM);
        if (!guess.allowed) throw rateLimited(GUESSES_FROM, guess);
        const seconds = await secondsToWait(kernel, attempt);
        if (seconds > 0) throw new ApiError('signInBlocked', { seconds }, { retryAfterSeconds: seconds });
      } catch (error) {
        attempts.inc({ outcome: 'refused' });
        throw error;
      }
      const user = await checkPassword(kernel, body.email, body.password);
      attempts.inc({ outcome: user === undefined ? 'failed' : 'succeeded' });
      if (user === undefined) await noteFailure(kernel, attempt);
      else await forgetFailures(kernel, attempt);
      const secret = user && (await startSession(kernel, user));
      const caller = secret === undefined ? undefined : await callerBySession(kernel, secret);
      if (secret === undefined || caller === undefined) throw new ApiError('unauthorized');
      setHeader('Set-Cookie', sessionCookie({ secret, maxAgeSeconds: SESSION_SECONDS, secure }));
      return known(await describeSession(kernel, caller));
    },
  });
  http.bind('readSession', { handle: async ({ caller }) => known(await describeSession(kernel, caller)) });
  http.bind('updateSession', {
    handle: async ({ caller, body }) => {
      const secret = secretOf(caller);
      if (body.password !== undefined) {
        if (!(await changePassword(kernel, { userId: caller.userId, ...body.password }))) {
          throw invalidFields([{ field: 'password.current', message: 'is not the current password' }]);
        }
        await endOtherSessions(kernel, caller.userId, secret);
      }
      if (body.workspaceId !== undefined && !(await switchWorkspace(kernel, caller, body.workspaceId))) {
        throw invalidFields([{ field: 'workspaceId', message: 'is not one of your workspaces' }]);
      }
      return known(await describeSession(kernel, (await callerBySession(kernel, secret)) ?? caller));
    },
  });
  http.bind('signOut', {
    handle: async ({ caller, setHeader }) => {
      await endSession(kernel, secretOf(caller));
      setHeader('Set-Cookie', sessionCookie({ maxAgeSeconds: 0, secure }));
      return { accepted: true };
    },
  });
}

function secretOf(caller: Caller): string {
  if (caller.sessionId === undefined) throw new ApiError('webOnly');
  return caller.sessionId;
}

function known(session: Session | undefined): Session {
  if (session === undefined) throw new ApiError('unauthorized');
  return session;
}

/** Identifies callers by API tokens, client tokens and console sessions. */
export function createAuthenticator(
  kernel: Kernel,
  clientTokens: { callerOf(token: string): Promise<Caller | undefined>; isSigned(token: string): Promise<boolean> },
): Authenticator {
  const byApiToken = createTokenReader(kernel);
  return {
    // A JWT contains dots, an API token does not.
    byToken: (token) => (token.includes('.') ? clientTokens.callerOf(token) : byApiToken(token)),
    isSigned: async (token) => token.includes('.') && clientTokens.isSigned(token),
    bySession: (secret) => callerBySession(kernel, secret),
  };
}
