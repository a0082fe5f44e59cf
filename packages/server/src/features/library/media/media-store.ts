import type { Media } from '@figurehead/contract';
import type { Kysely, Selectable } from 'kysely';
import type { Database, Tx } from '../../../kernel/contract.js';
import { type Page, type PageQuery, readPage } from '../../../kernel/database/page.js';

interface MediaTable {
  id: string;
  workspaceId: string;
  folderId: string | null;
  name: string;
  type: Media['type'];
  status: Media['status'];
  contentType: string;
  /** Bytes; PostgreSQL returns bigint as text. */
  size: string | number;
  fileKey: string | null;
  originalKey: string | null;
  thumbnailKey: string | null;
  captionsKey: string | null;
  width: number | null;
  height: number | null;
  durationSeconds: number | null;
  error: string | null;
  createdAt: Date;
  updatedAt: Date;
}

type Tables = { media: MediaTable };

/** A medium as stored. */
export type MediaRow = Selectable<MediaTable>;

/** Filter of a list of media. */
export interface MediaFilter {
  readonly workspaceId: string;
  readonly type?: Media['type'];
  readonly folderId?: string;
}

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Writes a new medium. */
export async function insertMedia(tx: Tx, row: MediaRow): Promise<void> {
  await open(tx).insertInto('media').values(row).execute();
}

/** The medium with this id, in any workspace. */
export async function findMedia(db: Database | Tx, id: string): Promise<MediaRow | undefined> {
  return open(db).selectFrom('media').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Updates a medium; `undefined` when it no longer exists. */
export async function updateMedia(
  db: Database | Tx,
  id: string,
  changes: Partial<Omit<MediaRow, 'id' | 'workspaceId' | 'createdAt'>>,
): Promise<MediaRow | undefined> {
  return open(db).updateTable('media').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
}

/** Removes a medium's row. */
export async function deleteMedia(db: Database, id: string): Promise<void> {
  await open(db).deleteFrom('media').where('id', '=', id).execute();
}

/** A page of media, newest first, and how many there are. */
export async function listMedia(db: Database, filter: MediaFilter, page: PageQuery): Promise<Page<MediaRow>> {
  const { workspaceId, type, folderId } = filter;
  let media = open(db).selectFrom('media').selectAll().where('workspaceId', '=', workspaceId);
  if (type !== undefined) media = media.where('type', '=', type);
  if (folderId !== undefined) media = media.where('folderId', '=', folderId);
  return readPage(media.orderBy('id', 'desc'), page);
}
