import { type Generated, type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Kernel, Tx } from '../../kernel/contract.js';
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

/** How an import ends. */
export type ImportEnd = 'done' | 'failed' | 'cancelled';

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
  state: Generated<'queued' | 'running' | ImportEnd>;
  request: ImportRequest;
  attempt: Generated<number>;
  progress: Generated<number>;
  stage: Generated<string>;
  createdAt: Date;
  finishedAt: Generated<Date | null>;
  removedAt: Generated<Date | null>;
}

type Tables = { presentationImports: ImportsTable };

/** An import as stored. */
export type ImportRow = Selectable<ImportsTable>;

/** A worker's claim of an import. */
type ImportClaim = Pick<ImportRow, 'id' | 'attempt'>;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Prefix of all objects of an import. Not below its video's prefix, because copies of the video use the same pages. */
export function importPrefix({ workspaceId, id }: Pick<ImportRow, 'workspaceId' | 'id'>): string {
  return `${workspaceId}/presentations/${id}/`;
}

/** Key of the uploaded file, which is removed after the import. */
export function sourceKey(row: Pick<ImportRow, 'workspaceId' | 'id' | 'request'>): string {
  return `${importPrefix(row)}source.${row.request.kind}`;
}

/** Writes a queued import. */
export async function insertImport(tx: Tx, row: Insertable<ImportsTable>): Promise<void> {
  await open(tx).insertInto('presentationImports').values(row).execute();
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

/** Whether an import is under way: neither ended nor its video deleted. */
export async function isUnderWay(db: Database, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from presentation_imports i
    where i.id = ${id} and i.state in ('queued', 'running') and not ${isVideoDeleted(sql.ref('i.video_id'))}`.execute(
    db,
  );
  return rows.length > 0;
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
export async function endImport(tx: Tx, claim: ImportClaim, end: { state: ImportEnd; now: Date }): Promise<boolean> {
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
 * Removes the pages of some ended imports that are no longer used: their own video is deleted (or failed), and no other
 * video of the workspace, such as a copy, refers to them. The deletion itself cannot do it, because finding copies needs
 * a search through all documents. @returns how many imports these were.
 */
export async function removeUnshownPages(kernel: Kernel): Promise<number> {
  const { rows } = await sql<Pick<ImportRow, 'id' | 'workspaceId'>>`
    select i.id, i.workspace_id from presentation_imports i
    where i.removed_at is null and i.state not in ('queued', 'running')
      and (i.state <> 'done' or ${isVideoDeleted(sql.ref('i.video_id'))})
      and ${noVideoContains(sql.ref('i.workspace_id'), sql`'%/presentations/' || i.id || '/%'`)}
    limit 100`.execute(kernel.db);
  const removedAt = new Date(kernel.clock.now());
  for (const row of rows) {
    await kernel.objects.deletePrefix(importPrefix(row));
    await open(kernel.db).updateTable('presentationImports').set({ removedAt }).where('id', '=', row.id).execute();
  }
  return rows.length;
}
