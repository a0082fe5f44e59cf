import type { RateLimit } from '@figurehead/contract';
import { sql } from 'kysely';
import type { Clock, Database } from '../../kernel/contract.js';
import type { Limiter, LimitState } from '../../kernel/http/contract.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Clocks of API processes may differ by this much; a window that starts later was opened before the clock was set back. */
const CLOCK_ERROR_MS = MINUTE_MS;

interface Row {
  allowed: boolean;
  minuteCount: number;
  hourCount: number;
  minuteStart: string;
  hourStart: string;
}

/**
 * The rate limits of §8.1: fixed windows that start at the first counted request, implemented by one SQL function, so
 * that any number of API processes share exact counts.
 */
export function createLimiter(kernel: { readonly db: Database; readonly clock: Pick<Clock, 'now'> }): Limiter {
  const { db, clock } = kernel;

  async function call(subject: string, endpoint: string, rule: RateLimit, cost: 0 | 1): Promise<LimitState> {
    const now = clock.now();
    const { rows } = await sql<Row>`
      select * from take_rate_limit(${subject}, ${endpoint}, ${rule.perMinute}, ${rule.perHour}, ${now}, ${cost})`.execute(
      db,
    );
    const row = rows[0];
    if (row === undefined) throw new Error('take_rate_limit returned nothing');
    const minuteStart = Number(row.minuteStart);
    const hourStart = Number(row.hourStart);
    if (Math.max(minuteStart, hourStart) > now + CLOCK_ERROR_MS) {
      await sql`
        delete from rate_limits where subject = ${subject} and endpoint = ${endpoint}
          and greatest(minute_start, hour_start) > ${now + CLOCK_ERROR_MS}`.execute(db);
      return call(subject, endpoint, rule, cost);
    }
    return {
      allowed: row.allowed,
      remainingMinute: Math.max(0, rule.perMinute - row.minuteCount),
      remainingHour: Math.max(0, rule.perHour - row.hourCount),
      // Rounded up: a client that waits until the reset must find the window closed.
      resetMinute: Math.ceil((minuteStart + MINUTE_MS) / 1000),
      resetHour: Math.ceil((hourStart + HOUR_MS) / 1000),
      waitSeconds: Math.max(
        1,
        row.hourCount >= rule.perHour ? Math.ceil((hourStart + HOUR_MS - now) / 1000) : 0,
        row.minuteCount >= rule.perMinute ? Math.ceil((minuteStart + MINUTE_MS - now) / 1000) : 0,
      ),
      minuteStart,
      hourStart,
    };
  }

  return {
    async take(subject, endpoint, rule) {
      const state = await call(subject, endpoint, rule, 1);
      // The first request of a subject in an hour also deletes stale rows, because sign-ins come with any name.
      if (state.hourStart === clock.now()) await removeStale(db, state.hourStart - 2 * HOUR_MS);
      return state;
    },
    peek: (subject, endpoint, rule) => call(subject, endpoint, rule, 0),
    async refund(subject, endpoint, state) {
      // Only in the windows in which it was counted; newer ones are unchanged.
      await sql`
        update rate_limits set
          minute_count = minute_count - (minute_start = ${state.minuteStart} and minute_count > 0)::int,
          hour_count = hour_count - (hour_start = ${state.hourStart} and hour_count > 0)::int
        where subject = ${subject} and endpoint = ${endpoint}`.execute(db);
    },
  };
}

/**
 * Deletes windows that started before `before` (ms) and have no effect any more: a few at a time, skipping rows in use.
 */
async function removeStale(db: Database, before: number): Promise<void> {
  await sql`
    delete from rate_limits where (subject, endpoint) in (
      select subject, endpoint from rate_limits where hour_start < ${before} limit 100 for update skip locked)`.execute(
    db,
  );
}
