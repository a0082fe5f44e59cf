import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../../../kernel/contract.js';

interface UploadsTable {
  id: string;
  workspaceId: string;
  /** Bytes; PostgreSQL's bigint comes as text. */
  length: string | number;
  received: string | number;
  filename: string;
  name: string | null;
  folderId: string | null;
  parts: string[];
  /** Empty while the file is being taken into the library. */
  mediaId: string | null;
  createdAt: Date;
  expiresAt: Date;
}

type Tables = { uploads: UploadsTable };

/** A resumable upload as stored. */
export type UploadRow = Selectable<UploadsTable>;

const open = (db: Database): Kysely<Tables> => db.withTables<Tables>();

/** Writes a new upload, of which nothing has arrived. */
export async function insertUpload(
  db: Database,
  row: Omit<UploadRow, 'received' | 'parts' | 'mediaId'>,
): Promise<void> {
  const none = sql<string[]>`'[]'::jsonb`;
  await open(db)
    .insertInto('uploads')
    .values({ ...row, received: 0, parts: none, mediaId: null })
    .execute();
}

/** The upload with this id, in whatever workspace. */
export async function findUpload(db: Database, id: string): Promise<UploadRow | undefined> {
  return open(db).selectFrom('uploads').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Appends a part if the upload still stands at `offset`; false when another request was quicker. */
export async function appendPart(
  db: Database,
  id: string,
  part: { offset: number; size: number; key: string },
): Promise<boolean> {
  const { numUpdatedRows } = await open(db)
    .updateTable('uploads')
    .set({
      received: part.offset + part.size,
      parts: sql`parts || ${JSON.stringify([part.key])}::jsonb`,
    })
    .where('id', '=', id)
    .where('received', '=', part.offset)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Moves the upload from one stage of its end to the next; false when another request was quicker. */
export async function moveMedia(
  db: Database,
  id: string,
  { from, to }: { from: '' | null; to: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await open(db)
    .updateTable('uploads')
    .set({ mediaId: to })
    .where('id', '=', id)
    .where('mediaId', from === null ? 'is' : '=', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Removes an upload's row. */
export async function deleteUpload(db: Database, id: string): Promise<void> {
  await open(db).deleteFrom('uploads').where('id', '=', id).execute();
}

/** Some uploads whose time is over. */
export async function expiredUploads(db: Database, now: Date): Promise<UploadRow[]> {
  return open(db).selectFrom('uploads').selectAll().where('expiresAt', '<', now).limit(20).execute();
}

/** Uploads of a workspace that have not become media. */
export async function countOpenUploads(db: Database, workspaceId: string): Promise<number> {
  const { count } = await open(db)
    .selectFrom('uploads')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('workspaceId', '=', workspaceId)
    .where('mediaId', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}
