import type { Media } from '@figurehead/contract';
import type { Kysely } from 'kysely';
import type { Database, Tx } from '../../../kernel/contract.js';
import { ownedTable } from '../../../kernel/database/owned-table.js';
import { type Page, type PageQuery, readPage } from '../../../kernel/database/page.js';
import { contains } from '../../../kernel/database/search.js';

/** A medium as stored. */
export interface MediaRow {
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

type Tables = { media: MediaRow };

/** Filter of a list of media. */
export interface MediaFilter {
  readonly workspaceId: string;
  readonly type?: Media['type'];
  readonly folderId?: string;
  /** A part of the name. */
  readonly search?: string;
}

/** Media of workspaces. */
export const media = ownedTable<MediaRow>('media');

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** A page of media, newest first, and how many there are. */
export async function listMedia(db: Database, filter: MediaFilter, page: PageQuery): Promise<Page<MediaRow>> {
  const { workspaceId, type, folderId, search } = filter;
  let media = open(db).selectFrom('media').selectAll().where('workspaceId', '=', workspaceId);
  if (type !== undefined) media = media.where('type', '=', type);
  if (folderId !== undefined) media = media.where('folderId', '=', folderId);
  if (search !== undefined) media = media.where(contains('media.name', search));
  return readPage(media.orderBy('id', 'desc'), page);
}
