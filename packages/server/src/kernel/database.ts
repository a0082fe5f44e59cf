import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database } from './contract.js';

/** A database and its connections. The caller closes it. */
export interface DatabaseConnection {
  readonly db: Database;
  /** For statements that kysely does not build. */
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

/**
 * Opens a pool of connections; the first is made on first use. Names are `camelCase` in the program and `snake_case` in the database;
 * JSON columns keep their keys. Timestamps are `Date`, `bigint` and `numeric` are text as `pg` gives them.
 * @param options.onError hears of idle connections that broke (PostgreSQL restarted); the pool replaces them.
 */
export function openDatabase(options: {
  url: string;
  maxConnections?: number;
  applicationName?: string;
  onError: (error: Error) => void;
}): DatabaseConnection {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 10,
    application_name: options.applicationName ?? 'figurehead',
    // Long enough for an embedded server to come back after a crash, short enough that a request does not hang.
    connectionTimeoutMillis: 10_000,
  });
  pool.on('error', options.onError);
  // A connection that breaks while checked out fails its query; without a listener it would also end the process.
  pool.on('connect', (client) => client.on('error', options.onError));
  const db: Database = new Kysely({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
  return { db, pool, close: () => db.destroy() };
}
