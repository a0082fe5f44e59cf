import pg from 'pg';

/** Options of {@link withAdvisoryLock}. */
export interface AdvisoryLock {
  /** Database URL; undefined uses the environment variables of `pg`. */
  readonly url: string | undefined;
  /** Unique among the advisory locks of the database. */
  readonly key: number;
  /** Name of the holder in `pg_stat_activity`. */
  readonly application: string;
}

/**
 * Runs `work` unless another process holds the lock. The lock has a separate connection, because a pool connection is
 * closed after 30 s without a statement, and `work` needs the pool.
 * @param work its signal is aborted when the connection, and with it the lock, is lost.
 * @returns undefined when another process holds the lock.
 */
export async function withAdvisoryLock<T>(
  { url, key, application }: AdvisoryLock,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const client = new pg.Client({
    ...(url === undefined ? {} : { connectionString: url }),
    application_name: `figurehead ${application}`,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  const lost = new AbortController();
  client.on('error', (error) => lost.abort(error));
  try {
    await client.connect();
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [key]);
    return rows[0]?.taken === true ? await work(lost.signal) : undefined;
  } finally {
    // Closing the connection releases the lock.
    await client.end();
  }
}
