import type { Font } from '@figurehead/contract';
import type { Kysely, Selectable } from 'kysely';
import type { Database, Tx } from '../../../kernel/contract.js';
import { type Page, type PageQuery, readPage } from '../../../kernel/database/page.js';

interface FontsTable {
  id: string;
  workspaceId: string;
  name: string;
  family: string;
  style: string;
  weight: number;
  format: Font['format'];
  /** Bytes; PostgreSQL returns bigint as text. */
  size: string | number;
  fileKey: string;
  createdAt: Date;
  updatedAt: Date;
}

type Tables = { fonts: FontsTable };

/** A font as stored. */
export type FontRow = Selectable<FontsTable>;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Writes a new font. */
export async function insertFont(tx: Tx, row: FontRow): Promise<void> {
  await open(tx).insertInto('fonts').values(row).execute();
}

/** The font with this id, in any workspace. */
export async function findFont(db: Database, id: string): Promise<FontRow | undefined> {
  return open(db).selectFrom('fonts').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Renames a font; `undefined` when it no longer exists. */
export async function updateFont(
  db: Database,
  id: string,
  changes: { name?: string; updatedAt: Date },
): Promise<FontRow | undefined> {
  return open(db).updateTable('fonts').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
}

/** Removes a font's row. */
export async function deleteFont(db: Database, id: string): Promise<void> {
  await open(db).deleteFrom('fonts').where('id', '=', id).execute();
}

/** A page of fonts, newest first, and how many there are. */
export async function listFonts(db: Database, workspaceId: string, page: PageQuery): Promise<Page<FontRow>> {
  const fonts = open(db).selectFrom('fonts').selectAll().where('workspaceId', '=', workspaceId);
  return readPage(fonts.orderBy('id', 'desc'), page);
}

/** All fonts of a workspace, oldest first. */
export async function allFonts(db: Database, workspaceId: string): Promise<FontRow[]> {
  return open(db).selectFrom('fonts').selectAll().where('workspaceId', '=', workspaceId).orderBy('id').execute();
}
