import type { RenderReport, Slide, Video, VideoSummary } from '@figurehead/contract';
import type { Objects } from '../../kernel/contract.js';
import { ETAG, type Tagged } from '../../kernel/http/etag.js';
import type { VideoSummaryRow } from './store.js';

/** How long links to media are valid, seconds (a week): a webhook receiver may be unavailable for a weekend. */
export const MEDIA_LINK_SECONDS = 7 * 24 * 3600;

type Presentable = Omit<VideoSummaryRow, 'progress' | 'stage'> & { progress?: number | null; stage?: string | null };

interface UnreadyState {
  readonly status: Exclude<VideoSummary['status'], 'ready'>;
  readonly deleted: boolean;
}

/** A video without slides, for lists and webhooks (§2.1). It has links only while it is ready; otherwise its last film is `lastRender`. */
export function presentSummary(row: Presentable, objects: Objects): VideoSummary {
  const links = row.deleted ? {} : linksOf(row, objects);
  const { url, ...others } = row.status === 'ready' ? links : {};
  return {
    _id: row.id,
    name: row.name,
    type: row.type,
    ...stateOf(row, url),
    public: row.public,
    tags: row.tags,
    userId: row.userId,
    accountId: row.workspaceId,
    folderId: row.folderId,
    data: row.data,
    ...(row.durationSeconds === null ? {} : { duration: row.durationSeconds }),
    ...(row.status === 'error' ? { error: row.error ?? '' } : {}),
    ...(row.status === 'rendering' || row.status === 'importing'
      ? { progress: Math.round(1000 * (row.progress ?? 0)) / 1000, stage: row.stage ?? 'starting' }
      : {}),
    ...others,
    ...(row.status === 'ready' ? {} : lastRenderOf(row, links)),
    ...(row.requestId === null ? {} : { requestId: row.requestId }),
    ...(row.batchRowId === null ? {} : { batchRowId: row.batchRowId }),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

type Links = Pick<Partial<Video>, 'url' | 'thumbnail' | 'subtitlesUrl' | 'srtUrl' | 'gifUrl'>;

/** Links to the files of the last finished render. */
function linksOf(row: Presentable, objects: Objects): Links {
  const link = (key: string | null, extension: string) =>
    key === null
      ? undefined
      : objects.link(key, MEDIA_LINK_SECONDS, { downloadName: `${fileName(row.name)}.${extension}` });
  const url = link(row.videoKey, row.videoKey?.endsWith('.webm') ? 'webm' : 'mp4');
  const thumbnail = link(row.thumbnailKey, 'jpg');
  const subtitlesUrl = link(row.subtitlesKey, 'vtt');
  const srtUrl = link(row.srtKey, 'srt');
  const gifUrl = link(row.gifKey, 'gif');
  return {
    ...(url && { url }),
    ...(thumbnail && { thumbnail }),
    ...(subtitlesUrl && { subtitlesUrl }),
    ...(srtUrl && { srtUrl }),
    ...(gifUrl && { gifUrl }),
  };
}

function lastRenderOf(
  { durationSeconds: duration, renderedAt }: Presentable,
  { url, subtitlesUrl, srtUrl }: Links,
): Pick<Video, 'lastRender'> {
  if (url === undefined || duration === null || renderedAt === null) return {};
  const files = { url, ...(subtitlesUrl && { subtitlesUrl }), ...(srtUrl && { srtUrl }) };
  return { lastRender: { ...files, duration, renderedAt: renderedAt.toISOString() } };
}

function stateOf(
  { id, status, deleted }: Presentable,
  url: string | undefined,
): { status: 'ready'; deleted: false; url: string } | { status: 'ready'; deleted: true } | UnreadyState {
  if (status !== 'ready') return { status, deleted };
  if (deleted) return { status, deleted };
  if (url === undefined) throw new Error(`the video ${id} is ready but has no file`);
  return { status, deleted, url };
}

/** Strong entity tag of what clients can set in a video: rendering, links and stored speech do not change it. */
export function etagOf({ version }: { readonly version: number }): string {
  return `"${version}"`;
}

/** A whole video under its entity tag. The link to a slide's stored speech is created on each read. */
export function presentVideo(
  row: Presentable & { slides: Slide[]; renderReport?: RenderReport | null },
  objects: Objects,
): Tagged<Video> {
  const slides = row.slides.map((slide) =>
    slide.audio === undefined
      ? slide
      : { ...slide, audio: { ...slide.audio, url: objects.link(slide.audio.url, MEDIA_LINK_SECONDS) } },
  );
  const report = row.status === 'ready' && !row.deleted ? (row.renderReport ?? undefined) : undefined;
  return {
    ...presentSummary(row, objects),
    slides,
    ...(report === undefined ? {} : { render: report }),
    [ETAG]: etagOf(row),
  };
}

/** A name that is valid on every file system. */
function fileName(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N} ._-]+/gu, '_').trim();
  return safe === '' ? 'video' : safe.slice(0, 100);
}
