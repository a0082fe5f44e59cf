import type { RateLimit, Route } from '@figurehead/contract';
import type { FastifyReply } from 'fastify';
import type { Caller, Limiter, LimitState } from './contract.js';
import { ApiError } from './error.js';

/** Answers that do not count towards a rate limit. */
const UNCOUNTED = new Set([400, 403, 404, 429]);

/** The rate limit around one request. */
export interface LimitGuard {
  /** Counts the request, or throws `rateLimited`. */
  take(): Promise<void>;
  /** Refunds the request when its answer does not count. */
  failed(error: unknown): Promise<void>;
}

/** Adds the six headers to every answer (§8.1), also for an unreadable body. */
export async function showLimit(
  limiter: Limiter,
  rule: RateLimit,
  request: { id: string; caller: Caller; reply: FastifyReply },
): Promise<void> {
  show(request.reply, rule, await limiter.peek(request.caller.workspace.id, request.id, rule));
}

/** The guard of a request; `undefined` for routes without a limit. */
export function guardLimit(
  limiter: Limiter,
  request: { route: Route; caller: Caller; reply: FastifyReply },
): LimitGuard | undefined {
  const { route, caller, reply } = request;
  const rule = route.limited;
  // Web callers see the state of limits that count only API callers, and are never refused.
  if (rule === undefined || (rule.counts === 'api' && caller.kind === 'web')) return undefined;
  const workspaceId = caller.workspace.id;
  let taken: LimitState | undefined;
  return {
    async take() {
      const state = await limiter.take(workspaceId, route.id, rule);
      show(reply, rule, state);
      if (!state.allowed) throw rateLimited(rule, state);
      taken = state;
    },
    async failed(error) {
      if (taken === undefined || !(error instanceof ApiError) || !UNCOUNTED.has(error.status)) return;
      await limiter.refund(workspaceId, route.id, taken);
      show(reply, rule, await limiter.peek(workspaceId, route.id, rule));
    },
  };
}

function show(reply: FastifyReply, rule: RateLimit, state: LimitState): void {
  reply.headers({
    'X-RateLimit-Limit-Min': rule.perMinute,
    'X-RateLimit-Limit-Hour': rule.perHour,
    'X-RateLimit-Remaining-Min': state.remainingMinute,
    'X-RateLimit-Remaining-Hour': state.remainingHour,
    'X-RateLimit-Reset-Min': state.resetMinute,
    'X-RateLimit-Reset-Hour': state.resetHour,
  });
}

function rateLimited(rule: RateLimit, state: LimitState): ApiError {
  const isHourFull = state.remainingHour === 0;
  const values = {
    window: isHourFull ? 'hour' : 'minute',
    limit: isHourFull ? rule.perHour : rule.perMinute,
    seconds: state.waitSeconds,
  };
  return new ApiError('rateLimited', values, { retryAfterSeconds: state.waitSeconds });
}
