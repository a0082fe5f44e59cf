import type { Avatar, PhotoAvatarInput, PortraitPoint } from '@figurehead/contract';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';

interface PhotoAvatarsTable {
  id: string;
  workspaceId: string;
  name: string;
  gender: PhotoAvatarInput['gender'];
  status: Avatar['status'];
  error: string | null;
  points: PortraitPoint[] | null;
  /** Video of the library that it is made from; null for a portrait. */
  footageId: string | null;
  background: NonNullable<PhotoAvatarInput['background']> | null;
  version: string | null;
  consentStatement: string;
  consentGivenBy: string;
  consentGivenAt: Date;
  createdAt: Date;
  updatedAt: Date;
}

type Tables = { photoAvatars: PhotoAvatarsTable };

/** A photo avatar as stored. */
export type PhotoAvatarRow = Selectable<PhotoAvatarsTable>;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Writes a new photo avatar. */
export async function insertPhotoAvatar(tx: Tx, { points, ...row }: PhotoAvatarRow): Promise<void> {
  await open(tx)
    .insertInto('photoAvatars')
    .values({ ...row, points: points === null ? null : sql<PortraitPoint[]>`${JSON.stringify(points)}::jsonb` })
    .execute();
}

/** The photo avatar with this id, in whatever workspace. */
export async function findPhotoAvatar(db: Database | Tx, id: string): Promise<PhotoAvatarRow | undefined> {
  return open(db).selectFrom('photoAvatars').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Those of a workspace, newest first. */
export async function listPhotoAvatars(db: Database, workspaceId: string): Promise<PhotoAvatarRow[]> {
  return open(db)
    .selectFrom('photoAvatars')
    .selectAll()
    .where('workspaceId', '=', workspaceId)
    .orderBy('id', 'desc')
    .execute();
}

/** How many a workspace has. Locks the count until the transaction ends, so that two cannot both be the last. */
export async function countPhotoAvatars(tx: Tx, workspaceId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`photo avatars ${workspaceId}`}, 0))`.execute(tx);
  const { count } = await open(tx)
    .selectFrom('photoAvatars')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Ends the making of a photo avatar. `false` when it was deleted meanwhile, or has ended already. */
export async function endPhotoAvatar(
  db: Database,
  id: string,
  end: Pick<PhotoAvatarRow, 'status' | 'error' | 'version' | 'background' | 'updatedAt'>,
): Promise<boolean> {
  const { numUpdatedRows } = await open(db)
    .updateTable('photoAvatars')
    .set(end)
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Removes a photo avatar. */
export async function deletePhotoAvatar(db: Database, id: string): Promise<void> {
  await open(db).deleteFrom('photoAvatars').where('id', '=', id).execute();
}

/** Which of these ids still exist. */
export async function existingPhotoAvatars(db: Database, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await open(db).selectFrom('photoAvatars').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}
