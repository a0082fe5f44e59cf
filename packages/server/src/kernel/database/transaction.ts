import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Transact } from '../contract.js';
import type { GuardedPool } from './pool.js';

/** What PostgreSQL reports when two transactions are in each other's way; one of them is to be repeated (SQLSTATE). */
const REPEATABLE: ReadonlySet<unknown> = new Set(['40P01', '40001']);

const ATTEMPTS = 5;

/** Upper bound of the random pause before the second attempt; later ones are longer. Two that met must not meet again. */
const PAUSE_MS = 40;

/** The one way in which the program opens transactions: see {@link Transact}. */
export function createTransact(db: Database, pool: GuardedPool): Transact {
  return async (work) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await db.transaction().execute((tx) => pool.holding(() => work(tx)));
      } catch (error) {
        if (attempt === ATTEMPTS || !(error instanceof Error && 'code' in error && REPEATABLE.has(error.code)))
          throw error;
        await delay(randomInt(1, PAUSE_MS * attempt));
      }
    }
  };
}
