import { type RawBuilder, sql } from 'kysely';
import type { Kernel } from '../../../kernel/contract.js';
import { deleteMedia } from './media.js';
import * as store from './media-store.js';

/** Uploads of one call. */
const AT_ONCE = 50;

/**
 * Removes some uploads that were not used since `before` and that no video of their workspace contains.
 * @param noVideoContains the condition of that name of `videos`, which itself asks for folders of this feature.
 * @returns their number; call again until it is 0.
 */
export async function expireMedia(
  kernel: Kernel,
  before: Date,
  noVideoContains: (workspaceId: RawBuilder<unknown>, pattern: RawBuilder<unknown>) => RawBuilder<boolean>,
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select m.id from media m
    where m.updated_at < ${before} and m.status <> 'processing'
      and ${noVideoContains(sql.ref('m.workspace_id'), sql`'%/' || m.id || '/%'`)}
    order by m.updated_at limit ${AT_ONCE}`.execute(kernel.db);
  for (const { id } of rows) {
    const row = await store.media.find(kernel.db, id);
    if (row !== undefined) await deleteMedia(kernel, row);
  }
  return rows.length;
}
