/** SQLSTATE of a server that is shutting down, has crashed, is starting or has no free connection. */
const AWAY_STATES = new Set(['57P01', '57P02', '57P03', '53300']);

/** Error codes of Node for a closed port or socket, and for a connection closed by the server. */
const AWAY_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE']);

/** Messages of `pg`, without a code, for a connection that the server closed. */
const LOST = new Set([
  'Connection terminated unexpectedly',
  'Connection terminated',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
]);

/**
 * True when PostgreSQL was unreachable or closed the connection. The work was not started or was rolled back, except for a running statement outside a
 * transaction and a running `commit`, which may have been executed.
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

/** Runs work that only reads, and repeats it once when the connection is lost. */
export async function repeatRead<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    return read();
  }
}
