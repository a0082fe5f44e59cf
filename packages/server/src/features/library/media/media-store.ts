import type { Media } from '@figurehead/contract';
import type { Kysely, Selectable, SelectQueryBuilder } from 'kysely';
import type { Database, Tx } from '../../../kernel/contract.js';

interface MediaTable {
  id: string;
  workspaceId: string;
  folderId: string | null;
  name: string;
  type: Media['type'];
  status: Media['status'];
  contentType: string;
  /** Bytes; PostgreSQL's bigint comes as text. */
  size: string | number;
  fileKey: string | null;
  originalKey: string | null;
  thumbnailKey: string | null;
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

/** Which media a list shows. */
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

/** The medium with this id, in whatever workspace. */
export async function findMedia(db: Database | Tx, id: string): Promise<MediaRow | undefined> {
  return open(db).selectFrom('media').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Changes a medium; `undefined` when it is gone. */
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
export async function listMedia(
  db: Database,
  filter: MediaFilter,
  page: { offset: number; limit: number },
): Promise<{ rows: MediaRow[]; total: number }> {
  const rows = await narrow(open(db).selectFrom('media'), filter)
    .selectAll()
    .orderBy('id', 'desc')
    .offset(page.offset)
    .limit(page.limit)
    .execute();
  const { count } = await narrow(open(db).selectFrom('media'), filter)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(count) };
}

type MediaQuery = SelectQueryBuilder<Tables, 'media', Record<never, never>>;

function narrow(query: MediaQuery, { workspaceId, type, folderId }: MediaFilter): MediaQuery {
  let narrowed = query.where('workspaceId', '=', workspaceId);
  if (type !== undefined) narrowed = narrowed.where('type', '=', type);
  if (folderId !== undefined) narrowed = narrowed.where('folderId', '=', folderId);
  return narrowed;
}
