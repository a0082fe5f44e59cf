import { createHash } from 'node:crypto';
import type { Avatar, PhotoAvatarInput, PortraitPoint } from '@figurehead/contract';
import type { Kysely } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';
import { ownedTable } from '../../kernel/database/owned-table.js';

export interface PhotoAvatarRow {
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
  /** The person agreed that pages get the pack. */
  drawnByViewers: boolean;
  createdAt: Date;
  updatedAt: Date;
}

type Tables = { photoAvatars: PhotoAvatarRow };

export const photoAvatars = ownedTable<PhotoAvatarRow>('photoAvatars', ['points']);

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

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

/** SHA-256, hexadecimal, of the consents to those of these presenters that were made of photographs or films. */
export async function consentHashes(db: Database, workspaceId: string, codes: readonly string[]): Promise<string[]> {
  const ids = [...new Set(codes)].filter(isPhotoId);
  if (ids.length === 0) return [];
  const rows = await open(db)
    .selectFrom('photoAvatars')
    .select(['id', 'consentStatement', 'consentGivenBy', 'consentGivenAt'])
    .where('workspaceId', '=', workspaceId)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();
  return rows.map((row) =>
    createHash('sha256')
      .update(JSON.stringify([row.id, row.consentStatement, row.consentGivenBy, row.consentGivenAt.toISOString()]))
      .digest('hex'),
  );
}

/** Whether an id or code has the form of a photo avatar's id; other presenters have names. */
export function isPhotoId(id: string): boolean {
  return /^[0-9a-f]{24}$/.test(id);
}

/** Which of these ids still exist. */
export async function existingPhotoAvatars(db: Database, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await open(db).selectFrom('photoAvatars').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}
