import type { AdminWorkspace } from '@figurehead/contract';
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

/** A worker as stored. */
export type WorkerRow = Selectable<WorkersTable>;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Saves a worker's state, and deletes workers that have been silent for `silentMs`. */
export async function saveWorker(
  db: Database,
  row: Omit<WorkerRow, 'startedAt' | 'heartbeatAt' | 'memory'> & { memory: number },
  silentMs: number,
): Promise<void> {
  const { id, jobs, memory, ...said } = row;
  const values = { ...said, memory: String(memory), jobs: sql<WorkerJob[]>`${JSON.stringify(jobs)}::jsonb` };
  await open(db)
    .insertInto('workers')
    .values({ id, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...values, heartbeatAt: sql`now()` }))
    .execute();
  await sql`delete from workers where heartbeat_at < now() - ${silentMs} * interval '1 ms'`.execute(db);
}

/** Removes a worker from the list. */
export async function deleteWorker(db: Database, id: string): Promise<void> {
  await open(db).deleteFrom('workers').where('id', '=', id).execute();
}

/** Workers that sent a heartbeat within `silentMs`, in order of their start. */
export async function listWorkers(db: Database, silentMs: number): Promise<WorkerRow[]> {
  return open(db)
    .selectFrom('workers')
    .selectAll()
    .where(sql<boolean>`heartbeat_at > now() - ${silentMs} * interval '1 ms'`)
    .orderBy('startedAt')
    .orderBy('id')
    .execute();
}

/** Selection of workspaces. */
export interface WorkspacePage {
  /** Part of the name (ignoring case), or an id. */
  readonly search: string | undefined;
  /** Only this one. */
  readonly id?: string;
  readonly offset: number;
  readonly limit: number;
}

/** Workspaces with their counts, newest first, and the total number. */
export async function listWorkspaces(
  db: Database | Tx,
  { search, id, offset, limit }: WorkspacePage,
): Promise<{ rows: AdminWorkspace[]; total: number }> {
  const found = sql`
    from workspaces w where (${id ?? null}::text is null or w.id = ${id ?? null})
      and (${search ?? null}::text is null or w.id = ${search ?? null} or position(lower(${search ?? ''}) in lower(w.name)) > 0)`;
  const page = await sql<
    Omit<AdminWorkspace, '_id' | 'createdAt' | 'minutes'> & { id: string; createdAt: Date; balanceMs: string }
  >`
    select w.id, w.name, w.plan, w.status, w.balance_ms as "balanceMs", w.allow_overlimit as "allowOverlimit", w.moderation,
      w.created_at as "createdAt",
      (select count(*)::integer from members m where m.workspace_id = w.id) as members,
      (select count(*)::integer from videos v where v.workspace_id = w.id and not v.deleted) as videos,
      (select count(*)::integer from streams s where s.workspace_id = w.id and s.state <> 'closed') as "openStreams"
    ${found} order by w.created_at desc, w.id desc offset ${offset} limit ${limit}`.execute(db);
  const count = await sql<{ total: number }>`select count(*)::integer as total ${found}`.execute(db);
  const rows = page.rows.map(({ id, balanceMs, createdAt, ...row }) => ({
    _id: id,
    ...row,
    minutes: Number(balanceMs) / 60_000,
    createdAt: createdAt.toISOString(),
  }));
  return { rows, total: count.rows[0]?.total ?? 0 };
}
