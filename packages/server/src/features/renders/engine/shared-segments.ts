import { buffer } from 'node:stream/consumers';
import { type EncodedSegment, formatSegment, parseSegment, type SegmentCache } from '@figurehead/media';
import { sql } from 'kysely';
import type { Kernel } from '../../../kernel/contract.js';

/** Maximum size for a workspace. */
const MAX_BYTES = 5_000_000_000;

/** Segments used this recently may be waiting to be joined. */
const IN_USE_MINUTES = 120;

/**
 * A workspace's cache of encoded segments for all workers: behind the worker's own `local` cache are the objects, and a
 * table of existing segments with the time of their last use. As with any cache, errors are misses.
 */
export function shareSegments(kernel: Kernel, local: SegmentCache, workspaceId: string): SegmentCache {
  const keyOf = (key: string) => `${workspaceId}/segments/${key}`;
  const missed = (error: unknown, key: string) =>
    kernel.log.warn({ err: error, segment: key }, 'the shared cache of segments cannot be used');

  async function upload(key: string, segment: EncodedSegment): Promise<void> {
    const bytes = formatSegment(segment);
    await kernel.objects.put(keyOf(key), bytes, 'application/octet-stream');
    await sql`
      insert into segments (workspace_id, key, bytes, used_at) values (${workspaceId}, ${key}, ${bytes.length}, now())
      on conflict (workspace_id, key) do update set used_at = excluded.used_at`.execute(kernel.db);
  }

  return {
    // Shot plans are recreated in the time of one drawing, and a minute of sound is encoded in half a second, so both
    // stay local.
    ...(local.plans === undefined ? {} : { plans: local.plans }),
    ...(local.sounds === undefined ? {} : { sounds: local.sounds }),
    ...(local.holds === undefined ? {} : { holds: local.holds }),
    async get(key) {
      const kept = await local.get(key);
      try {
        const { numAffectedRows } = await sql`
          update segments set used_at = now() where workspace_id = ${workspaceId} and key = ${key}`.execute(kernel.db);
        const isShared = numAffectedRows === 1n;
        if (kept !== undefined && !isShared) await upload(key, kept);
        if (kept !== undefined || !isShared) return kept;
        const object = await kernel.objects.get(keyOf(key));
        return object && parseSegment(await buffer(object.body));
      } catch (error) {
        missed(error, key);
        return kept;
      }
    },
    async put(key, segment) {
      await local.put(key, segment);
      await upload(key, segment).catch((error: unknown) => missed(error, key));
    },
  };
}

/**
 * Removes segments that were unused for `FIGUREHEAD_CACHE_DAYS`, and in workspaces over the limit the least recently
 * used ones.
 */
export async function trimSegments(kernel: Kernel): Promise<void> {
  const { cacheDays } = kernel.config;
  const { rows } = await sql<{ workspaceId: string; key: string }>`
    select workspace_id, key from (
      select workspace_id, key, used_at, sum(bytes) over (partition by workspace_id order by used_at desc, key) as kept
      from segments
    ) s
    where (${cacheDays} > 0 and used_at < now() - make_interval(days => ${cacheDays}))
      or (kept > ${MAX_BYTES} and used_at < now() - make_interval(mins => ${IN_USE_MINUTES}))
    limit 1000`.execute(kernel.db);
  for (const { workspaceId, key } of rows) {
    // The object first: a row without an object is a miss, but an object without a row would stay forever.
    await kernel.objects.delete(`${workspaceId}/segments/${key}`);
    await sql`delete from segments where workspace_id = ${workspaceId} and key = ${key}`.execute(kernel.db);
  }
}
