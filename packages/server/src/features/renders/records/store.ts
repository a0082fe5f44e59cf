import type { RenderReport } from '@figurehead/contract';
import { type Generated, type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../../kernel/contract.js';
import { type Page, type PageQuery, readPage } from '../../../kernel/database/page.js';
import { mapYielding } from '../../../kernel/workers/map-yielding.js';
import type { FrozenVideo } from '../contract.js';

// renders.state
//
//   queued ──a worker claims──▶ rendering ──files stored──▶ done                 video ready, charged, video_ready
//     │                          │  ▲ │ ├──held back───▶ moderation ──approved──▶ done     video ready, video_ready
//     │                          │  │ │ │                   └─────────refused───▶ failed    video error, no event
//     │                          │  │ │ └──problem──────▶ failed                 video error, video_error
//     │                          │  └─┘ claimed again after its worker died (attempt + 1); a long one: spread.ts
//     └──cancelled or deleted────┴────────────────────▶ cancelled                video draft, no event
// `attempt` is a fencing token: every claim increments it, and each later step of a worker must match the number of its
// claim. A worker that was wrongly declared dead finds another number (or state) and stops, so a render ends exactly
// once.

export type RenderState = 'queued' | 'rendering' | 'moderation' | 'done' | 'failed' | 'cancelled';

/** Files of a render as object keys, and the length in seconds. Those of earlier versions lack the optional ones. */
export interface RenderResult {
  readonly videoKey: string;
  readonly thumbnailKey: string;
  readonly subtitlesKey: string;
  readonly srtKey?: string;
  readonly gifKey?: string | null;
  readonly lipSyncKey?: string;
  readonly report?: RenderReport;
  readonly durationSeconds: number;
  /** Listed words that were found, for the reviewer. */
  readonly words: readonly string[];
}

interface RendersTable {
  id: string;
  workspaceId: string;
  videoId: string;
  state: Generated<RenderState>;
  document: FrozenVideo;
  /** Called once when the render ends with an event. */
  callbackUrls: Generated<string[]>;
  attempt: Generated<number>;
  plan: number | null;
  hasWork: Generated<boolean>;
  progress: Generated<number>;
  stage: Generated<string>;
  heartbeatAt: Date | null;
  result: RenderResult | null;
  error: string | null;
  createdAt: Date;
  finishedAt: Date | null;
}

/** Maximum addresses that are called at the end of one render. */
export const MAX_CALLBACKS = 10;

type Tables = { renders: RendersTable };

export type RenderRow = Selectable<RendersTable>;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Writes queued renders with their frozen documents. */
export async function insertRenders(
  tx: Tx,
  rows: readonly Pick<RenderRow, 'id' | 'workspaceId' | 'videoId' | 'document' | 'callbackUrls'>[],
  createdAt: Date,
): Promise<void> {
  const documents = await mapYielding(rows, ({ document }) => JSON.stringify(document));
  // Arrays of texts instead of one JSON value, which is limited to 256 MB, less than the documents of a large batch.
  await sql`
    insert into renders (id, workspace_id, video_id, document, callback_urls, created_at)
    select id, workspace_id, video_id, document::jsonb, callbacks::jsonb, ${createdAt}
    from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ workspaceId }) => workspaceId)}::text[],
      ${rows.map(({ videoId }) => videoId)}::text[], ${documents}::text[],
      ${rows.map(({ callbackUrls }) => JSON.stringify(callbackUrls))}::text[])
      as r (id, workspace_id, video_id, document, callbacks)`.execute(tx);
}

/** Adds an address to call when a render ends, once. False when it has {@link MAX_CALLBACKS} others. */
export async function addCallback(tx: Tx, id: string, url: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update renders set callback_urls = case when callback_urls @> to_jsonb(${url}::text) then callback_urls
      else callback_urls || to_jsonb(${url}::text) end
    where id = ${id}
      and (callback_urls @> to_jsonb(${url}::text) or jsonb_array_length(callback_urls) < ${MAX_CALLBACKS})`.execute(
    tx,
  );
  return numAffectedRows === 1n;
}

/** The video of a render. */
export async function videoOf(tx: Tx, id: string): Promise<string | undefined> {
  const found = await open(tx).selectFrom('renders').select('videoId').where('id', '=', id).executeTakeFirst();
  return found?.videoId;
}

/**
 * Claims a render that is queued, or whose worker died before it was spread. `undefined` when there is nothing to do.
 */
export async function claimRender(tx: Tx, id: string, now: Date): Promise<RenderRow | undefined> {
  return open(tx)
    .updateTable('renders')
    .set((eb) => ({
      state: 'rendering',
      attempt: eb('attempt', '+', 1),
      heartbeatAt: now,
      progress: 0,
      stage: 'starting',
      hasWork: true,
    }))
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'rendering'])
    .where('plan', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Heartbeat with progress; false when another worker has claimed the render. */
export async function heartbeat(
  db: Database,
  claim: { id: string; attempt: number },
  report: { progress: number; stage: string; now: Date },
): Promise<boolean> {
  const result = await open(db)
    .updateTable('renders')
    .set({ progress: report.progress, stage: report.stage, heartbeatAt: report.now })
    .where('id', '=', claim.id)
    .where('attempt', '=', claim.attempt)
    .where('state', '=', 'rendering')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Moves a render from one of the states `from` to `to`; with `attempt`, only its claimant can. `undefined` when it is
 * in another state.
 */
export async function moveRender(
  tx: Tx,
  which: { id: string; from: readonly RenderState[]; attempt?: number },
  to: { state: RenderState; now: Date; result?: RenderResult; error?: string },
): Promise<RenderRow | undefined> {
  const ended = to.state === 'done' || to.state === 'failed' || to.state === 'cancelled';
  const update = open(tx)
    .updateTable('renders')
    .set({
      state: to.state,
      ...(ended ? { finishedAt: to.now } : {}),
      ...(to.result === undefined ? {} : { result: sql<RenderResult>`${JSON.stringify(to.result)}::jsonb` }),
      ...(to.error === undefined ? {} : { error: to.error }),
    })
    .where('id', '=', which.id)
    .where('state', 'in', which.from);
  return (which.attempt === undefined ? update : update.where('attempt', '=', which.attempt))
    .returningAll()
    .executeTakeFirst();
}

/** The render of a video that waits for review. */
export async function findWaiting(db: Database, videoId: string): Promise<RenderRow | undefined> {
  return open(db)
    .selectFrom('renders')
    .selectAll()
    .where('videoId', '=', videoId)
    .where('state', '=', 'moderation')
    .executeTakeFirst();
}

/** Renders of a workspace that wait for review, oldest first, and the total number. */
export async function listWaiting(
  db: Database,
  workspaceId: string | undefined,
  page: PageQuery,
): Promise<Page<RenderRow>> {
  const waiting = open(db).selectFrom('renders').selectAll().where('state', '=', 'moderation');
  const ours = workspaceId === undefined ? waiting : waiting.where('workspaceId', '=', workspaceId);
  return readPage(ours.orderBy('createdAt').orderBy('id'), page);
}
