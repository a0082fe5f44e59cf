import type { Chapter } from '@figurehead/contract';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';
import { type Page, type PageQuery, readPage } from '../../kernel/database/page.js';

interface OutlinesTable {
  id: string;
  workspaceId: string;
  title: string;
  prompt: string | null;
  source: string | null;
  language: string | null;
  chapters: Chapter[];
  writer: 'model' | 'extracted' | null;
  createdAt: Date;
  updatedAt: Date;
}

type Tables = { outlines: OutlinesTable };

/** An outline as stored. */
export type OutlineRow = Selectable<OutlinesTable>;

/** Columns of an outline that can be updated. */
export type OutlineChanges = Partial<Omit<OutlineRow, 'id' | 'workspaceId' | 'createdAt'>>;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** `pg` would send an array as a PostgreSQL array; the column is JSON. */
const asJson = (chapters: Chapter[]) => sql<Chapter[]>`${JSON.stringify(chapters)}::jsonb`;

/** Writes a new outline. */
export async function insertOutline(db: Database, row: OutlineRow): Promise<void> {
  await open(db)
    .insertInto('outlines')
    .values({ ...row, chapters: asJson(row.chapters) })
    .execute();
}

/** The outline with this id, in any workspace. */
export async function findOutline(db: Database | Tx, id: string): Promise<OutlineRow | undefined> {
  return open(db).selectFrom('outlines').selectAll().where('id', '=', id).executeTakeFirst();
}

/** As {@link findOutline}, locked until the transaction ends. */
export async function lockOutline(tx: Tx, id: string): Promise<OutlineRow | undefined> {
  return open(tx).selectFrom('outlines').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Updates an outline; `undefined` when it no longer exists. */
export async function updateOutline(
  db: Database | Tx,
  id: string,
  changes: OutlineChanges,
): Promise<OutlineRow | undefined> {
  const { chapters, ...rest } = changes;
  return open(db)
    .updateTable('outlines')
    .set({ ...rest, ...(chapters === undefined ? {} : { chapters: asJson(chapters) }) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Removes an outline. */
export async function deleteOutline(db: Database, id: string): Promise<void> {
  await open(db).deleteFrom('outlines').where('id', '=', id).execute();
}

/** A page of outlines, newest first, and how many there are. */
export async function listOutlines(db: Database, workspaceId: string, page: PageQuery): Promise<Page<OutlineRow>> {
  const outlines = open(db).selectFrom('outlines').selectAll().where('workspaceId', '=', workspaceId);
  return readPage(outlines.orderBy('id', 'desc'), page);
}
