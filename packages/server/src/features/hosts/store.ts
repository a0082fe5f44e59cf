import { type Generated, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database, Kernel, Transact, Tx } from '../../kernel/contract.js';

interface HostsTable {
  id: string;
  url: string;
  capacity: number;
  engines: string[];
  version: string;
  draining: Generated<boolean>;
  /** Streams that are not closed; kept by triggers of the table of streams. */
  open: Generated<number>;
  startedAt: Generated<Date>;
  heartbeatAt: Generated<Date>;
}

type Tables = { streamHosts: HostsTable };

/** A host as stored. */
export type HostRow = Selectable<HostsTable>;

/** A host with the number of its open streams. */
export interface HostLoad {
  readonly id: string;
  readonly url: string;
  readonly capacity: number;
  readonly draining: boolean;
  readonly open: number;
  readonly engines: string[];
  readonly version: string;
  readonly startedAt: Date;
  readonly heartbeatAt: Date;
}

/** Key of the advisory lock of those who wait for a host; any number that nothing else locks. */
const WAITING_LOCK = 7_204_001;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** True for rows heard of within `deadAfterMs`, by the database's clock. */
const isAlive = (deadAfterMs: number) => sql<boolean>`heartbeat_at > now() - ${deadAfterMs} * interval '1 ms'`;

/** Writes a host, or the same one again after it was given up, with what it still has open. */
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

/** Counts a host's streams anew. `tx` has its row locked: whoever would change the count waits until this one is written. */
async function recount(tx: Tx, id: string): Promise<void> {
  await sql`
    update stream_hosts set open = (select count(*) from streams where host_id = ${id} and state <> 'closed')
    where id = ${id}`.execute(tx);
}

/**
 * Mends counts that are not the number of open streams: one that ended in the very moment in which its host joined again was counted by neither.
 * @returns hosts whose count was wrong.
 */
export async function mendCounts({ db, transaction }: Pick<Kernel, 'db' | 'transaction'>): Promise<string[]> {
  // Stream and count change in one transaction: one look sees both or neither.
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

/** Says that the host lives; false when it was given up meanwhile. */
export async function touchHost(db: Database | Tx, id: string): Promise<boolean> {
  const result = await open(db)
    .updateTable('streamHosts')
    .set({ heartbeatAt: sql`now()` })
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** From now on it takes no new streams. */
export async function setDraining(db: Database, id: string): Promise<void> {
  await open(db).updateTable('streamHosts').set({ draining: true }).where('id', '=', id).execute();
}

/** Removes a host. */
export async function deleteHost(db: Database | Tx, id: string): Promise<void> {
  await open(db).deleteFrom('streamHosts').where('id', '=', id).execute();
}

/** Hosts that have not been heard of for `quietMs`; `dead` is true from `deadAfterMs` on. */
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

/** Hosts that live, with the number of their open streams; the emptiest first. */
export async function listLoads(db: Database, deadAfterMs: number): Promise<HostLoad[]> {
  return open(db)
    .selectFrom('streamHosts')
    .select(['id', 'url', 'capacity', 'draining', 'open', 'engines', 'version', 'startedAt', 'heartbeatAt'])
    .where(isAlive(deadAfterMs))
    .orderBy(byShare)
    .orderBy('id')
    .execute();
}

/**
 * Locks the row of the emptiest host that has room, passing over those that others are locking. What is read is what the row holds under the
 * lock, not what it held when it was chosen.
 */
export async function lockFreeHost(tx: Tx, options: LockOptions): Promise<LockedHost | undefined> {
  return (await lockHost(tx, options, sql`skip locked`)).rows[0];
}

/**
 * As {@link lockFreeHost}, for when all hosts that have room are being locked by others: waits for one. Who waits holds rows of hosts that have
 * become full meanwhile, so that only one waits at a time; who does not wait holds one row and never waits for another.
 */
export async function awaitFreeHost(tx: Tx, options: LockOptions): Promise<LockedHost | undefined> {
  await sql`select pg_advisory_xact_lock(${WAITING_LOCK})`.execute(tx);
  return (await lockHost(tx, options, sql``)).rows[0];
}

/** Which host may be taken. */
interface LockOptions {
  readonly deadAfterMs: number;
  /** Hosts that are out of the question. */
  readonly except: readonly string[];
}

/** A host whose row is locked. */
interface LockedHost {
  readonly id: string;
  readonly url: string;
}

/** Share of its room that is in use. */
const byShare = sql`open::double precision / capacity`;

function lockHost(tx: Tx, { deadAfterMs, except }: LockOptions, how: RawBuilder<unknown>) {
  return sql<LockedHost>`
    select id, url from stream_hosts
    where ${isAlive(deadAfterMs)} and not draining and open < capacity and id <> all(${except}::text[])
    order by ${byShare}, id limit 1 for no key update ${how}`.execute(tx);
}
