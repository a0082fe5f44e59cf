import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../operator-error.js';

/** Maximum wait for a database that starts together with this process. */
const WAIT_MS = 30_000;

/** Oldest supported PostgreSQL version. */
const OLDEST_VERSION = 15;

/** Temporary errors: connection refused, unknown host name, server starting, too many connections (SQLSTATE). */
const PASSING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  '57P03',
  '53300',
]);

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
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const name = `The database ${client.database ?? ''} on ${client.host}`;
      if (code === undefined || !PASSING.has(code))
        throw new OperatorError(`${name} refuses us: ${message}.`, { cause: error });
      if (performance.now() > deadline)
        throw new OperatorError(`${name} cannot be reached (${code}).`, { cause: error });
      if (first) notice(`${name} cannot be reached yet (${code}); waiting.`);
      await delay(500);
      continue;
    }
    try {
      const { rows } = await client.query<{ version: number }>(
        `select current_setting('server_version_num')::int as version`,
      );
      const major = Math.floor((rows[0]?.version ?? 0) / 10_000);
      if (major < OLDEST_VERSION)
        throw new OperatorError(`The database is PostgreSQL ${major}; ${OLDEST_VERSION} or newer is needed.`);
      return;
    } finally {
      await client.end();
    }
  }
}
