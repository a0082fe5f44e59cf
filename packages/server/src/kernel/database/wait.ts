import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../operator-error.js';

/** A database that is started together with us may take this long. */
const WAIT_MS = 30_000;

/** The oldest PostgreSQL that the SQL of the house is written for. */
const OLDEST_VERSION = 15;

/** Errors that pass by themselves: nobody listens yet, the name is not known yet, the server is starting or has no room (SQLSTATE). */
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
 * Waits until the database takes connections and checks its version.
 * @param notice hears once that we wait.
 * @throws OperatorError when it stays away, refuses us, or is too old. No message repeats the password.
 */
export async function waitForDatabase(url: string, notice: (line: string) => void, waitMs = WAIT_MS): Promise<void> {
  const deadline = Date.now() + waitMs;
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
      if (Date.now() > deadline) throw new OperatorError(`${name} cannot be reached (${code}).`, { cause: error });
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
