import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../operator-error.js';
import { isDatabaseAway } from './away.js';

/** Maximum wait for a database that starts together with this process. */
const WAIT_MS = 30_000;

/** Oldest supported PostgreSQL version. */
const OLDEST_VERSION = 15;

/** Codes of a host name that cannot be resolved and of a network without an answer, which may pass as well. */
const PASSING = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT']);

/**
 * Waits until the database accepts connections and checks its version.
 * @param notice called once when waiting starts.
 * @throws OperatorError when it remains unreachable, refuses the connection, or is too old. No message contains the
 * password.
 */
export async function waitForDatabase(url: string, notice: (line: string) => void, waitMs = WAIT_MS): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (let first = true; ; first = false) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ version: number }>(
        `select current_setting('server_version_num')::int as version`,
      );
      return requireVersion(rows[0]?.version ?? 0);
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      const name = `The database ${client.database ?? ''} on ${client.host}`;
      // It may die while it is asked.
      if (!isDatabaseAway(error) && !PASSING.has(code ?? ''))
        throw new OperatorError(`${name} refuses us: ${message}.`, { cause: error });
      const why = `${name} cannot be reached`;
      if (performance.now() > deadline) throw new OperatorError(`${why} (${code ?? message}).`, { cause: error });
      if (first) notice(`${why} yet (${code ?? message}); waiting.`);
    } finally {
      await client.end().catch(() => undefined);
    }
    await delay(500);
  }
}

function requireVersion(version: number): void {
  const major = Math.floor(version / 10_000);
  if (major < OLDEST_VERSION)
    throw new OperatorError(`The database is PostgreSQL ${major}; ${OLDEST_VERSION} or newer is needed.`);
}
