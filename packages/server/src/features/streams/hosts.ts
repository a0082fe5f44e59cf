import { connect } from 'node:net';
import { type Generated, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database, Kernel, Tx } from '../../kernel/contract.js';

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

export type HostRow = Selectable<HostsTable>;

/** Description of a process that hosts streams. */
interface HostDescription {
  readonly id: string;
  /** Base URL of its internal HTTP server, as reached by the API. */
  readonly url: string;
  /** Maximum number of concurrent streams. */
  readonly capacity: number;
  /** Encoders: `cpu`, `cuda`. */
  readonly engines: readonly string[];
  readonly version: string;
}

/** Interval of a host's heartbeats. */
export const BEAT_MS = 2000;

/**
 * A host that has been silent for this long is dead: five heartbeats, so that a lost transaction or a slow disk does no
 * harm.
 */
const DEAD_AFTER_MS = 10_000;

/** After a missed heartbeat, connecting to the host's address shows whether it has died. */
const QUIET_AFTER_MS = 3000;

/** Key of the advisory lock for waiting for a host; unique in the database. */
const WAITING_LOCK = 7_204_001;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** True for a heartbeat within this time, by the database's clock. */
const beatWithin = (ms: number) => sql<boolean>`heartbeat_at > now() - ${ms} * interval '1 ms'`;

/** Inserts a host, or the same one again after it was declared dead, with its streams that are still open. */
export async function registerHost({ transaction }: Kernel, host: HostDescription): Promise<void> {
  const row = { ...host, engines: [...host.engines], draining: false };
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
async function mendCounts({ db, transaction }: Pick<Kernel, 'db' | 'transaction'>): Promise<string[]> {
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

/**
 * Records a heartbeat.
 * @returns false when the host was declared dead: its streams have ended, and it must register again.
 */
export async function beatHost(db: Database | Tx, id: string): Promise<boolean> {
  const result = await open(db)
    .updateTable('streamHosts')
    .set({ heartbeatAt: sql`now()` })
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Marks a host as draining: it keeps its streams and accepts no new ones. */
export async function drainHost({ db }: Kernel, id: string): Promise<void> {
  await open(db).updateTable('streamHosts').set({ draining: true }).where('id', '=', id).execute();
}

/** Removes a host whose streams have ended. */
export async function removeHost(db: Database | Tx, id: string): Promise<void> {
  await open(db).deleteFrom('streamHosts').where('id', '=', id).execute();
}

/** Hosts that missed a heartbeat; `dead` is true for those silent for {@link DEAD_AFTER_MS}. */
async function listQuiet(db: Database): Promise<{ id: string; url: string; dead: boolean }[]> {
  return open(db)
    .selectFrom('streamHosts')
    .select((eb) => ['id', 'url', eb.not(beatWithin(DEAD_AFTER_MS)).as('dead')])
    .where((eb) => eb.not(beatWithin(QUIET_AFTER_MS)))
    .$castTo<{ id: string; url: string; dead: boolean }>()
    .execute();
}

/** Live hosts with the number of their open streams, emptiest first. */
export async function listHosts({ db }: Kernel): Promise<HostRow[]> {
  return open(db)
    .selectFrom('streamHosts')
    .selectAll()
    .where(beatWithin(DEAD_AFTER_MS))
    .orderBy(byShare)
    .orderBy('id')
    .execute();
}

/**
 * Locks the row of the emptiest host with a free place, skipping rows that are locked by others. The row is read under
 * the lock.
 * @param except hosts that are excluded.
 */
async function lockFreeHost(tx: Tx, except: readonly string[]): Promise<ChosenHost | undefined> {
  return (await lockHost(tx, except, sql`skip locked`)).rows[0];
}

/**
 * As {@link lockFreeHost}, when all hosts with a free place are locked by others: waits for one. A waiting caller holds
 * rows of hosts that became full meanwhile, so only one waits at a time; a caller that does not wait holds one row and
 * never waits for another.
 */
async function awaitFreeHost(tx: Tx, except: readonly string[]): Promise<ChosenHost | undefined> {
  await sql`select pg_advisory_xact_lock(${WAITING_LOCK})`.execute(tx);
  return (await lockHost(tx, except, sql``)).rows[0];
}

/** A host chosen for a stream. */
export interface ChosenHost {
  readonly id: string;
  readonly url: string;
}

/** Share of the capacity in use. */
const byShare = sql`open::double precision / capacity`;

function lockHost(tx: Tx, except: readonly string[], how: RawBuilder<unknown>) {
  return sql<ChosenHost>`
    select id, url from stream_hosts
    where ${beatWithin(DEAD_AFTER_MS)} and not draining and open < capacity and id <> all(${except}::text[])
    order by ${byShare}, id limit 1 for no key update ${how}`.execute(tx);
}

/**
 * Hosts whose streams must be ended: those silent for ten seconds, and those that missed a heartbeat and
 * refuse connections, as after a crash.
 */
export async function deadHosts(kernel: Kernel): Promise<string[]> {
  const quiet = await listQuiet(kernel.db);
  const judged = quiet.map(async ({ id, url, dead }) => (dead || (await isRefused(url)) ? [id] : []));
  return (await Promise.all(judged)).flat();
}

/** True when a host accepts streams, whether full or not. @param except hosts that could not be reached. */
export async function isHostPresent(kernel: Kernel, except: ReadonlySet<string> = new Set()): Promise<boolean> {
  return (await listHosts(kernel)).some(({ id, draining }) => !draining && !except.has(id));
}

/**
 * Chooses the live host with the smallest share of its capacity in use that has a free place, is not draining, and to
 * which no other stream is being added. Its row is locked until the transaction ends, so the stream that the caller
 * inserts is counted with its commit: a host never exceeds its capacity, and streams on different hosts do not wait for
 * each other.
 * @param except hosts that turned out to be unreachable or full.
 * @returns undefined when no host has a free place.
 */
export async function allocateHost(tx: Tx, except: ReadonlySet<string>): Promise<ChosenHost | undefined> {
  return (await lockFreeHost(tx, [...except])) ?? (await awaitFreeHost(tx, [...except]));
}

/** Recounts the open streams of hosts with a wrong count. */
export async function mendHostCounts(kernel: Kernel): Promise<void> {
  const mended = await mendCounts(kernel);
  if (mended.length > 0) kernel.log.warn({ hosts: mended }, 'open streams of hosts were miscounted');
}

/** True when the machine refuses the connection; false without any answer, which can have other reasons. */
function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), timeout: 1000 });
    const settle = (refused: boolean) => {
      socket.destroy();
      resolve(refused);
    };
    socket.once('connect', () => settle(false));
    socket.once('timeout', () => settle(false));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code === 'ECONNREFUSED'));
  });
}
