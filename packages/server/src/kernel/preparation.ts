import { openDatabase } from './database/database.js';
import { migrate } from './database/migrations.js';
import { QUEUES } from './jobs/definitions.js';
import { installQueue } from './jobs/queue.js';

/** Any number that nothing else in the database uses as an advisory lock. */
const PREPARATION_LOCK = 717_001;

/**
 * Makes a database ready for every role: tables and queue. Safe with several processes at once, which wait for each other.
 * @returns names of the migrations that ran.
 */
export async function prepareDatabase(url: string): Promise<string[]> {
  // A connection that breaks shows in the statement that is under way.
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
      // Closing the connection gives the lock back whatever state it is in.
      guard.release(true);
    }
  } finally {
    await connection.close();
  }
}
