import { type Kysely, sql } from 'kysely';
import type { Database, Tx } from '../../../kernel/contract.js';
import { ownedTable } from '../../../kernel/database/owned-table.js';
import { countRows } from '../../../kernel/database/page.js';

/** A resumable upload as stored. */
export interface UploadRow {
  id: string;
  workspaceId: string;
  /** Bytes; PostgreSQL returns bigint as text. */
  length: string | number;
  received: string | number;
  filename: string;
  name: string | null;
  folderId: string | null;
  parts: string[];
  mediaId: string | null;
  /** The lease of the process that creates the medium; kept once the upload has a medium. */
  leaseId: string | null;
  leaseUntil: Date | null;
  createdAt: Date;
  expiresAt: Date;
}

type Tables = { uploads: UploadRow };

/** Uploads of workspaces. */
export const uploads = ownedTable<UploadRow>('uploads', ['parts']);

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** A process's exclusive right to create the medium of an upload, until a time. */
export interface Lease {
  readonly uploadId: string;
  readonly id: string;
  readonly until: Date;
}

/** Appends a part if the upload is still at `offset`; false when another request was faster. */
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

/** Takes the lease of an upload without a medium; false while another process holds it. */
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

/** Sets the end of a lease that is still held; `null` releases it. */
export async function setLease(db: Database, { uploadId, id }: Lease, until: Date | null): Promise<void> {
  await open(db)
    .updateTable('uploads')
    .set({ leaseUntil: until })
    .where('id', '=', uploadId)
    .where('leaseId', '=', id)
    .execute();
}

/** Records the medium of an upload; false when another process holds the lease now. */
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

/** Some expired uploads. */
export async function expiredUploads(db: Database, now: Date): Promise<UploadRow[]> {
  return open(db).selectFrom('uploads').selectAll().where('expiresAt', '<', now).limit(20).execute();
}

/** Number of uploads of a workspace without a medium. */
export async function countOpenUploads(tx: Tx, workspaceId: string): Promise<number> {
  const own = open(tx).selectFrom('uploads').where('workspaceId', '=', workspaceId);
  return countRows(own.where('mediaId', 'is', null));
}
