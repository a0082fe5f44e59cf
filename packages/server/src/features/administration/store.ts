import { type Generated, type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';

/** A job of a worker as stored. */
export interface WorkerJob {
  readonly kind: string;
  readonly subjectId: string | null;
  readonly startedAt: string;
}

interface WorkersTable {
  id: string;
  machine: string;
  version: string;
  threads: number;
  load: number;
  /** Text, because `pg` returns bigint as text. */
  memory: string;
  jobs: WorkerJob[];
  startedAt: Generated<Date>;
  heartbeatAt: Generated<Date>;
}

type Tables = { workers: WorkersTable };

export type WorkerRow = Selectable<WorkersTable>;

/** A worker that has been silent for this long is no longer listed: its machine or the database was unreachable. */
const SILENT_MS = 30_000;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Saves a worker's state, and deletes silent workers. */
export async function saveWorker(
  db: Database,
  row: Omit<WorkerRow, 'startedAt' | 'heartbeatAt' | 'memory'> & { memory: number },
): Promise<void> {
  const { id, jobs, memory, ...said } = row;
  const values = { ...said, memory: String(memory), jobs: sql<WorkerJob[]>`${JSON.stringify(jobs)}::jsonb` };
  await open(db)
    .insertInto('workers')
    .values({ id, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...values, heartbeatAt: sql`now()` }))
    .execute();
  await sql`delete from workers where heartbeat_at < now() - ${SILENT_MS} * interval '1 ms'`.execute(db);
}

/** Removes a worker from the list. */
export async function deleteWorker(db: Database, id: string): Promise<void> {
  await open(db).deleteFrom('workers').where('id', '=', id).execute();
}

/** Workers that are not silent, in order of their start. */
export async function listWorkers(db: Database): Promise<WorkerRow[]> {
  return open(db)
    .selectFrom('workers')
    .selectAll()
    .where(sql<boolean>`heartbeat_at > now() - ${SILENT_MS} * interval '1 ms'`)
    .orderBy('startedAt')
    .orderBy('id')
    .execute();
}
