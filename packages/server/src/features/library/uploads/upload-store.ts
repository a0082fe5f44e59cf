import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../../kernel/contract.js';

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
  mediaId: string | null;
  /** Held by the process that makes the medium, until then or until it has the medium. */
  leaseId: string | null;
  leaseUntil: Date | null;
  createdAt: Date;
  expiresAt: Date;
}

type Tables = { uploads: UploadsTable };

/** A resumable upload as stored. */
export type UploadRow = Selectable<UploadsTable>;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Who makes a medium of an upload, and until when no other process may. */
export interface Lease {
  readonly uploadId: string;
  readonly id: string;
  readonly until: Date;
}

/** Writes a new upload, of which nothing has arrived. */
export async function insertUpload(
  db: Database,
  row: Omit<UploadRow, 'received' | 'parts' | 'mediaId' | 'leaseId' | 'leaseUntil'>,
): Promise<void> {
  const none = sql<string[]>`'[]'::jsonb`;
  await open(db)
    .insertInto('uploads')
    .values({ ...row, received: 0, parts: none, mediaId: null, leaseId: null, leaseUntil: null })
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

/** Takes the lease of an upload that has no medium; false while another process holds it. */
export async function takeLease(db: Database, lease: Lease, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await open(db)
    .updateTable('uploads')
    .set({ leaseId: lease.id, leaseUntil: lease.until })
    .where('id', '=', lease.uploadId)
    .where('mediaId', 'is', null)
    .where((eb) => eb.or([eb('leaseUntil', 'is', null), eb('leaseUntil', '<', now)]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Sets the end of a lease that is still held; `null` gives it back. */
export async function setLease(db: Database, { uploadId, id }: Lease, until: Date | null): Promise<void> {
  await open(db)
    .updateTable('uploads')
    .set({ leaseUntil: until })
    .where('id', '=', uploadId)
    .where('leaseId', '=', id)
    .execute();
}

/** Notes the medium that an upload became; false when the lease has gone to another process. */
export async function setMedia(tx: Tx, { uploadId, id }: Lease, mediaId: string): Promise<boolean> {
  const { numUpdatedRows } = await open(tx)
    .updateTable('uploads')
    .set({ mediaId, leaseId: null, leaseUntil: null })
    .where('id', '=', uploadId)
    .where('leaseId', '=', id)
    .where('mediaId', 'is', null)
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
