import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Transact } from '../contract.js';
import { isDatabaseAway } from './away.js';
import type { GuardedPool } from './pool.js';

/** What PostgreSQL reports when two transactions are in each other's way; one of them is to be repeated (SQLSTATE). */
const REPEATABLE: ReadonlySet<unknown> = new Set(['40P01', '40001']);

const ATTEMPTS = 5;

/** Upper bound of the random pause before the second attempt; later ones are longer. Two that met must not meet again. */
const PAUSE_MS = 40;

/**
 * The one way in which the program opens transactions: see {@link Transact}. One whose connection was lost is repeated as well, unless its work was
 * done: a `commit` that was under way may have come through.
 */
export function createTransact(db: Database, pool: GuardedPool): Transact {
  return async (work) => {
    for (let attempt = 1; ; attempt++) {
      let isDone = false;
      try {
        return await db.transaction().execute(async (tx) => {
          const result = await pool.holding(() => work(tx));
          isDone = true;
          return result;
        });
      } catch (error) {
        if (attempt === ATTEMPTS || !(isRepeatable(error) || (isDatabaseAway(error) && !isDone))) throw error;
        await delay(randomInt(1, PAUSE_MS * attempt));
      }
    }
  };
}

function isRepeatable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && REPEATABLE.has(error.code);
}
