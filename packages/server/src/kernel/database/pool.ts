import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { FairSemaphore } from '../fair-semaphore.js';
import { currentContext } from '../observability/call-context.js';
import { isDatabaseAway } from './away.js';

/** Every connection of the process is busy, and none became free in time. */
export class PoolBusyError extends Error {
  constructor(waitMs: number, options?: ErrorOptions) {
    super(`No database connection became free within ${waitMs / 1000} s.`, options);
    this.name = 'PoolBusyError';
  }
}

/**
 * Code inside a transaction requested a second connection. If all connections are held by such code, it is a deadlock.
 */
export class NestedConnectionError extends Error {
  constructor() {
    super(
      'Code inside a transaction asked the pool for another connection; it must use the transaction that it was given.',
    );
    this.name = 'NestedConnectionError';
  }
}

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;

/** Connections that the requests of one workspace never take. */
const LEFT_TO_OTHERS = 2;

/** Pause between attempts to reach an unavailable database. */
const KNOCK_EVERY_MS = 100;

/**
 * A pool whose users hold one connection at a time: a nested checkout fails at once, because it could deadlock under
 * load. Workspaces take turns (`CallContext.workspaceId`), and none gets all connections: a read of one workspace does
 * not wait for a hundred writes of another. While the database is unavailable, callers wait as long as they would for a
 * free connection, so a restart is only a delay. After that, calls fail at once.
 */
export class GuardedPool extends pg.Pool {
  readonly #transactions = new AsyncLocalStorage<{ open: boolean }>();
  /** Limits requests; work of the process itself takes a connection directly, or waits in the pool's queue. */
  readonly #semaphore: FairSemaphore;
  /** When the database was found to be unavailable, ms; `undefined` while it answers. */
  #awaySince: number | undefined;

  constructor(options: pg.PoolConfig & { readonly max: number; readonly connectionTimeoutMillis: number }) {
    super(options);
    const { max, connectionTimeoutMillis: waitMs } = options;
    const limits = { atOnce: Math.max(1, max - 1), perWorkspace: Math.max(1, max - LEFT_TO_OTHERS), waitMs };
    this.#semaphore = new FairSemaphore(
      { ...limits, waitingPerWorkspace: Number.POSITIVE_INFINITY },
      () => new PoolBusyError(waitMs),
    );
  }

  /** Number of callers waiting for a connection. */
  get callersWaiting(): number {
    return this.waitingCount + this.#semaphore.waiting;
  }

  /** Runs `work`, which holds a connection of this pool; code called by it cannot take another one. */
  async holding<T>(work: () => Promise<T>): Promise<T> {
    // Work that continues after the transaction may use the pool again.
    const transaction = { open: true };
    try {
      return await this.#transactions.run(transaction, work);
    } finally {
      transaction.open = false;
    }
  }

  /** Throws {@link NestedConnectionError} for a caller that holds a connection. */
  refuseNested(): void {
    if (this.#transactions.getStore()?.open === true) throw new NestedConnectionError();
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const client = this.#checkOut();
    if (callback === undefined) return client;
    client.then(
      (connected) => callback(undefined, connected, connected.release.bind(connected)),
      (error: Error) => callback(error, undefined, () => undefined),
    );
    return undefined;
  }

  async #checkOut(): Promise<pg.PoolClient> {
    this.refuseNested();
    const { workspaceId } = currentContext();
    if (workspaceId === undefined) return this.#connect();
    const leave = await this.#semaphore.enter(workspaceId);
    try {
      const client = await this.#connect();
      const release = client.release.bind(client);
      client.release = (error) => {
        release(error);
        leave();
      };
      return client;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    const waitMs = this.options.connectionTimeoutMillis ?? 0;
    for (;;) {
      try {
        const client = await super.connect();
        this.#awaySince = undefined;
        return client;
      } catch (cause) {
        if (isDatabaseAway(cause)) {
          this.#awaySince ??= performance.now();
          if (performance.now() - this.#awaySince > waitMs || this.ending) throw cause;
          await delay(KNOCK_EVERY_MS);
          continue;
        }
        const isFull = this.idleCount === 0 && this.totalCount >= this.options.max;
        // A failed connection has an error code; only the timeout of waiting for a free one has none.
        if (!isFull || !(cause instanceof Error) || 'code' in cause) throw cause;
        throw new PoolBusyError(waitMs, { cause });
      }
    }
  }
}
