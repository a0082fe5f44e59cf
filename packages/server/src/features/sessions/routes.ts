import type { Session } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { sessionCookie } from '../../kernel/http-auth.js';
import type { Caller, Http, Limiter } from '../../kernel/http-contract.js';
import { ApiError, invalidFields } from '../../kernel/http-error.js';
import { changePassword, checkPassword } from '../workspaces/index.js';
import {
  callerBySession,
  describeSession,
  endOtherSessions,
  endSession,
  SESSION_SECONDS,
  startSession,
  switchWorkspace,
} from './sessions.js';

/** Sign-ins with one address: more guesses than this are refused, whoever makes them. */
const GUESSES = { perMinute: 10, perHour: 60, counts: 'all' } as const;

/** Serves sign-in, sign-out and what the console asks about its session. */
export function bindSessions(http: Http, kernel: Kernel, limiter: Limiter): void {
  const secure = kernel.config.url.startsWith('https:');

  http.bind('signIn', {
    handle: async ({ body, setHeader }) => {
      const guess = await limiter.take(`sign-in:${body.email.toLowerCase()}`, 'signIn', GUESSES);
      if (!guess.allowed) {
        const window = guess.remainingHour === 0 ? 'hour' : 'minute';
        const limit = window === 'hour' ? GUESSES.perHour : GUESSES.perMinute;
        const values = { window, limit, seconds: guess.waitSeconds };
        throw new ApiError('rateLimited', values, { retryAfterSeconds: guess.waitSeconds });
      }
      const user = await checkPassword(kernel, body.email, body.password);
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
        throw invalidFields([{ field: 'workspaceId', message: 'is not a workspace of yours' }]);
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
