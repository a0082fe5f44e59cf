/** SQLSTATE of a server that shuts down, has crashed or starts, or has no room for a connection. */
const AWAY_STATES = new Set(['57P01', '57P02', '57P03', '53300']);

/** Error codes of Node for a closed port or socket, and for a connection closed by the server. */
const AWAY_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE']);

/** What `pg` says, without a code, on a connection whose other end is gone. */
const LOST = new Set([
  'Connection terminated unexpectedly',
  'Connection terminated',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
]);

/**
 * True when PostgreSQL could not be reached, or hung up: it restarts, or its machine is away. What was to be done was not begun, or rolled back, except
 * for a statement outside of transactions and a `commit` that were under way: they may have been done.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (!('code' in error)) return LOST.has(error.message);
  return AWAY_STATES.has(String(error.code)) || (AWAY_CODES.has(String(error.code)) && 'syscall' in error);
}

/** True when PostgreSQL could not write because its disk is full (SQLSTATE). */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '53100';
}

/** Does work that only reads; once more when the database was lost on the way. */
export async function repeatRead<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    return read();
  }
}
