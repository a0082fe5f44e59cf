import type { RenderReport, Slide, VIDEO_ORDERS, VideoStatus } from '@figurehead/contract';
import {
  type Generated,
  type Insertable,
  type Kysely,
  type Selectable,
  type SelectQueryBuilder,
  sql,
  type Updateable,
} from 'kysely';
import type { Database, KeyedRead, Tx } from '../../kernel/contract.js';
import { type Page, type PageQuery, readPageBy } from '../../kernel/database/page.js';
import { contains } from '../../kernel/database/search.js';
import { mapYielding } from '../../kernel/workers/map-yielding.js';

interface VideosTable {
  id: string;
  workspaceId: string;
  userId: string;
  name: string;
  type: 'video' | 'template';
  status: Generated<VideoStatus>;
  public: Generated<boolean>;
  deleted: Generated<boolean>;
  tags: string[];
  folderId: string | null;
  data: Record<string, unknown>;
  slides: Slide[];
  error: string | null;
  renderId: string | null;
  durationSeconds: number | null;
  /** When the files were ready. */
  renderedAt: Date | null;
  videoKey: string | null;
  thumbnailKey: string | null;
  subtitlesKey: string | null;
  srtKey: string | null;
  gifKey: string | null;
  lipSyncKey: string | null;
  renderReport: RenderReport | null;
  /** Increases whenever what a client can set changes. */
  version: Generated<number>;
  requestId: string | null;
  batchRowId: number | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Columns of renders and imports with the progress of a video. */
type Tables = {
  videos: VideosTable;
  renders: { id: string; progress: number; stage: string };
  presentationImports: { videoId: string; progress: number; stage: string };
};

export type VideoRow = Selectable<VideosTable>;
/** A video without its slides, with the progress of its render. */
export type VideoSummaryRow = Omit<VideoRow, WholeOnly> & { progress: number | null; stage: string | null };
export type WholeVideoRow = VideoSummaryRow & Pick<VideoRow, WholeOnly>;

type WholeOnly = (typeof WHOLE_COLUMNS)[number];
/** A new video; arrays and objects as values, not as JSON text. */
export type NewVideo = Omit<Insertable<VideosTable>, 'status' | 'deleted'> & { status?: VideoStatus };
/** Columns of a video that can be updated. */
export type VideoChanges = Omit<Updateable<VideosTable>, 'id' | 'workspaceId' | 'createdAt'>;

/** What clients set. Writing any of it makes a new version, unless the change names its own. */
const DOCUMENT = ['name', 'type', 'public', 'tags', 'folderId', 'data', 'slides'] as const;

/** Filter of a list of videos. */
export interface VideoFilter {
  readonly workspaceId: string;
  readonly deleted: boolean;
  readonly statuses?: readonly string[];
  readonly type?: string;
  readonly tags?: readonly string[];
  readonly folderId?: string;
  /** Part of the name, ignoring case. */
  readonly search?: string;
  /** Only the first video of each batch. */
  readonly grouped?: boolean;
}

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

const SUMMARY_COLUMNS = [
  'id',
  'workspaceId',
  'userId',
  'name',
  'type',
  'status',
  'public',
  'deleted',
  'tags',
  'folderId',
  'data',
  'error',
  'renderId',
  'durationSeconds',
  'renderedAt',
  'videoKey',
  'thumbnailKey',
  'subtitlesKey',
  'srtKey',
  'gifKey',
  'version',
  'requestId',
  'batchRowId',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof VideoRow)[];
const WHOLE_COLUMNS = ['slides', 'lipSyncKey', 'renderReport'] as const satisfies readonly (keyof VideoRow)[];

/** Inserts videos; returns them in the given order. */
export async function insertVideos(tx: Tx, videos: readonly NewVideo[]): Promise<void> {
  const rows = await mapYielding(videos, (video) => ({ ...video, ...asJson(video) }));
  // PostgreSQL accepts 65 535 parameters per statement; a batch has up to 200 rows of about 20.
  await open(tx).insertInto('videos').values(rows).execute();
}

/** One video with its slides and the progress of its render. Also deleted ones. */
export async function findVideo(db: Database | Tx, id: string): Promise<WholeVideoRow | undefined> {
  return summaries(open(db).selectFrom('videos').where('videos.id', '=', id))
    .select(qualified(WHOLE_COLUMNS))
    .executeTakeFirst();
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Polled by every client that waits for a render. */
const READ_VIDEO = {
  name: 'read-video',
  text: `
    select v.id as key, ${[...SUMMARY_COLUMNS, ...WHOLE_COLUMNS].map((name) => `v.${snake(name)} as "${name}"`).join(', ')},
      coalesce(r.progress, i.progress) as progress, coalesce(r.stage, i.stage) as stage
    from videos v left join renders r on r.id = v.render_id
      left join presentation_imports i on v.status = 'importing' and i.video_id = v.id
    where v.id = any($1::text[])`,
};

/** As {@link findVideo}, outside of transactions. */
export async function readVideo(read: KeyedRead, id: string): Promise<WholeVideoRow | undefined> {
  return read<WholeVideoRow & { readonly key: string }>(READ_VIDEO, id);
}

/** One video, locked until the transaction ends. */
export async function lockVideo(tx: Tx, id: string): Promise<VideoRow | undefined> {
  return open(tx).selectFrom('videos').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Videos by id, locked in the order of their ids until the transaction ends. */
export async function lockVideos(tx: Tx, ids: readonly string[]): Promise<Map<string, VideoRow>> {
  const rows = await open(tx)
    .selectFrom('videos')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Updates a video and returns its new state. */
export async function updateVideo(tx: Database | Tx, id: string, changes: VideoChanges): Promise<VideoRow> {
  const isNewVersion = DOCUMENT.some((field) => changes[field] !== undefined);
  return open(tx)
    .updateTable('videos')
    .set((eb) => ({ ...(isNewVersion ? { version: eb('version', '+', 1) } : {}), ...changes, ...asJson(changes) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Queues videos, each with its new render. */
export async function queueVideos(
  tx: Tx,
  renders: readonly { id: string; videoId: string }[],
  updatedAt: Date,
): Promise<void> {
  await sql`
    update videos v set status = 'queued', error = null, render_id = r.id, updated_at = ${updatedAt}
    from unnest(${renders.map(({ videoId }) => videoId)}::text[], ${renders.map(({ id }) => id)}::text[]) as r (video_id, id)
    where v.id = r.video_id`.execute(tx);
}

/** A page of videos without slides, and how many there are. */
export async function listVideos(
  db: Database,
  filter: VideoFilter,
  { sort, ...page }: PageQuery & { readonly sort: (typeof VIDEO_ORDERS)[number] },
): Promise<Page<VideoSummaryRow>> {
  const videos = narrow(open(db).selectFrom('videos'), filter);
  // The ids of the page are read from an index alone; joining first, PostgreSQL may read the videos of all workspaces.
  return readPageBy(
    ordered(videos.select('videos.id'), sort),
    async (found) => {
      const ids = (await found.execute()).map(({ id }) => id);
      if (ids.length === 0) return [];
      const shown = open(db).selectFrom('videos').where('videos.id', 'in', ids);
      return ordered(summaries(shown), sort).execute();
    },
    page,
  );
}

/** Equal names and times are ordered by age, so that no video is on two pages. */
function ordered<O>(query: SelectQueryBuilder<Tables, 'videos', O>, sort: (typeof VIDEO_ORDERS)[number]) {
  const first =
    sort === 'name'
      ? query.orderBy(sql`lower(videos.name)`)
      : sort === 'changed'
        ? query.orderBy('videos.updatedAt', 'desc')
        : query;
  return first.orderBy('videos.id', 'desc');
}

/** The videos of a batch that are not deleted, without slides, in the order of its rows. */
export async function listBatchVideos(db: Database, requestId: string): Promise<VideoSummaryRow[]> {
  return summaries(
    open(db).selectFrom('videos').where('videos.requestId', '=', requestId).where('videos.deleted', '=', false),
  )
    .orderBy('videos.batchRowId')
    .execute();
}

const qualified = <Name extends keyof VideoRow>(columns: readonly Name[]) =>
  columns.map((column) => `videos.${column}` as const);

function summaries(query: VideosQuery) {
  return query
    .leftJoin('renders', 'renders.id', 'videos.renderId')
    .select(qualified(SUMMARY_COLUMNS))
    .leftJoin('presentationImports as imports', 'imports.videoId', 'videos.id')
    .select((eb) => [
      eb.fn.coalesce('renders.progress', 'imports.progress').as('progress'),
      eb.fn.coalesce('renders.stage', 'imports.stage').as('stage'),
    ]);
}

type VideosQuery = SelectQueryBuilder<Tables, 'videos', Record<never, never>>;

const IS_FIRST_OF_BATCH = sql<boolean>`(videos.request_id is null or not exists (
  select from videos earlier where earlier.request_id = videos.request_id and earlier.deleted = videos.deleted
    and earlier.batch_row_id < videos.batch_row_id))`;

function narrow(query: VideosQuery, filter: VideoFilter): VideosQuery {
  const { statuses, type, tags, folderId, search } = filter;
  let narrowed = query
    .where('videos.workspaceId', '=', filter.workspaceId)
    .where('videos.deleted', '=', filter.deleted);
  // With `any` over text an unknown status matches nothing instead of causing an error.
  if (statuses !== undefined) narrowed = narrowed.where(sql<boolean>`videos.status = any(${statuses})`);
  if (type !== undefined) narrowed = narrowed.where(sql<boolean>`videos.type = ${type}`);
  if (tags !== undefined) narrowed = narrowed.where(sql<boolean>`videos.tags && ${tags}::text[]`);
  if (folderId !== undefined) narrowed = narrowed.where('videos.folderId', '=', folderId);
  if (search !== undefined) narrowed = narrowed.where(contains('videos.name', search));
  if (filter.grouped) narrowed = narrowed.where(IS_FIRST_OF_BATCH);
  return narrowed;
}

/** `pg` would send an array as a PostgreSQL array; these columns are JSON. */
function asJson(values: { data?: unknown; slides?: unknown; renderReport?: unknown }): {
  data?: Record<string, unknown>;
  slides?: Slide[];
  renderReport?: RenderReport;
} {
  const json = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`;
  return {
    ...(values.data === undefined ? {} : { data: json(values.data) as unknown as Record<string, unknown> }),
    ...(values.slides === undefined ? {} : { slides: json(values.slides) as unknown as Slide[] }),
    ...(values.renderReport == null ? {} : { renderReport: json(values.renderReport) as unknown as RenderReport }),
  };
}
