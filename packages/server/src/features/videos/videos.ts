import type {
  QueryOf,
  Routes,
  Slide,
  SlideSpeechInput,
  VersionInput,
  Video,
  VideoData,
  VideoInput,
  VideoPatch,
  VideoSummary,
  VideoVersionSummary,
} from '@figurehead/contract';
import type { Kernel, KernelInTx, Tx } from '../../kernel/contract.js';
import { ApiError, invalidFields, requireFound, requireOwn } from '../../kernel/errors.js';
import type { Caller } from '../../kernel/http/contract.js';
import { matches, type Tagged } from '../../kernel/http/etag.js';
import { requireOwnFolder } from '../library/index.js';
import { recordCreations } from '../workspaces/index.js';
import { etagOf, presentSummary, presentVideo } from './document.js';
import * as store from './store.js';
import { keepBeforeChange, keepVersion, readVersion } from './versions.js';

/** A video as stored, with the progress of its render. */
export type StoredVideo = store.WholeVideoRow;

/** Fields whose change makes a finished file outdated, unlike moving, tagging and publishing. */
const CONTENT = ['name', 'slides', 'data', 'type'] as const;

/** The video with this id, including deleted ones. Throws `notFound` and `foreign`. */
export async function loadVideo(kernel: Kernel, caller: Caller, id: string): Promise<StoredVideo> {
  return requireOwn(await store.readVideo(kernel.read, id), caller.workspace.id, 'video');
}

/** As {@link loadVideo}, for changing or using it: a deleted one counts as not found. */
export async function loadLiveVideo(kernel: Kernel, caller: Caller, id: string): Promise<StoredVideo> {
  const video = await loadVideo(kernel, caller, id);
  if (video.deleted) throw new ApiError('notFound', { what: 'video' });
  return video;
}

/** Throws a 400 while the video is being imported: its slides are not there yet. */
export function requireImported({ status }: Pick<StoredVideo, 'status'>): void {
  if (status === 'importing') throw new ApiError('badRequest', { reason: 'the video is still being imported' });
}

/** Throws a 400 when two slides have the same id. */
export function requireUniqueSlides(slides: readonly Slide[] | undefined): void {
  const seen = new Set<number>();
  slides?.forEach((slide, index) => {
    if (seen.has(slide.id))
      throw invalidFields([{ field: `slides[${index}].id`, message: `must be unique, ${slide.id} is used twice` }]);
    seen.add(slide.id);
  });
}

/**
 * Inserts videos in the caller's transaction; all of them count as creations or none is created. Returns their rows.
 */
export async function insertVideos(
  kernel: KernelInTx,
  tx: Tx,
  options: {
    owner: { workspaceId: string; userId: string };
    videos: readonly (VideoInput & Partial<Pick<store.NewVideo, 'requestId' | 'batchRowId' | 'status'>>)[];
  },
): Promise<store.NewVideo[]> {
  const { owner, videos } = options;
  for (const id of new Set(videos.map(({ folderId }) => folderId))) await requireFolder(tx, owner.workspaceId, id);
  await recordCreations(kernel, tx, { workspaceId: owner.workspaceId, entity: 'videos', count: videos.length });
  const now = new Date(kernel.clock.now());
  const rows = videos.map(
    (input): store.NewVideo => ({
      id: kernel.ids.next(),
      workspaceId: owner.workspaceId,
      userId: owner.userId,
      name: input.name,
      type: input.type ?? 'video',
      status: input.status ?? 'draft',
      public: input.public ?? false,
      tags: input.tags ?? [],
      folderId: input.folderId ?? null,
      data: { ...input.data },
      slides: withoutAudio(input.slides ?? []),
      requestId: input.requestId ?? null,
      batchRowId: input.batchRowId ?? null,
      createdAt: now,
      updatedAt: now,
    }),
  );
  await store.insertVideos(tx, rows);
  return rows;
}

/** Creates a video; it counts as a creation. */
export async function createVideo(kernel: Kernel, caller: Caller, input: VideoInput): Promise<Video> {
  const owner = { workspaceId: caller.workspace.id, userId: caller.userId };
  return kernel.transaction(async (tx) => {
    const [row] = await insertVideos(kernel, tx, { owner, videos: [input] });
    return readInserted(kernel, tx, row?.id ?? '');
  });
}

