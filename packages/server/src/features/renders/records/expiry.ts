import { sql } from 'kysely';
import type { Kernel } from '../../../kernel/contract.js';
import { FILMED_VIDEOS, isRenderOf, lockVideo, writeVideo } from '../../videos/index.js';

/**
 * Removes the files of some videos that were finished before `before`, also of those that were changed since. Finished ones become
 * drafts, as after a change, and can be rendered again. No event is sent, because nothing was rendered.
 * @returns their number; call again until it is 0.
 */
export async function expireRenders(kernel: Kernel, before: Date): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from ${FILMED_VIDEOS} v where rendered_at < ${before} order by rendered_at limit 50`.execute(kernel.db);
  let expired = 0;
  for (const { id } of rows) {
    const key = await kernel.transaction(async (tx) => {
      const video = await lockVideo(tx, id);
      // Deleted or re-rendered since the list was read.
      if (video === undefined || video.deleted || video.videoKey === null) return undefined;
      if (video.renderedAt === null || video.renderedAt >= before) return undefined;
      await writeVideo(tx, id, {
        ...(video.status === 'ready' ? { status: 'draft' } : {}),
        ...{ videoKey: null, thumbnailKey: null, subtitlesKey: null, durationSeconds: null, renderedAt: null },
        ...{ srtKey: null, gifKey: null, lipSyncKey: null, renderReport: null },
        updatedAt: new Date(kernel.clock.now()),
      });
      return video.videoKey;
    });
    if (key === undefined) continue;
    await kernel.objects.deletePrefix(key.slice(0, key.lastIndexOf('/') + 1));
    expired += 1;
  }
  return expired;
}

/**
 * Deletes ended renders that no video refers to: their frozen documents are most of the table. @returns their number.
 */
export async function pruneRenders(kernel: Kernel, before: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from renders where id in (
      select r.id from renders r
      where r.finished_at < ${before} and r.state in ('done', 'failed', 'cancelled')
        and not ${isRenderOf(sql.ref('r.id'), sql.ref('r.video_id'))}
      limit 1000)`.execute(kernel.db);
  return Number(numAffectedRows ?? 0);
}
