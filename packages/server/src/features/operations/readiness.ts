import { sql } from 'kysely';
import type { Kernel } from '../../kernel/contract.js';
import { isMigrated } from '../../kernel/database/migrations.js';
import { within } from '../../kernel/waiting.js';

/** Time limit for getting a pool connection and an answer of the database together. */
const READY_WITHIN_MS = 2000;

/** State of a process for load balancers. */
export interface Readiness {
  readonly ready: boolean;
  readonly database: boolean;
  readonly migrated: boolean;
  readonly streamHosts: boolean;
  readonly draining: boolean;
  /**
   * Free space on the data folder's disk; without it uploads are refused and renders wait, but the process is ready.
   */
  readonly disk: boolean;
}

/**
 * Looks at the state of this process. Callers at the same time share one look: anyone may ask, and a thousand looks would take the
 * database from other calls.
 * @param hostsPresent true when a stream host is reachable, or none is needed.
 */
export function createReadiness(kernel: Kernel, hostsPresent: () => Promise<boolean>): () => Promise<Readiness> {
  let looking: Promise<Readiness> | undefined;
  return () => {
    looking ??= readiness(kernel, hostsPresent).finally(() => {
      looking = undefined;
    });
    return looking;
  };
}

async function readiness(kernel: Kernel, hostsPresent: () => Promise<boolean>): Promise<Readiness> {
  const draining = kernel.lifecycle.signal.aborted;
  const look = async () => {
    await sql`select 1`.execute(kernel.db);
    const [migrated, streamHosts, disk] = await Promise.all([
      isMigrated(kernel.db),
      hostsPresent(),
      kernel.disk.hasSpace(),
    ]);
    return { ready: migrated && streamHosts && !draining, database: true, migrated, streamHosts, draining, disk };
  };
  const none = { ready: false, database: false, migrated: false, streamHosts: false, draining, disk: false };
  try {
    const found = await within(READY_WITHIN_MS, look());
    if (found !== undefined) return found;
    const why = 'not ready: no database connection became free, or the database does not answer';
    kernel.log.warn({ waitedMs: READY_WITHIN_MS }, why);
  } catch (error) {
    kernel.log.warn({ err: error }, 'not ready: the database does not answer');
  }
  return none;
}