/** Duplicates a video as a draft; this counts as a creation. */
export async function copyVideo(kernel: Kernel, caller: Caller, source: StoredVideo): Promise<Video> {
  requireImported(source);
  const { name, type, tags, folderId, slides } = source;
  const data = source.data as VideoData;
  return createVideo(kernel, caller, { name: `Copy of ${name}`.slice(0, 500), type, tags, folderId, data, slides });
}

/** A change of a video. */
interface VideoUpdate {
  readonly patch: VideoPatch;
  /** The header: versions that may be changed. */
  readonly ifMatch?: string | string[] | undefined;
  /** Keeps the present content as a version in any case, for this reason. */
  readonly keepAs?: 'restore';
}

/**
 * Changes a video. A finished one whose content changes returns to draft. Throws `changedSince` unless the header `ifMatch` allows
 * the change of the stored version.
 */
export async function updateVideo(
  kernel: Kernel,
  video: StoredVideo,
  { patch, ifMatch, keepAs }: VideoUpdate,
): Promise<Tagged<Video>> {
  return kernel.transaction(async (tx) => {
    await requireFolder(tx, video.workspaceId, patch.folderId);
    const before = await store.lockVideo(tx, video.id);
    if (before === undefined || before.deleted) throw new ApiError('notFound', { what: 'video' });
    requireImported(before);
    const etag = etagOf(before);
    if (!matches(ifMatch, etag)) throw new ApiError('changedSince', { etag });
    const changes = changesOf(patch, before);
    const outdated = CONTENT.some((field) => changes[field] !== undefined && !isSame(changes[field], before[field]));
    if (keepAs !== undefined) await keepVersion(kernel, tx, before, { reason: keepAs });
    else if (outdated) await keepBeforeChange(kernel, tx, before);
    const finished = before.status === 'ready' || before.status === 'error';
    await store.updateVideo(tx, video.id, {
      ...changes,
      ...(outdated && finished ? { status: 'draft', error: null } : {}),
      updatedAt: new Date(kernel.clock.now()),
    });
    return readInserted(kernel, tx, video.id);
  });
}

/** Keeps the present content of a video as a version. */
export async function keepVideo(kernel: Kernel, videoId: string, input: VersionInput): Promise<VideoVersionSummary> {
  return kernel.transaction(async (tx) => {
    const video = requireFound(await store.lockVideo(tx, videoId), 'video');
    return keepVersion(kernel, tx, video, { reason: 'request', ...input });
  });
}

/** Gives a video the content of a version; the present content is kept. Throws `notFound`. */
export async function restoreVideo(kernel: Kernel, video: StoredVideo, versionId: string): Promise<Tagged<Video>> {
  const { name, data, slides } = await readVersion(kernel.db, video.id, versionId);
  return updateVideo(kernel, video, { patch: { name, data, slides }, keepAs: 'restore' });
}

export async function readOwnerOf(kernel: Kernel, videoId: string): Promise<string> {
  return (await store.readVideo(kernel.read, videoId))?.userId ?? '';
}

/** Prefix of the keys of a video's objects. */
export function objectPrefix(video: { workspaceId: string; id: string }): string {
  return `${video.workspaceId}/videos/${video.id}/`;
}

/** What a call of speech gives a slide. */
interface SlideSpeech {
  /** The slide that was spoken, with `change`. */
  readonly spoken: Slide;
  /** The fields that the call sets. */
  readonly change: SlideSpeechInput;
  readonly audio: NonNullable<Slide['audio']>;
}

/**
 * Stores the speech of a slide. What was changed while it was spoken stays changed, and if the slide sounds differently since then, the speech is not
 * stored. A finished video whose speech changes becomes a draft again.
 * @returns the video's entity tag.
 */
