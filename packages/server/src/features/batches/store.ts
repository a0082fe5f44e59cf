import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';

interface BatchesTable {
  id: string;
  workspaceId: string;
  templateId: string;
  userId: string;
  rows: number;
  emailNotification: boolean;
  notifiedAt: Date | null;
  createdAt: Date;
}

/** The part of the videos' table that says whether a batch is done. */
type Tables = { batches: BatchesTable; videos: { id: string; requestId: string | null; status: string } };

/** A batch as stored. */
export type BatchRow = Selectable<BatchesTable>;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Writes a new batch. */
export async function insertBatch(tx: Tx, row: Omit<BatchRow, 'notifiedAt'>): Promise<void> {
  await open(tx)
    .insertInto('batches')
    .values({ ...row, notifiedAt: null })
    .execute();
}

/** The batch of a video if its notice is due: wanted, not sent, and no row under way. True for one caller only. */
export async function claimNotice(db: Database, videoId: string, now: Date): Promise<BatchRow | undefined> {
  return open(db)
    .updateTable('batches')
    .set({ notifiedAt: now })
    .where('id', '=', (eb) =>
      eb.selectFrom('videos').select(sql<string>`request_id`.as('id')).where('videos.id', '=', videoId),
    )
    .where('emailNotification', '=', true)
    .where('notifiedAt', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('videos')
            .select('videos.id')
            .whereRef('videos.requestId', '=', 'batches.id')
            .where('videos.status', 'in', ['queued', 'rendering']),
        ),
      ),
    )
    .returningAll()
    .executeTakeFirst();
}

/** How many videos of a batch stand where. */
export async function countByStatus(db: Database, requestId: string): Promise<Map<string, number>> {
  const rows = await open(db)
    .selectFrom('videos')
    .select(['status', (eb) => eb.fn.countAll<string>().as('count')])
    .where('requestId', '=', requestId)
    .groupBy('status')
    .execute();
  return new Map(rows.map(({ status, count }) => [status, Number(count)]));
}
