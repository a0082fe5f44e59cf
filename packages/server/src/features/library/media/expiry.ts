import { sql } from 'kysely';
import type { Kernel } from '../../../kernel/contract.js';
import { deleteMedia } from './media.js';
import * as store from './media-store.js';

/**
 * Removes some uploads that were not used since `before` and that no video of their workspace contains.
 * @returns their number; call again until it is 0.
 */
export async function expireMedia(kernel: Kernel, before: Date, limit = 50): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select m.id from media m
    where m.updated_at < ${before} and m.status <> 'processing' and not exists (
      select 1 from videos v where v.workspace_id = m.workspace_id and not v.deleted
        and (v.slides::text like '%/' || m.id || '/%' or v.data::text like '%/' || m.id || '/%'))
    order by m.updated_at limit ${limit}`.execute(kernel.db);
  for (const { id } of rows) {
    const row = await store.findMedia(kernel.db, id);
    if (row !== undefined) await deleteMedia(kernel, row);
  }
  return rows.length;
}
