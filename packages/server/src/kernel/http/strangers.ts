import { hash } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../errors.js';

/** Recently valid credentials: their next use is not a guess. Kept in memory as hashes. */
const REMEMBERED = { max: 20_000, ttl: 3600_000 } as const;

/**
 * Limits the work caused by callers without a known credential. Each address (IPv6: each /64) has a number of requests
 * per minute for sign-ins, wrong or missing credentials and first uses of valid ones. A credential that was valid
 * before is not counted and is looked up as usual, so guesses from a shared address do not lock out its users.
 */
export interface Strangers {
  /** The key of a credential for the other functions. */
  keyOf(credential: string): string;
  /** The workspace of a credential that was valid before. */
  workspaceOf(key: string): string | undefined;
  /** Counts a request without such a credential. Throws `rateLimited`. */
  count(request: FastifyRequest): Promise<void>;
  /** Records the result of a credential's look-up: its workspace, or `undefined` for a wrong one. */
  note(key: string, workspaceId: string | undefined): void;
}

/** Usable once the app is ready. @param perMinute 0: no limit. */
export function limitStrangers(app: FastifyInstance, perMinute: number): Strangers {
  const right = new LRUCache<string, string>(REMEMBERED);
  let take: ReturnType<FastifyInstance['createRateLimit']> | undefined;
  app.register(rateLimit, { global: false, max: perMinute, timeWindow: '1 minute' });
  app.after(() => {
    take = app.createRateLimit();
  });
  return {
    keyOf: (credential) => hash('sha256', credential, 'base64'),
    workspaceOf: (key) => right.get(key),
    async count(request) {
      if (perMinute === 0) return;
      const state = await take?.(request);
      if (state === undefined || state.isAllowed || !state.isExceeded) return;
      const seconds = Math.max(1, state.ttlInSeconds);
      const values = { window: 'minute', limit: perMinute, seconds };
      throw new ApiError('rateLimited', values, { retryAfterSeconds: seconds });
    },
    note(key, workspaceId) {
      if (workspaceId === undefined) right.delete(key);
      else right.set(key, workspaceId);
    },
  };
}
