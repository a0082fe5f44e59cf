import type { RateLimit, Route } from '@figurehead/contract';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '../errors.js';
import type { Caller, Limiter, LimitState } from './contract.js';

/** Answers that do not count towards a rate limit. */
const UNCOUNTED = new Set([400, 403, 404, 429]);

/** Adds the six headers to every answer (§8.1), also for an unreadable body. */
export async function showLimit(
  limiter: Limiter,
  rule: RateLimit,
  request: { id: string; caller: Caller; reply: FastifyReply },
): Promise<void> {
  show(request.reply, rule, await limiter.peek(request.caller.workspace.id, request.id, rule));
}

/** Handles a request within the limit of its route: counts it, or throws `rateLimited`, and refunds it when its answer does not count. */
export async function withLimit<T>(
  limiter: Limiter,
  { route, reply, request }: { route: Route; reply: FastifyReply; request: { caller: Caller; log: Logger } },
  handle: () => Promise<T>,
): Promise<T> {
  const { caller } = request;
  const rule = route.limited;
  // Web callers see the state of limits that count only API callers, and are never refused.
  if (rule === undefined || (rule.counts === 'api' && caller.kind === 'web')) return handle();
  const state = await limiter.take(caller.workspace.id, route.id, rule);
  show(reply, rule, state);
  if (!state.allowed) throw rateLimited(rule, state);
  try {
    return await handle();
  } catch (error) {
    if (error instanceof ApiError && UNCOUNTED.has(error.status)) {
      const refunded = limiter.refund(caller.workspace.id, route.id, state);
      await refunded
        .then(() => showLimit(limiter, rule, { id: route.id, caller, reply }))
        .catch((cause: unknown) => {
          request.log.error({ err: cause }, 'a refused call stays counted: its rate limit could not be given back');
        });
    }
    throw error;
  }
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

/** The refusal of a request that a limit does not allow. */
export function rateLimited(rule: RateLimit, state: LimitState): ApiError {
  const isHourFull = state.remainingHour === 0;
  const values = {
    window: isHourFull ? 'hour' : 'minute',
    limit: isHourFull ? rule.perHour : rule.perMinute,
    seconds: state.waitSeconds,
  };
  return new ApiError('rateLimited', values, { retryAfterSeconds: state.waitSeconds });
}
