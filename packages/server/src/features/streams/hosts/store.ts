import { type Generated, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database, Kernel, Transact, Tx } from '../../../kernel/contract.js';

interface HostsTable {
  id: string;
  url: string;
  capacity: number;
  engines: string[];
  version: string;
  draining: Generated<boolean>;
  /** Streams that are not closed; maintained by triggers of the streams table. */
  open: Generated<number>;
  startedAt: Generated<Date>;
  heartbeatAt: Generated<Date>;
}

type Tables = { streamHosts: HostsTable };

/** A host as stored. */
export type HostRow = Selectable<HostsTable>;

/** Key of the advisory lock for waiting for a host; unique in the database. */
const WAITING_LOCK = 7_204_001;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** True for a heartbeat within `deadAfterMs`, by the database's clock. */
const isAlive = (deadAfterMs: number) => sql<boolean>`heartbeat_at > now() - ${deadAfterMs} * interval '1 ms'`;

/** Inserts a host, or the same one again after it was declared dead, with its streams that are still open. */
export async function insertHost(
  transaction: Transact,
  row: Pick<HostRow, 'id' | 'url' | 'capacity' | 'engines' | 'version' | 'draining'>,
): Promise<void> {
  await transaction(async (tx) => {
    await open(tx)
      .insertInto('streamHosts')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...row, heartbeatAt: sql`now()` }))
      .execute();
    await recount(tx, row.id);
  });
}

/**
 * Recounts a host's streams. `tx` has its row locked, so that concurrent changes wait until the new count is written.
 */
async function recount(tx: Tx, id: string): Promise<void> {
  await sql`
    update stream_hosts set open = (select count(*) from streams where host_id = ${id} and state <> 'closed')
    where id = ${id}`.execute(tx);
}

/**
 * Repairs counts that differ from the number of open streams: a stream that ended at the moment in which its host
 * registered again is missed by both.
 * @returns hosts whose count was wrong.
 */
export async function mendCounts({ db, transaction }: Pick<Kernel, 'db' | 'transaction'>): Promise<string[]> {
  // Stream and count change in one transaction, so this statement sees both or neither.
  const { rows } = await sql<{ id: string }>`
    select h.id from stream_hosts h left join streams s on s.host_id = h.id and s.state <> 'closed'
    group by h.id having h.open <> count(s.host_id)`.execute(db);
  for (const { id } of rows) {
    await transaction(async (tx) => {
      await sql`select 1 from stream_hosts where id = ${id} for no key update`.execute(tx);
      await recount(tx, id);
    });
  }
  return rows.map(({ id }) => id);
}

/** Records a heartbeat; false when the host was declared dead meanwhile. */
export async function touchHost(db: Database | Tx, id: string): Promise<boolean> {
  const result = await open(db)
    .updateTable('streamHosts')
    .set({ heartbeatAt: sql`now()` })
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Marks a host as draining. */
export async function setDraining(db: Database, id: string): Promise<void> {
  await open(db).updateTable('streamHosts').set({ draining: true }).where('id', '=', id).execute();
}

/** Deletes a host. */
export async function deleteHost(db: Database | Tx, id: string): Promise<void> {
  await open(db).deleteFrom('streamHosts').where('id', '=', id).execute();
}

/** Hosts without a heartbeat for `quietMs`; `dead` is true from `deadAfterMs` on. */
export async function listQuiet(
  db: Database,
  quietMs: number,
  deadAfterMs: number,
): Promise<{ id: string; url: string; dead: boolean }[]> {
  return open(db)
    .selectFrom('streamHosts')
    .select((eb) => ['id', 'url', eb.not(isAlive(deadAfterMs)).as('dead')])
    .where((eb) => eb.not(isAlive(quietMs)))
    .$castTo<{ id: string; url: string; dead: boolean }>()
    .execute();
}

/** Live hosts with the number of their open streams, emptiest first. */
export async function listLoads(db: Database, deadAfterMs: number): Promise<HostRow[]> {
  return open(db)
    .selectFrom('streamHosts')
    .selectAll()
    .where(isAlive(deadAfterMs))
    .orderBy(byShare)
    .orderBy('id')
    .execute();
}

/**
 * Locks the row of the emptiest host with a free place, skipping rows that are locked by others. The row is read under
 * the lock.
 */
export async function lockFreeHost(tx: Tx, options: LockOptions): Promise<LockedHost | undefined> {
  return (await lockHost(tx, options, sql`skip locked`)).rows[0];
}

/**
 * As {@link lockFreeHost}, when all hosts with a free place are locked by others: waits for one. A waiting caller holds
 * rows of hosts that became full meanwhile, so only one waits at a time; a caller that does not wait holds one row and
 * never waits for another.
 */
export async function awaitFreeHost(tx: Tx, options: LockOptions): Promise<LockedHost | undefined> {
  await sql`select pg_advisory_xact_lock(${WAITING_LOCK})`.execute(tx);
  return (await lockHost(tx, options, sql``)).rows[0];
}

/** Restricts the choice of a host. */
interface LockOptions {
  readonly deadAfterMs: number;
  /** Hosts that are excluded. */
  readonly except: readonly string[];
}

/** A host whose row is locked. */
interface LockedHost {
  readonly id: string;
  readonly url: string;
}

/** Share of the capacity in use. */
const byShare = sql`open::double precision / capacity`;

function lockHost(tx: Tx, { deadAfterMs, except }: LockOptions, how: RawBuilder<unknown>) {
  return sql<LockedHost>`
    select id, url from stream_hosts
    where ${isAlive(deadAfterMs)} and not draining and open < capacity and id <> all(${except}::text[])
    order by ${byShare}, id limit 1 for no key update ${how}`.execute(tx);
}
