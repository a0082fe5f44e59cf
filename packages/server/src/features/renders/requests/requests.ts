import type { VideoStatus } from '@figurehead/contract';
import type { Kernel, KernelInTx, Tx } from '../../../kernel/contract.js';
import { isDatabaseAway } from '../../../kernel/database/away.js';
import { PoolBusyError } from '../../../kernel/database/pool.js';
import { type BeforeCommit, currentBeforeCommit } from '../../../kernel/database/transaction.js';
import { ApiError, invalidFields, requireFound } from '../../../kernel/errors.js';
import { QUEUES } from '../../../kernel/jobs/definitions.js';
import { type CarriedContext, carriedContext, inContext } from '../../../kernel/observability/call-context.js';
import { GroupedWork } from '../../../kernel/workers/grouped-work.js';
import { aiLabelOf } from '../../brands/index.js';
import { lockVideo, lockVideos, objectPrefix, queueVideos, type VideoRow, writeVideo } from '../../videos/index.js';
import { removeWork } from '../cleanup/ended-renders.js';
import type { DocumentProblem } from '../contract.js';
import * as store from '../records/store.js';
import { freeze } from './freezing.js';

/** Name of the queue of renders. */
export const RENDER_QUEUE = 'renders';

/** Attempts of the queue: the last one only cleans up after five dead workers. */
export const RENDER_ATTEMPTS = QUEUES.renders.attempts;

/** A video with more slides is spread, and its spans are queued separately. */
const MAX_SLIDES_PER_JOB = 10;

/** A batch row counts as this many single videos in its workspace's share. */
const BATCH_WEIGHT = 4;

/**
 * Maximum single videos of a workspace that are requested in one transaction, which holds their documents in memory.
 */
const MAX_TOGETHER = 40;

export interface RenderJobData {
  readonly renderId: string;
  /** Samples of speech that earlier turns of this render have left in the cache. */
  readonly spoken?: number;
}

/** A requested single video, and what its job and its transaction need of the request. */
interface PendingRequest {
  readonly videoId: string;
  readonly workspaceId: string;
  readonly callbackUrl: string | undefined;
  readonly carried: CarriedContext | undefined;
  /** Marks the request's idempotency key. */
  readonly beforeCommit: BeforeCommit;
}

/**
 * Creates the function that requests rendering of a video. A video that is already queued or rendering gets no second
 * job, but its render calls the `callbackUrl` too. Concurrent requests of one workspace are written together, because each alone would wait for the commits of all
 * before it.
 */
export function createRenderRequests(
  kernel: Kernel,
): (video: Pick<VideoRow, 'id' | 'workspaceId'>, callbackUrl?: string) => Promise<void> {
  const requests = new GroupedWork<PendingRequest, ApiError | undefined>(
    // One group is of one workspace: it takes turns for a connection with the others.
    (wanted) => inContext({ workspaceId: wanted[0]!.workspaceId }, () => requestRenders(kernel, wanted)),
    MAX_TOGETHER,
    (error) => isDatabaseAway(error) || error instanceof PoolBusyError,
  );
  return async ({ id: videoId, workspaceId }, callbackUrl) => {
    const request = {
      videoId,
      workspaceId,
      callbackUrl,
      carried: carriedContext(),
      beforeCommit: currentBeforeCommit(),
    };
    const refusal = await requests.run(workspaceId, request);
    if (refusal !== undefined) throw refusal;
  };
}

/** @returns why each is refused; `undefined` for those that are queued now. */
async function requestRenders(kernel: Kernel, wanted: readonly PendingRequest[]): Promise<(ApiError | undefined)[]> {
  return kernel.transaction(async (tx) => {
    const videos = await lockVideos(
      tx,
      wanted.map(({ videoId }) => videoId),
    );
    const accepted = new Map<string, RenderRequest>();
    const late: { renderId: string; index: number; url: string }[] = [];
    const refusals = wanted.map(({ videoId, carried, callbackUrl }, index) => {
      const video = videos.get(videoId);
      if (video === undefined || video.deleted) return new ApiError('notFound', { what: 'video' });
      if (video.status === 'importing') {
        return new ApiError('badRequest', { reason: 'the video is still being imported' });
      }
      const callbackUrls = [...(callbackUrl === undefined ? [] : [callbackUrl])];
      const earlier = accepted.get(videoId);
      if (!isUnderWay(video)) {
        const all = [...new Set([...(earlier?.callbackUrls ?? []), ...callbackUrls])];
        if (all.length > store.MAX_CALLBACKS) return tooManyCallbacks();
        accepted.set(videoId, { video, problems: [], carried: earlier?.carried ?? carried, callbackUrls: all });
      } else if (callbackUrl !== undefined && video.renderId !== null) {
        late.push({ renderId: video.renderId, index, url: callbackUrl });
      }
      return undefined;
    });
    for (const { renderId, index, url } of late) {
      if (!(await store.addCallback(tx, renderId, url))) refusals[index] = tooManyCallbacks();
    }
    await enqueueRenders(kernel, tx, [...accepted.values()], { inBatch: false, fitTextBox: false });
    for (const [index, { beforeCommit }] of wanted.entries()) {
      if (refusals[index] === undefined) await beforeCommit(tx, undefined);
    }
    return refusals;
  });
}

