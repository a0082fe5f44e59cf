import { openDatabase } from './database/database.js';
import { migrate } from './database/migrations.js';
import { QUEUES } from './jobs/definitions.js';
import { installQueue } from './jobs/tables.js';

/** Unique among the advisory locks of the database. */
const PREPARATION_LOCK = 717_001;

/**
 * Prepares a database for every role: tables and queues. Safe with several processes at once, which wait for each
 * other.
 * @returns names of the executed migrations.
 */
export async function prepareDatabase(url: string): Promise<string[]> {
  // A broken connection fails its current statement.
  const connection = openDatabase({
    url,
    maxConnections: 3,
    applicationName: 'figurehead prepare',
    onError: () => undefined,
  });
  try {
    const guard = await connection.pool.connect();
    try {
      await guard.query('select pg_advisory_lock($1)', [PREPARATION_LOCK]);
      const done = await migrate(connection.db);
      await installQueue(connection, QUEUES);
      return done;
    } finally {
      // Closing the connection releases the lock in any state.
      guard.release(true);
    }
  } finally {
    await connection.close();
  }
}
