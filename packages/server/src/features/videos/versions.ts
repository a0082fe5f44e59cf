import type { Slide, VideoVersion, VideoVersionSummary } from '@figurehead/contract';
import { sql } from 'kysely';
import type { Database, KernelInTx, Tx } from '../../kernel/contract.js';
import type { ExpiringRows } from '../../kernel/database/prune.js';
import { requireFound } from '../../kernel/errors.js';
import type { VideoRow } from './store.js';

/** Versions of a video; further ones replace the oldest, those without a name first. */
const MAX_VERSIONS = 50;

/** A version is kept after so much work, or before the first change after so much rest, ms. */
const WORK_MS = 10 * 60_000;

/** Days that a version is kept. */
export const VERSION_DAYS = 90;

/** Versions, for the retention. */
export const VERSIONS = { table: 'video_versions', column: 'kept_at' } as const satisfies ExpiringRows;

interface VersionRow {
  readonly id: string;
  readonly reason: VideoVersionSummary['reason'];
  readonly versionName: string | null;
  readonly slideCount: number;
  readonly createdAt: Date;
}

const SUMMARY = sql`id, reason, version_name as "versionName", jsonb_array_length(slides) as "slideCount", created_at as "createdAt"`;

/** Why a version is kept. */
interface Keeping extends Pick<VideoVersionSummary, 'reason' | 'versionName'> {
  /** When it was written; now when absent. */
  readonly at?: Date;
}

/** Keeps the present content of a locked video. A version that is kept already gets the new reason, and the name if there is one. */
export async function keepVersion(
  kernel: KernelInTx,
  tx: Tx,
  video: VideoRow,
  { reason, versionName, at }: Keeping,
): Promise<VideoVersionSummary> {
  const now = new Date(kernel.clock.now());
  const slides = video.slides.map(({ audio: _audio, ...slide }) => slide);
  const { rows } = await sql<VersionRow>`
    insert into video_versions as v (id, video_id, version, reason, version_name, name, data, slides, created_at, kept_at)
    values (${kernel.ids.next()}, ${video.id}, ${video.version}, ${reason}, ${versionName ?? null}, ${video.name},
      ${JSON.stringify(video.data)}::jsonb, ${JSON.stringify(slides)}::jsonb, ${at ?? now}, ${now})
    on conflict (video_id, version) do update
      set reason = excluded.reason, kept_at = excluded.kept_at, version_name = coalesce(excluded.version_name, v.version_name)
    returning ${SUMMARY}`.execute(tx);
  await sql`
    delete from video_versions where id in (
      select id from video_versions where video_id = ${video.id} and version <> ${video.version}
      order by version_name is null, version desc offset ${MAX_VERSIONS - 1})`.execute(tx);
  return present(requireFound(rows[0], 'version'));
}

/**
 * As {@link keepVersion}, if the change of the content that follows is the first one after a render was requested, or 10 minutes
 * have passed since the last version.
 */
export async function keepBeforeChange(kernel: KernelInTx, tx: Tx, video: VideoRow): Promise<void> {
  const { rows } = await sql<{ latest: Date | null; requested: Date | null }>`
    select max(kept_at) as latest, (select created_at from renders where id = ${video.renderId}) as requested
    from video_versions where video_id = ${video.id}`.execute(tx);
  const { latest = null, requested = null } = rows[0] ?? {};
  const at = video.updatedAt;
  const isRendered = video.status !== 'draft' && requested !== null && (latest === null || latest < requested);
  const isDue = kernel.clock.now() - (latest ?? video.createdAt).getTime() >= WORK_MS;
  if (isRendered || isDue) await keepVersion(kernel, tx, video, { reason: isRendered ? 'render' : 'editing', at });
}

/** The versions of a video, latest first. */
export async function listVersions(db: Database, videoId: string): Promise<VideoVersionSummary[]> {
  const { rows } = await sql<VersionRow>`
    select ${SUMMARY} from video_versions where video_id = ${videoId} order by version desc`.execute(db);
  return rows.map(present);
}

/** One version with its content. Throws `notFound`. */
export async function readVersion(db: Database | Tx, videoId: string, versionId: string): Promise<VideoVersion> {
  const { rows } = await sql<VersionRow & { name: string; data: Record<string, unknown>; slides: Slide[] }>`
    select ${SUMMARY}, name, data, slides from video_versions
    where video_id = ${videoId} and id = ${versionId}`.execute(db);
  const row = requireFound(rows[0], 'version');
  return { ...present(row), name: row.name, data: row.data, slides: row.slides };
}

/** Names a version. Throws `notFound`. */
export async function nameVersion(
  db: Database,
  which: { readonly videoId: string; readonly versionId: string },
  versionName: string,
): Promise<VideoVersionSummary> {
  const { rows } = await sql<VersionRow>`
    update video_versions set version_name = ${versionName} where video_id = ${which.videoId} and id = ${which.versionId}
    returning ${SUMMARY}`.execute(db);
  return present(requireFound(rows[0], 'version'));
}

function present({ id, reason, versionName, slideCount, createdAt }: VersionRow): VideoVersionSummary {
  const named = versionName === null ? {} : { versionName };
  return { _id: id, reason, ...named, slideCount, createdAt: createdAt.toISOString() };
}
