import type { VideoStatus } from '@figurehead/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Kernel } from '../../kernel/contract.js';

/** Number of things with a status. */
export interface StatusCount {
  readonly status: string;
  readonly count: number;
}

/** Videos of the installation by status. */
export async function countVideos({ db }: Pick<Kernel, 'db'>): Promise<StatusCount[]> {
  const { rows } = await sql<StatusCount>`
    select status, count(*)::integer as count from videos where not deleted group by status`.execute(db);
  return rows;
}

/** Number of videos in a workspace, as SQL. @param workspaceId SQL of its id. */
export function videosIn(workspaceId: RawBuilder<unknown>): RawBuilder<number> {
  return sql`(select count(*)::integer from videos where workspace_id = ${workspaceId} and not deleted)`;
}

export type BatchCounts = ReadonlyMap<string, ReadonlyMap<VideoStatus, number>>;

/** Number of videos of batches by status; deleted ones are not counted. */
export async function countBatchVideos(
  { db }: Pick<Kernel, 'db'>,
  requestIds: readonly string[],
): Promise<BatchCounts> {
  const counts = new Map<string, Map<VideoStatus, number>>();
  const { rows } = await sql<{ requestId: string; status: VideoStatus; count: number }>`
    select request_id as "requestId", status, count(*)::integer as count from videos
    where request_id = any(${requestIds}) and not deleted group by request_id, status`.execute(db);
  for (const { requestId, status, count } of rows) {
    const own = counts.get(requestId) ?? new Map<VideoStatus, number>();
    counts.set(requestId, own.set(status, count));
  }
  return counts;
}

/** Id of the batch of a video, if none of its videos waits or is being rendered. */
export async function endedBatchOf({ db }: Pick<Kernel, 'db'>, videoId: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select v.request_id as id from videos v where v.id = ${videoId} and v.request_id is not null and not exists (
      select 1 from videos o where o.request_id = v.request_id and o.status in ('queued', 'rendering'))`.execute(db);
  return rows[0]?.id;
}
