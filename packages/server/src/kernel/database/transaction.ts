import { AsyncLocalStorage } from 'node:async_hooks';
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Transact, Tx } from '../contract.js';
import { isDatabaseAway } from './away.js';
import type { GuardedPool } from './pool.js';

/** SQLSTATE codes of conflicts between transactions; the one that failed must be repeated. */
const REPEATABLE: ReadonlySet<unknown> = new Set(['40P01', '40001']);

const ATTEMPTS = 5;

/**
 * Upper bound of the random pause before the second attempt, so that the two do not collide again; later pauses are
 * longer.
 */
const PAUSE_MS = 40;

/** Runs in a transaction after its work, as its last statements; `result` is what the work returned. Throwing rolls the transaction back. */
export type BeforeCommit = (tx: Tx, result: unknown) => Promise<void>;

// Passed along asynchronous calls by Node, so that no function between a request and its transactions needs a parameter
// for it.
const hooks = new AsyncLocalStorage<BeforeCommit>();

/** Runs `work`; `hook` is part of every transaction that it opens. */
export function beforeEachCommit<T>(hook: BeforeCommit, work: () => Promise<T>): Promise<T> {
  return hooks.run(hook, work);
}

/**
 * The hook of the calling request, for work that writes for several requests in one transaction outside of their contexts: it
 * runs the hook of each itself. Does nothing outside of {@link beforeEachCommit}.
 */
export function currentBeforeCommit(): BeforeCommit {
  return hooks.getStore() ?? (async () => undefined);
}

/**
 * The only way in which the program opens transactions: see {@link Transact}. A transaction is also repeated when its
 * connection was lost, unless its work had ended: the `commit` may have succeeded.
 */
export function createTransact(db: Database, pool: GuardedPool): Transact {
  return async (work) => {
    for (let attempt = 1; ; attempt++) {
      let isDone = false;
      try {
        return await db.transaction().execute((tx) =>
          pool.holding(async () => {
            const result = await work(tx);
            await hooks.getStore()?.(tx, result);
            isDone = true;
            return result;
          }),
        );
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
