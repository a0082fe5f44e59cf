import { type Generated, type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';
import { isVideoDeleted, noVideoContains } from '../videos/index.js';
import type { PresentationKind } from './reading/inspection.js';

// presentation_imports.state, and the video's status
//
//   queued ──a worker claims──▶ running ──pages stored──▶ done         draft
//     │                          │ ▲ │ └──problem───────▶ failed       error
//     │                          │ └─┘ claimed again after its worker died (attempt + 1)
//     └──video deleted───────────┴─────────────────────▶ cancelled    deleted
// `attempt` is a fencing token: every claim increments it, and each later step of a worker must match the number of its
// claim.

/** State of an import. */
export type ImportState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** The request for an import. */
export interface ImportRequest {
  readonly kind: PresentationKind;
  /** Name of the uploaded file. */
  readonly filename: string;
  readonly strict: boolean;
  readonly editable: boolean;
  readonly avatar?: string;
  readonly voice?: string;
  readonly voiceProvider?: string;
  readonly language?: string;
  /** The voice speaks only pages in its own language. */
  readonly voicePerPage?: boolean;
  /** Called once when the import has ended. */
  readonly callbackUrl?: string;
}

interface ImportsTable {
  id: string;
  workspaceId: string;
  videoId: string;
  state: Generated<ImportState>;
  request: ImportRequest;
  attempt: Generated<number>;
  progress: Generated<number>;
  stage: Generated<string>;
  createdAt: Date;
  finishedAt: Date | null;
  removedAt: Date | null;
}

type Tables = { presentationImports: ImportsTable };

/** An import as stored. */
export type ImportRow = Selectable<ImportsTable>;

/** A worker's claim of an import. */
export interface ImportClaim {
  readonly id: string;
  readonly attempt: number;
}

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Writes a queued import. */
export async function insertImport(
  tx: Tx,
  row: { id: string; workspaceId: string; videoId: string; request: ImportRequest; createdAt: Date },
): Promise<void> {
  await sql`
    insert into presentation_imports (id, workspace_id, video_id, request, created_at)
    values (${row.id}, ${row.workspaceId}, ${row.videoId}, ${JSON.stringify(row.request)}::jsonb, ${row.createdAt})`.execute(
    tx,
  );
}

/** Claims an import that is queued, or whose worker died. `undefined` when it has ended. */
export async function claimImport(db: Database, id: string): Promise<ImportRow | undefined> {
  return open(db)
    .updateTable('presentationImports')
    .set((eb) => ({ state: 'running', attempt: eb('attempt', '+', 1) }))
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'running'])
    .returningAll()
    .executeTakeFirst();
}

/** State of an import, `cancelled` from the deletion of its video on; `undefined` when its video no longer exists. */
export async function readImportState(db: Database, id: string): Promise<ImportState | undefined> {
  const isDeleted = isVideoDeleted(sql.ref('presentation_imports.video_id'));
  const state = sql<ImportState>`case when ${isDeleted} then 'cancelled' else state end`.as('state');
  const row = await open(db).selectFrom('presentationImports').select(state).where('id', '=', id).executeTakeFirst();
  return row?.state;
}

/** Reports progress. False when another worker has claimed the import, or its video was deleted. */
export async function heartbeat(
  db: Database,
  claim: ImportClaim,
  now: { progress: number; stage: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update presentation_imports i set progress = ${now.progress}, stage = ${now.stage}
    where i.id = ${claim.id} and i.attempt = ${claim.attempt} and i.state = 'running'
      and not ${isVideoDeleted(sql.ref('i.video_id'))}`.execute(db);
  return numAffectedRows === 1n;
}

/** Ends an import. False when another worker has claimed it. */
export async function endImport(
  tx: Tx,
  claim: ImportClaim,
  end: { state: 'done' | 'failed' | 'cancelled'; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await open(tx)
    .updateTable('presentationImports')
    .set({ state: end.state, finishedAt: end.now, progress: 1 })
    .where('id', '=', claim.id)
    .where('attempt', '=', claim.attempt)
    .where('state', '=', 'running')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Some ended imports whose pages are no longer used: their own video is deleted (or failed), and no other video of the
 * workspace, such as a copy, refers to them.
 */
export async function listUnshown(db: Database): Promise<{ id: string; workspaceId: string }[]> {
  const { rows } = await sql<{ id: string; workspaceId: string }>`
    select i.id, i.workspace_id from presentation_imports i
    where i.removed_at is null and i.state not in ('queued', 'running')
      and (i.state <> 'done' or ${isVideoDeleted(sql.ref('i.video_id'))})
      and ${noVideoContains(sql.ref('i.workspace_id'), sql`'%/presentations/' || i.id || '/%'`)}
    limit 100`.execute(db);
  return rows;
}

/** Records that the pages were removed. */
export async function markRemoved(db: Database, id: string, now: Date): Promise<void> {
  await open(db).updateTable('presentationImports').set({ removedAt: now }).where('id', '=', id).execute();
}
