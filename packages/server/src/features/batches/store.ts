import type { Kysely } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';
import { ownedTable } from '../../kernel/database/owned-table.js';
import { type Page, type PageQuery, readPage } from '../../kernel/database/page.js';

export interface BatchRow {
  id: string;
  workspaceId: string;
  templateId: string;
  userId: string;
  name: string;
  rows: number;
  emailNotification: boolean;
  notifiedAt: Date | null;
  createdAt: Date;
}

type Tables = { batches: BatchRow };

export const batches = ownedTable<BatchRow>('batches');

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Claims the notice of a batch whose videos have ended, if it was requested and not sent. Succeeds for one caller only. */
export async function claimNotice(db: Database, id: string, now: Date): Promise<BatchRow | undefined> {
  return open(db)
    .updateTable('batches')
    .set({ notifiedAt: now })
    .where('id', '=', id)
    .where('emailNotification', '=', true)
    .where('notifiedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** A page of a workspace's batches, newest first, and how many there are. */
export async function listBatches(db: Database, workspaceId: string, page: PageQuery): Promise<Page<BatchRow>> {
  const own = open(db).selectFrom('batches').selectAll().where('workspaceId', '=', workspaceId);
  return readPage(own.orderBy('createdAt', 'desc').orderBy('id'), page);
}
