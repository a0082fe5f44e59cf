import type { Kernel, Tx } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/http-error.js';
import { lockVideo, objectPrefix, type VideoRow, writeVideo } from '../videos/index.js';
import type { DocumentProblem } from './contract.js';
import { freeze } from './freezing.js';
import * as store from './store.js';

/** Name of the queue of renders. */
export const RENDER_QUEUE = 'renders';

/** Attempts of the queue: the last one only ends what five dead workers have left. */
export const RENDER_ATTEMPTS = 6;

/** What a job of the queue carries. */
export interface RenderJob {
  readonly renderId: string;
}

/** Makes the queue if it is missing. Every process that requests or renders calls it at its start. */
export async function defineRenderQueue(kernel: Kernel): Promise<void> {
  // 10 s without a sign of life, then up to 6 s until the queue's next pass: a dead worker is replaced within 16 s.
  await kernel.queue.define(RENDER_QUEUE, { heartbeatSeconds: 10, attempts: RENDER_ATTEMPTS });
}

/** Requests rendering. A video that is already under way stays as it is: no second job. */
export async function requestRender(kernel: Kernel, videoId: string): Promise<void> {
  await kernel.db.transaction().execute(async (tx) => {
    const video = await lockVideo(tx, videoId);
    if (video === undefined || video.deleted) throw new ApiError('notFound', { what: 'video' });
    if (video.status === 'importing') throw new ApiError('badRequest', { reason: 'the video is still being imported' });
    if (isUnderWay(video)) return;
    await enqueueRender(kernel, tx, video, { priority: 0, fitTextBox: false });
  });
}

/** How a render is queued. */
export interface RenderOptions {
  /** 0 for a person who waits; below for batches. */
  readonly priority: number;
  /** Text shrinks until it fits its box. */
  readonly fitTextBox: boolean;
  /** Problems known already: rendering will end in error with them. */
  readonly problems?: readonly DocumentProblem[];
}

/** Queues a video in the caller's transaction: a frozen copy of its document, its status and a job, all or nothing. */
export async function enqueueRender(
  kernel: Kernel,
  tx: Tx,
  video: Pick<VideoRow, 'id' | 'workspaceId' | 'name' | 'data' | 'slides'>,
  { priority, fitTextBox, problems = [] }: RenderOptions,
): Promise<void> {
  const now = new Date(kernel.clock.now());
  const id = kernel.ids.next();
  const document = { ...freeze(video, fitTextBox), ...(problems.length === 0 ? {} : { problems }) };
  await store.insertRender(tx, { id, workspaceId: video.workspaceId, videoId: video.id, document, createdAt: now });
  await writeVideo(tx, video.id, { status: 'queued', renderId: id, error: null, updatedAt: now });
  await kernel.queue.enqueue<RenderJob>(tx, RENDER_QUEUE, { renderId: id }, { priority });
}

/** Stops rendering: the video is a draft again and no event is sent. False when nothing was under way. */
export async function cancelRender(kernel: Kernel, videoId: string): Promise<boolean> {
  return kernel.db.transaction().execute(async (tx) => {
    const video = await lockVideo(tx, videoId);
    return video !== undefined && !video.deleted && (await stop(kernel, tx, video));
  });
}

/** Deletes a video: what is under way stops, its files go, its document stays readable as deleted. Idempotent. */
export async function deleteVideo(kernel: Kernel, videoId: string): Promise<void> {
  const row = await kernel.db.transaction().execute(async (tx) => {
    const video = await lockVideo(tx, videoId);
    if (video === undefined) throw new ApiError('notFound', { what: 'video' });
    await stop(kernel, tx, video);
    return video.deleted ? video : writeVideo(tx, videoId, { deleted: true, updatedAt: new Date(kernel.clock.now()) });
  });
  await kernel.objects.deletePrefix(objectPrefix(row));
}

function isUnderWay(video: Pick<VideoRow, 'status'>): boolean {
  return video.status === 'queued' || video.status === 'rendering' || video.status === 'moderation';
}

/** A running worker finds its render cancelled at its next beat, within a second. */
async function stop(kernel: Kernel, tx: Tx, video: VideoRow): Promise<boolean> {
  if (!isUnderWay(video) || video.renderId === null) return false;
  const now = new Date(kernel.clock.now());
  const which = { id: video.renderId, from: ['queued', 'rendering', 'moderation'] } as const;
  const stopped = await store.moveRender(tx, which, { state: 'cancelled', now });
  if (stopped === undefined) return false;
  await writeVideo(tx, video.id, { status: 'draft', updatedAt: now });
  return true;
}
