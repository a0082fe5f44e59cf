import { Socket } from 'node:net';
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { Database, Transact } from '../contract.js';
import { GuardedPool } from './pool.js';
import { createTransact } from './transaction.js';

/**
 * A connection without any bytes for this long during a statement counts as lost; otherwise a network that drops
 * packets would block the caller for 15 minutes. All statements are much shorter.
 */
const SILENCE_MS = 30_000;

/** Long enough for an embedded server to come back after a crash, short enough that a request does not hang. */
const ACQUIRE_MS = 10_000;

/** The server's limit: a transaction of a disconnected process must not hold its locks for hours. */
const LONGEST_IDLE_IN_TRANSACTION = '30s';

/** A database and its connections. The caller closes it. */
export interface DatabaseConnection {
  readonly db: Database;
  readonly transaction: Transact;
  /** For statements that kysely does not build. */
  readonly pool: GuardedPool;
  close(): Promise<void>;
}

/**
 * Opens a pool of connections, which connects on first use. Names are `camelCase` in the program and `snake_case` in
 * the database; JSON columns keep their keys. Timestamps are `Date`, `bigint` and `numeric` are strings, as in `pg`.
 * @param options.onError called once for each connection that broke (PostgreSQL restarted); the pool replaces them.
 */
export function openDatabase(options: {
  url: string;
  maxConnections?: number;
  /**
   * Maximum wait for a free connection, and for a new one to connect; then `PoolBusyError`, or the connection error.
   */
  acquireMs?: number;
  applicationName?: string;
  /** For roles: both ends close silent connections. Do not set it for statements that take minutes. */
  silenceMs?: number | true;
  onError: (error: Error) => void;
}): DatabaseConnection {
  const silenceMs = options.silenceMs === true ? SILENCE_MS : options.silenceMs;
  const pool = new GuardedPool({
    connectionString: options.url,
    max: options.maxConnections ?? 10,
    application_name: options.applicationName ?? 'figurehead',
    connectionTimeoutMillis: options.acquireMs ?? ACQUIRE_MS,
    keepAlive: true,
    ...(silenceMs === undefined ? {} : { stream: () => openSocket(silenceMs), onConnect: limitIdling }),
  });
  // The pool says so as well, but only of idle connections; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) =>
    client.on('error', (error) => {
      // The pool counts as closed before its last connections are.
      if (!pool.ending) options.onError(error);
    }),
  );
  const db: Database = new Kysely({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
  return { db, transaction: createTransact(db, pool), pool, close };

  async function close(): Promise<void> {
    await db.destroy();
    // Kysely leaves a pool open that it has never used.
    if (!pool.ending) await pool.end();
  }
}

async function limitIdling(client: pg.ClientBase): Promise<void> {
  await client.query(`set idle_in_transaction_session_timeout = '${LONGEST_IDLE_IN_TRANSACTION}'`);
}

/** A socket that closes itself after this time without any bytes; the pool closes idle connections earlier. */
function openSocket(silenceMs: number): Socket {
  const socket = new Socket();
  socket.setTimeout(silenceMs, () => {
    socket.destroy(new Error(`The database has not been heard of for ${silenceMs / 1000} s.`));
  });
  return socket;
}
