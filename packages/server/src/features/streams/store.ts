import { type Generated, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';
import { countRows, type Page, type PageQuery, readPage } from '../../kernel/database/page.js';
import type { ExpiringRows } from '../../kernel/database/prune.js';
import type { TokenEnd } from './client-tokens/store.js';
import type { SessionStats } from './host/host-protocol.js';

// streams.state
//
//   opening ──session made──▶ new ──answered──▶ connecting ──connection up──▶ connected ──minutes used up──▶ closing
//      │                       │                    │                            │                             │
//      │ host refused or died  └────────────────────┴──────────────┬─────────────┴─────────────────────────────┘
//      ▼                                                           ▼
//   (no row)                                                    closed
//
// `opening` only reserves a slot on the host: callers cannot see the stream. `new` and `connecting` are set by the API, `connected` and
// `closing` by the host's reports. Every way to `closed` (DELETE, idle, peer gone, out of minutes, end of its client token, host stopped or dead) is one
// conditional update, so that only one of them takes effect, and charges the connected time in the same transaction.

export type StreamState = 'opening' | 'new' | 'connecting' | 'connected' | 'closing' | 'closed';

/** Why a stream ended. */
export type EndReason =
  | 'requested'
  | 'idle'
  | 'peer_gone'
  | 'failed'
  | 'out_of_minutes'
  | 'host_stopped'
  | 'host_lost'
  | 'conversation_limit'
  | TokenEnd['reason'];

/** The resolved voice of a stream; its saved settings are read again for each text. */
export interface StreamVoice {
  readonly provider: string;
  readonly voice: string;
  /** BCP 47 tag. */
  readonly language: string;
}

interface StreamsTable {
  id: string;
  workspaceId: string;
  userId: string;
  /** The client token that opened it. */
  clientTokenId: string | null;
  hostId: string;
  /** The agent that holds a conversation on it. */
  agentId: string | null;
  /** Id of the media file for its recording. */
  recordingId: string | null;
  /** Id of the stream that it was opened in place of; of those that are not closed, one has this value in a workspace. */
  replaces: string | null;
  state: Generated<StreamState>;
  avatarCode: string;
  voiceId: string;
  voiceProvider: string;
  voice: StreamVoice;
  offer: string | null;
  /** Text, as `pg` gives a bigint. */
  connectedMs: Generated<string>;
  stats: SessionStats | null;
  createdAt: Date;
  expiresAt: Date;
  closedAt: Date | null;
  closeReason: EndReason | null;
}

type Tables = { streams: StreamsTable; streamHosts: { id: string; url: string } };

export type StreamRow = Selectable<StreamsTable>;

/** A stream with the internal address of its host; `null` when the host is gone. */
export type LocatedStream = StreamRow & { readonly hostUrl: string | null };

/** A host's report on one of its streams. */
export interface StreamReport {
  readonly id: string;
  /** `undefined` leaves the state unchanged. */
  readonly state: 'connected' | 'closing' | undefined;
  readonly connectedMs: number;
  readonly expiresAt: Date;
  readonly stats: SessionStats;
}

/** Connected time of a stream as stored. */
export interface ConnectedTime {
  readonly id: string;
  readonly workspaceId: string;
  readonly connectedMs: number;
}

/** A stream that has just been closed. */
export interface Closed extends ConnectedTime {
  readonly recordingId: string | null;
}

/** Closed streams, for their removal; their charges stay in the ledger. */
export const CLOSED_STREAMS: ExpiringRows = { table: 'streams', column: 'closed_at', only: sql`state = 'closed'` };

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/**
 * Inserts a stream in state `opening`; from now on it takes a slot on its host. Waits for other transactions that
 * replace the same stream.
 * @returns false when another one already replaces the same stream.
 */
export async function insertStream(
  tx: Tx,
  row: Omit<StreamRow, 'state' | 'offer' | 'connectedMs' | 'stats' | 'closedAt' | 'closeReason'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await open(tx)
    .insertInto('streams')
    .values({ ...row, voice: sql<StreamVoice>`${JSON.stringify(row.voice)}::jsonb` })
    .onConflict((conflict) => conflict.columns(['workspaceId', 'replaces']).where('state', '<>', 'closed').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** True while a stream that was opened in place of `id` is open or being opened. */
export async function isReplaced(db: Database, workspaceId: string, id: string): Promise<boolean> {
  const found = await open(db)
    .selectFrom('streams')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('replaces', '=', id)
    .where('state', '<>', 'closed')
    .executeTakeFirst();
  return found !== undefined;
}

/** Frees the slot when no session was opened. @returns the medium of its recording; `null` without one. */
export async function deleteOpening(tx: Tx, id: string): Promise<string | null> {
  const deleted = open(tx).deleteFrom('streams').where('id', '=', id).where('state', '=', 'opening');
  return (await deleted.returning('recordingId').executeTakeFirst())?.recordingId ?? null;
}

/** Media of the recordings that a host may not have published: those of its streams that are open or ended after `since`. */
export async function listRecordingsOfHost(db: Database, hostId: string, since: Date): Promise<string[]> {
  const rows = await open(db)
    .selectFrom('streams')
    .select('recordingId')
    .where('hostId', '=', hostId)
    .where((row) => row.or([row('closedAt', 'is', null), row('closedAt', '>', since)]))
    .execute();
  return rows.flatMap(({ recordingId }) => recordingId ?? []);
}

/** Makes the stream visible once its session is open. `undefined` when it was ended meanwhile. */
export async function markOpened(db: Database, id: string, offer: string): Promise<StreamRow | undefined> {
  return open(db)
    .updateTable('streams')
    .set({ state: 'new', offer })
    .where('id', '=', id)
    .where('state', '=', 'opening')
    .returningAll()
    .executeTakeFirst();
}

/** A visible stream of any workspace; `undefined` when it is unknown or closed. */
export async function findStream(db: Database, id: string): Promise<LocatedStream | undefined> {
  return open(db)
    .selectFrom('streams as s')
    .leftJoin('streamHosts as h', 'h.id', 's.hostId')
    .selectAll('s')
    .select('h.url as hostUrl')
    .where('s.id', '=', id)
    .where('s.state', 'not in', ['opening', 'closed'])
    .executeTakeFirst();
}

/** Visible streams of a workspace, newest first, and their total. */
export async function listStreams(db: Database, workspaceId: string, page: PageQuery): Promise<Page<StreamRow>> {
  const all = open(db)
    .selectFrom('streams')
    .selectAll()
    .where('workspaceId', '=', workspaceId)
    .where('state', 'not in', ['opening', 'closed']);
  return readPage(all.orderBy('id', 'desc'), page);
}

/** Records that an answer was accepted. Idempotent. */
export async function markAnswered(db: Database, id: string): Promise<void> {
  await open(db)
    .updateTable('streams')
    .set({ state: 'connecting' })
    .where('id', '=', id)
    .where('state', '=', 'new')
    .execute();
}

/** Replaces the offer by that of another connection. */
export async function setOffer(db: Database, id: string, offer: string): Promise<void> {
  await open(db).updateTable('streams').set({ offer }).where('id', '=', id).where('state', '<>', 'closed').execute();
}

/** Writes a host's reports on its streams in one statement. @returns the streams that are still open, now locked by `tx`. */
export async function writeReports(tx: Tx, hostId: string, reports: readonly StreamReport[]): Promise<ConnectedTime[]> {
  if (reports.length === 0) return [];
  const { rows } = await sql<ConnectedTime>`
    update streams s set
      state = coalesce(r.state, s.state),
      connected_ms = greatest(s.connected_ms, r."connectedMs"),
      expires_at = r."expiresAt",
      stats = r.stats
    from jsonb_to_recordset(${JSON.stringify(reports)}::jsonb)
      as r(id text, state text, "connectedMs" bigint, "expiresAt" timestamptz, stats jsonb)
    where s.id = r.id and s.host_id = ${hostId} and s.state <> 'closed'
    returning s.id, s.workspace_id, s.connected_ms`.execute(tx);
  return rows.map(connectedTime);
}

/** Number of streams in a workspace that are not closed, as SQL. @param workspaceId SQL of its id. */
export function openStreamsIn(workspaceId: RawBuilder<unknown>): RawBuilder<number> {
  return sql`(select count(*)::integer from streams where workspace_id = ${workspaceId} and state <> 'closed')`;
}

/** Streams of a host that are not closed. */
export async function listOpenOfHost(db: Database | Tx, hostId: string): Promise<Pick<StreamRow, 'id' | 'state'>[]> {
  return open(db)
    .selectFrom('streams')
    .select(['id', 'state'])
    .where('hostId', '=', hostId)
    .where('state', '<>', 'closed')
    .execute();
}

/**
 * Closes a stream. @param connectedMs its connected time, if known; otherwise the latest report is used.
 * @returns undefined when it was already closed.
 */
export async function markClosed(
  tx: Tx,
  id: string,
  end: { reason: EndReason; at: Date; connectedMs?: number },
): Promise<Closed | undefined> {
  const row = await open(tx)
    .updateTable('streams')
    .set({
      state: 'closed',
      closedAt: end.at,
      closeReason: end.reason,
      stats: null,
      connectedMs: sql<string>`greatest(connected_ms, ${Math.round(end.connectedMs ?? 0)})`,
    })
    .where('id', '=', id)
    .where('state', '<>', 'closed')
    .returning(['id', 'workspaceId', 'connectedMs', 'recordingId'])
    .executeTakeFirst();
  return row && { ...connectedTime(row), recordingId: row.recordingId };
}

/**
 * Data to estimate when a slot becomes free: the earliest idle timeout of an open stream, and the number of streams that ended after
 * `since`.
 */
export async function readTurnover(db: Database, since: Date): Promise<{ nextEnd: Date | null; ended: number }> {
  const nextEnd = await open(db)
    .selectFrom('streams')
    .select((eb) => eb.fn.min('expiresAt').as('nextEnd'))
    .where('state', '<>', 'closed')
    .executeTakeFirstOrThrow();
  const ended = open(db).selectFrom('streams').where('state', '=', 'closed').where('closedAt', '>', since);
  return { nextEnd: nextEnd.nextEnd, ended: await countRows(ended) };
}

/** Open streams with their measurements, for the metrics. */
export async function listMeasured(db: Database): Promise<Pick<StreamRow, 'id' | 'hostId' | 'state' | 'stats'>[]> {
  return open(db)
    .selectFrom('streams')
    .select(['id', 'hostId', 'state', 'stats'])
    .where('state', 'not in', ['opening', 'closed'])
    .execute();
}

function connectedTime(row: { id: string; workspaceId: string; connectedMs: string | number }): ConnectedTime {
  return { id: row.id, workspaceId: row.workspaceId, connectedMs: Number(row.connectedMs) };
}
