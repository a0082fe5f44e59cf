import pg from 'pg';

/** Which lock, and where. */
export interface AdvisoryLock {
  /** Of the database; undefined takes what `pg` finds in the environment. */
  readonly url: string | undefined;
  /** Any number that nothing else in the database uses as an advisory lock. */
  readonly key: number;
  /** Holder, for `pg_stat_activity`. */
  readonly application: string;
}

/**
 * Runs `work` unless another process holds the lock. The lock has a connection of its own: one of the pool is closed after 30 s without a statement,
 * and `work` needs the pool itself.
 * @param work its signal is raised when the connection, and with it the lock, is lost.
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
    // The end of the connection gives the lock back.
    await client.end();
  }
}