function tooManyCallbacks(): ApiError {
  const message = `must be one of at most ${store.MAX_CALLBACKS} addresses of one render`;
  return invalidFields([{ field: 'callbackUrl', message }]);
}

export interface RenderOptions {
  /** True when no user waits for this particular video. */
  readonly inBatch: boolean;
  /** Shrinks text until it fits its box. */
  readonly fitTextBox: boolean;
}

/** A video to render. */
export interface RenderRequest {
  readonly video: Pick<VideoRow, 'id' | 'workspaceId' | 'name' | 'data' | 'slides'>;
  /** Known problems: rendering will end with them as an error. */
  readonly problems: readonly DocumentProblem[];
  /** Addresses to call when it ends. */
  readonly callbackUrls?: readonly string[];
  /** Context of its job's request; the current one when absent. */
  readonly carried?: CarriedContext | undefined;
}

/**
 * Queues videos of one workspace in the caller's transaction: frozen documents, status and jobs, all or nothing, in the same number of
 * statements for one or a hundred.
 */
export async function enqueueRenders(
  kernel: KernelInTx,
  tx: Tx,
  requests: readonly RenderRequest[],
  { inBatch, fitTextBox }: RenderOptions,
): Promise<void> {
  if (requests.length === 0) return;
  const now = new Date(kernel.clock.now());
  const aiLabel = await aiLabelOf(tx, requests[0]!.video.workspaceId);
  const renders = requests.map(({ video, problems, callbackUrls = [] }) => ({
    id: kernel.ids.next(),
    workspaceId: video.workspaceId,
    videoId: video.id,
    document: { ...freeze(video, aiLabel, fitTextBox), ...(problems.length === 0 ? {} : { problems }) },
    callbackUrls: [...callbackUrls],
  }));
  await store.insertRenders(tx, renders, now);
  await queueVideos(tx, renders, now);
  const jobs = renders.map(({ id }, index) => ({
    data: { renderId: id } satisfies RenderJobData,
    turn: turnOf(requests[index]!.video, inBatch),
    carried: requests[index]!.carried,
  }));
  await kernel.queue.enqueueAll<RenderJobData>(tx, RENDER_QUEUE, jobs);
}

/**
 * Workspaces share the workers by slides. Within each, single videos and batches are separate flows, so that a user who
 * waits is not behind a batch; a batch has a higher weight, so that it yields when both have many jobs.
 */
function turnOf(
  { workspaceId, slides }: Pick<VideoRow, 'workspaceId' | 'slides'>,
  inBatch: boolean,
): { flow: string; cost: number } {
  const cost = Math.min(Math.max(1, slides.length), MAX_SLIDES_PER_JOB);
  return inBatch
    ? { flow: `${workspaceId}:batch`, cost: cost * BATCH_WEIGHT }
    : { flow: `${workspaceId}:single`, cost };
}

/** Cancels rendering: the video is a draft again and no event is sent. False when it was not queued or rendering. */
export async function cancelRender(kernel: Kernel, videoId: string): Promise<boolean> {
  const stopped = await kernel.transaction(async (tx) => {
    const video = await lockVideo(tx, videoId);
    return video === undefined || video.deleted ? undefined : stop(kernel, tx, video);
  });
  if (stopped !== undefined) await removeWork(kernel, stopped);
  return stopped !== undefined;
}

/**
 * Deletes a video: its render is stopped, its files are removed, its document stays readable as deleted. Idempotent.
 */
export async function deleteVideo(kernel: Kernel, videoId: string): Promise<void> {
  const { row, stopped } = await kernel.transaction(async (tx) => {
    const video = requireFound(await lockVideo(tx, videoId), 'video');
    const updatedAt = new Date(kernel.clock.now());
    // An import ends with its video.
    const status = video.status === 'importing' ? { status: 'draft' as const } : {};
    return {
      stopped: await stop(kernel, tx, video),
      row: video.deleted ? video : await writeVideo(tx, videoId, { ...status, deleted: true, updatedAt }),
    };
  });
  if (stopped !== undefined) await removeWork(kernel, stopped);
  await kernel.objects.deletePrefix(objectPrefix(row));
}

/** States that a render shares with its video until it ends. */
const UNDER_WAY = ['queued', 'rendering', 'moderation'] as const satisfies readonly VideoStatus[];

function isUnderWay({ status }: Pick<VideoRow, 'status'>): boolean {
  return UNDER_WAY.some((one) => one === status);
}

/**
 * Running workers detect the cancellation at their next heartbeat, within a second. `undefined` when nothing was
 * running.
 */
async function stop(kernel: KernelInTx, tx: Tx, video: VideoRow): Promise<store.RenderRow | undefined> {
  if (!isUnderWay(video) || video.renderId === null) return undefined;
  const now = new Date(kernel.clock.now());
  const which = { id: video.renderId, from: UNDER_WAY };
  const stopped = await store.moveRender(tx, which, { state: 'cancelled', now });
  if (stopped !== undefined) await writeVideo(tx, video.id, { status: 'draft', updatedAt: now });
  return stopped;
}
