import { type Generated, type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';

interface HostsTable {
  id: string;
  url: string;
  capacity: number;
  engines: string[];
  version: string;
  draining: Generated<boolean>;
  startedAt: Generated<Date>;
  heartbeatAt: Generated<Date>;
}

/** Columns of another feature that allocation counts in the same statement. */
type Tables = { streamHosts: HostsTable; streams: { hostId: string; state: string } };

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

/** Key of the advisory lock that orders allocations; any number that nothing else locks. */
const ALLOCATION_LOCK = 7_204_001;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** True for rows heard of within `deadAfterMs`, by the database's clock. */
const isAlive = (deadAfterMs: number) => sql<boolean>`heartbeat_at > now() - ${deadAfterMs} * interval '1 ms'`;

/** Writes a host, or the same one again after it was given up. */
export async function insertHost(
  db: Database,
  row: Pick<HostRow, 'id' | 'url' | 'capacity' | 'engines' | 'version' | 'draining'>,
): Promise<void> {
  await open(db)
    .insertInto('streamHosts')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...row, heartbeatAt: sql`now()` }))
    .execute();
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
export async function listLoads(db: Database | Tx, deadAfterMs: number): Promise<HostLoad[]> {
  const { rows } = await sql<HostLoad>`
    select h.id, h.url, h.capacity, h.draining, count(s.host_id)::integer as open, h.engines, h.version,
      h.started_at as "startedAt", h.heartbeat_at as "heartbeatAt"
    from stream_hosts h left join streams s on s.host_id = h.id and s.state <> 'closed'
    where ${isAlive(deadAfterMs)}
    group by h.id
    order by count(s.host_id)::double precision / h.capacity, h.id`.execute(db);
  return rows;
}

/** Keeps other allocations out until the transaction ends, so that what was counted stays true. */
export async function lockAllocation(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ALLOCATION_LOCK})`.execute(tx);
}
