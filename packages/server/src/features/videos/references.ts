import { type RawBuilder, sql } from 'kysely';

/** SQL conditions about videos, for statements of features that keep files or rows for them. Parameters are SQL too. */

/** True when no video of a workspace, and no kept version of one, contains a text that matches a pattern of `like`. */
export function noVideoContains(workspaceId: RawBuilder<unknown>, pattern: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`not exists (
    select 1 from videos where workspace_id = ${workspaceId} and not deleted
      and (slides::text like ${pattern} or data::text like ${pattern}))
    and not exists (
    select 1 from video_versions k join videos v on v.id = k.video_id where v.workspace_id = ${workspaceId} and not v.deleted
      and (k.slides::text like ${pattern} or k.data::text like ${pattern}))`;
}

/** True when a video is deleted. */
export function isVideoDeleted(id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(select deleted from videos where id = ${id})`;
}

/** True when a render is the latest one of a video. */
export function isRenderOf(renderId: RawBuilder<unknown>, videoId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`exists (select 1 from videos where id = ${videoId} and render_id = ${renderId})`;
}

/** Videos that are not deleted and have files of a render, as a table of `id` and `rendered_at`. */
export const FILMED_VIDEOS = sql`(select id, rendered_at from videos where video_key is not null and not deleted)`;