export async function storeSpeech(
  kernel: Kernel,
  videoId: string,
  { spoken, change, audio }: SlideSpeech,
): Promise<string> {
  return kernel.transaction(async (tx) => {
    const before = await store.lockVideo(tx, videoId);
    if (before === undefined || before.deleted) throw new ApiError('notFound', { what: 'video' });
    const old = before.slides.find((candidate) => candidate.id === spoken.id);
    if (old === undefined) throw new ApiError('notFound', { what: 'slide' });
    const wanted = { ...old, ...change };
    const slide = isSame(spokenOf(wanted), spokenOf(spoken)) ? { ...wanted, audio } : keepAudio(wanted, before.slides);
    const outdated =
      !isSame(spokenOf(old), spokenOf(slide)) && (before.status === 'ready' || before.status === 'error');
    const video = await store.updateVideo(tx, videoId, {
      // Stored speech belongs to the server: a client that keeps a version need not know of it.
      ...(isSame(withoutAudio([old]), withoutAudio([slide])) ? { version: before.version } : {}),
      slides: before.slides.map((candidate) => (candidate === old ? slide : candidate)),
      ...(outdated ? { status: 'draft', error: null } : {}),
      updatedAt: new Date(kernel.clock.now()),
    });
    return etagOf(video);
  });
}

/** A page of the workspace's videos, newest first, without slides. */
export async function listVideos(kernel: Kernel, workspaceId: string, query: QueryOf<Routes['listVideos']>) {
  const statuses = splitList(query.status);
  const tags = splitList(query.tags);
  const filter: store.VideoFilter = {
    workspaceId,
    deleted: query.deleted ?? false,
    ...(statuses === undefined ? {} : { statuses }),
    ...(query.type === undefined ? {} : { type: query.type }),
    ...(tags === undefined ? {} : { tags }),
    ...(query.folderId === undefined ? {} : { folderId: query.folderId }),
    ...(query.search?.trim() ? { search: query.search.trim() } : {}),
    grouped: query.grouped ?? false,
  };
  const { page, limit, sort = 'created' } = query;
  const { rows, total } = await store.listVideos(kernel.db, filter, { page, limit, sort });
  const videos = rows.map((row) => presentSummary(row, kernel.objects));
  return { videos, page, limit, total };
}

/** The videos of a batch in the order of its rows, without slides; deleted ones are omitted. */
export async function listBatchVideos(kernel: Kernel, requestId: string): Promise<VideoSummary[]> {
  const rows = await store.listBatchVideos(kernel.db, requestId);
  return rows.map((row) => presentSummary(row, kernel.objects));
}

async function readInserted(kernel: KernelInTx, tx: Tx, id: string): Promise<Tagged<Video>> {
  const row = await store.findVideo(tx, id);
  if (row === undefined) throw new Error(`the video ${id} vanished inside its transaction`);
  return presentVideo(row, kernel.objects);
}

/** Throws a 400 unless the workspace has this folder of videos. */
function requireFolder(tx: Tx, workspaceId: string, id: string | null | undefined): Promise<void> {
  return requireOwnFolder(tx, { workspaceId, kind: 'videos', id, field: 'folderId' });
}

function changesOf(patch: VideoPatch, before: store.VideoRow): store.VideoChanges {
  const { slides, data, ...rest } = patch;
  return {
    ...rest,
    ...(data === undefined ? {} : { data: { ...data } }),
    // Clients cannot set stored speech: it is kept when they send a slide back, unless the spoken text has changed.
    ...(slides === undefined ? {} : { slides: slides.map((slide) => keepAudio(slide, before.slides)) }),
  };
}

function keepAudio(slide: Slide, before: readonly Slide[]): Slide {
  const { audio: _given, ...rest } = slide;
  const old = before.find((candidate) => candidate.id === slide.id);
  return old?.audio !== undefined && isSame(spokenOf(old), spokenOf(slide)) ? { ...rest, audio: old.audio } : rest;
}

/** What determines how a slide sounds; the signature of a link to a recording does not. */
function spokenOf({ speech, voice, voiceProvider, language, voiceType, recording }: Slide): unknown[] {
  return [speech, voice, voiceProvider, language, voiceType ?? 'text', recording?.src.split('?')[0]];
}

function withoutAudio(slides: readonly Slide[]): Slide[] {
  return slides.map(({ audio: _audio, ...rest }) => rest);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

function splitList(text: string | undefined): string[] | undefined {
  const items = text
    ?.split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return items === undefined || items.length === 0 ? undefined : items;
}
