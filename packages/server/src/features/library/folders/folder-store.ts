import { type Kysely, sql } from 'kysely';
import type { Database, Tx } from '../../../kernel/contract.js';
import { ownedTable } from '../../../kernel/database/owned-table.js';
import { countRows, type Page, type PageQuery, readPage } from '../../../kernel/database/page.js';

/** Content of a folder. */
export type FolderKind = 'videos' | 'media';

/** A folder as stored. */
export interface FolderRow {
  id: string;
  workspaceId: string;
  kind: FolderKind;
  name: string;
  parentId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

type Tables = { folders: FolderRow };

/** Folders of workspaces. */
export const folders = ownedTable<FolderRow>('folders');

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** The folder of this kind and id, in any workspace. */
export async function findFolder(db: Database | Tx, kind: FolderKind, id: string): Promise<FolderRow | undefined> {
  return open(db).selectFrom('folders').selectAll().where('kind', '=', kind).where('id', '=', id).executeTakeFirst();
}

/** As {@link findFolder}, and prevents its deletion until the transaction ends. */
export async function holdFolder(tx: Tx, kind: FolderKind, id: string): Promise<FolderRow | undefined> {
  return open(tx)
    .selectFrom('folders')
    .selectAll()
    .where('kind', '=', kind)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
}

/** A page of folders, newest first, and how many there are. */
export async function listFolders(
  db: Database,
  which: { workspaceId: string; kind: FolderKind },
  page: PageQuery,
): Promise<Page<FolderRow>> {
  const { workspaceId, kind } = which;
  const folders = open(db)
    .selectFrom('folders')
    .selectAll()
    .where('workspaceId', '=', workspaceId)
    .where('kind', '=', kind);
  return readPage(folders.orderBy('id', 'desc'), page);
}

/** Number of folders of this kind in the workspace. */
export async function countFolders(
  db: Database | Tx,
  which: { workspaceId: string; kind: FolderKind },
): Promise<number> {
  const own = open(db).selectFrom('folders').where('workspaceId', '=', which.workspaceId);
  return countRows(own.where('kind', '=', which.kind));
}

/**
 * Serialises the moves of one workspace's folders, because two concurrent ones could create a cycle. Taken before every
 * other lock.
 */
export async function lockTree(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('folders ' || ${workspaceId}, 0))`.execute(tx);
}

/** True when `id` is `ancestorId` or below it. */
export async function isWithin(tx: Tx, id: string, ancestorId: string): Promise<boolean> {
  const { rows } = await sql`
    with recursive above as (
      select id, parent_id from folders where id = ${id}
      union select f.id, f.parent_id from folders f join above a on f.id = a.parent_id
    ) select 1 from above where id = ${ancestorId}`.execute(tx);
  return rows.length > 0;
}
