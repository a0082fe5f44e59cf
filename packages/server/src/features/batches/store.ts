import type { VideoStatus } from '@figurehead/contract';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';
import { type Page, type PageQuery, readPage } from '../../kernel/database/page.js';

interface BatchesTable {
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

/** Columns of the video table that decide whether a batch is done. */
type Tables = {
  batches: BatchesTable;
  videos: { id: string; requestId: string | null; status: VideoStatus; deleted: boolean };
};

/** A batch as stored. */
export type BatchRow = Selectable<BatchesTable>;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Inserts a batch. */
export async function insertBatch(tx: Tx, row: Omit<BatchRow, 'notifiedAt'>): Promise<void> {
  await open(tx)
    .insertInto('batches')
    .values({ ...row, notifiedAt: null })
    .execute();
}

/**
 * Claims the notice of a video's batch when it is due: requested, not sent, and no row in progress. Succeeds for one
 * caller only.
 */
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

/** One batch. */
export async function findBatch(db: Database, id: string): Promise<BatchRow | undefined> {
  return open(db).selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirst();
}

/** A page of a workspace's batches, newest first, and how many there are. */
export async function listBatches(db: Database, workspaceId: string, page: PageQuery): Promise<Page<BatchRow>> {
  const own = open(db).selectFrom('batches').selectAll().where('workspaceId', '=', workspaceId);
  return readPage(own.orderBy('createdAt', 'desc').orderBy('id'), page);
}

/** Numbers of videos by status, by batch. */
export type StatusCounts = ReadonlyMap<string, ReadonlyMap<VideoStatus, number>>;

/** Number of videos by batch and status; deleted ones are not counted. */
export async function countByStatus(db: Database, requestIds: readonly string[]): Promise<StatusCounts> {
  const counts = new Map<string, Map<VideoStatus, number>>();
  const rows = await open(db)
    .selectFrom('videos')
    .select(['requestId', 'status', (eb) => eb.fn.countAll<string>().as('count')])
    .where(sql<boolean>`request_id = any(${requestIds})`)
    .where('deleted', '=', false)
    .groupBy(['requestId', 'status'])
    .execute();
  for (const { requestId, status, count } of rows) {
    if (requestId === null) continue;
    const own = counts.get(requestId) ?? new Map<VideoStatus, number>();
    counts.set(requestId, own.set(status, Number(count)));
  }
  return counts;
}
