import type { Kernel, KernelInTx, Tx } from '../../../kernel/contract.js';
import { charge } from '../../billing/index.js';
import { lockVideo, objectPrefix, presentSummary, type VideoRow, writeVideo } from '../../videos/index.js';
import { enqueueDelivery, type VideoOutcome } from '../../webhooks/index.js';
import * as store from './store.js';

/** A worker's claim of a render. */
export interface RenderClaim {
  readonly id: string;
  readonly videoId: string;
  readonly workspaceId: string;
  readonly attempt: number;
}

/** Prefix of an attempt's finished files. */
export function attemptPrefix({ workspaceId, videoId, id, attempt }: RenderClaim): string {
  return `${objectPrefix({ workspaceId, id: videoId })}${id}-${attempt}/`;
}

/**
 * Ends a successful render in one transaction: state, links, minutes and event. With `held`, the video waits for review
 * instead of being ready, without an event. False when another worker has claimed the render.
 */
export async function finishRender(
  kernel: Kernel,
  claim: RenderClaim,
  result: store.RenderResult,
  held: boolean,
): Promise<boolean> {
  return kernel.transaction(async (tx) => {
    // Videos are locked before renders everywhere, to avoid deadlocks.
    await lockVideo(tx, claim.videoId);
    const now = new Date(kernel.clock.now());
    const which = { id: claim.id, from: ['rendering'], attempt: claim.attempt } as const;
    const moved = await store.moveRender(tx, which, { state: held ? 'moderation' : 'done', now, result });
    if (moved === undefined) return false;
    await charge(kernel, tx, {
      workspaceId: claim.workspaceId,
      kind: 'video',
      subjectId: claim.id,
      resourceId: claim.videoId,
      seconds: result.durationSeconds,
    });
    if (held) await writeVideo(tx, claim.videoId, { status: 'moderation', updatedAt: now });
    else await publish(kernel, tx, moved, result);
    return true;
  });
}

/**
 * Ends a failed render: status, summary and event in one transaction. False when another worker has claimed the render.
 */
export async function failRender(kernel: Kernel, claim: RenderClaim, summary: string): Promise<boolean> {
  return kernel.transaction(async (tx) => {
    // Videos are locked before renders everywhere, to avoid deadlocks.
    await lockVideo(tx, claim.videoId);
    const now = new Date(kernel.clock.now());
    const which = { id: claim.id, from: ['rendering'], attempt: claim.attempt } as const;
    const moved = await store.moveRender(tx, which, { state: 'failed', now, error: summary });
    if (moved === undefined) return false;
    const video = await writeVideo(tx, claim.videoId, { status: 'error', error: summary, updatedAt: now });
    await deliver(kernel, tx, moved, video);
    return true;
  });
}

/**
 * A reviewer's decision on a held video. If approved, its status changes to ready, with the event `video_ready` (§6);
 * if rejected, it becomes an error without an event, because it is neither a validation nor a rendering error. False
 * when it no longer waits.
 */
export async function decideRender(
  kernel: Kernel,
  waiting: { renderId: string; videoId: string },
  decision: { approved: true } | { approved: false; reason: string },
): Promise<boolean> {
  return kernel.transaction(async (tx) => {
    await lockVideo(tx, waiting.videoId);
    const now = new Date(kernel.clock.now());
    const which = { id: waiting.renderId, from: ['moderation'] } as const;
    const to = decision.approved
      ? { state: 'done' as const, now }
      : { state: 'failed' as const, now, error: decision.reason };
    const render = await store.moveRender(tx, which, to);
    if (render === undefined || render.result === null) return false;
    if (decision.approved) await publish(kernel, tx, render, render.result);
    else await writeVideo(tx, render.videoId, { status: 'error', error: decision.reason, updatedAt: now });
    return true;
  });
}

async function publish(kernel: KernelInTx, tx: Tx, render: store.RenderRow, result: store.RenderResult): Promise<void> {
  const { videoKey, thumbnailKey, subtitlesKey, durationSeconds } = result;
  const { srtKey = null, gifKey = null, lipSyncKey = null, report = null } = result;
  const now = new Date(kernel.clock.now());
  const video = await writeVideo(tx, render.videoId, {
    status: 'ready',
    error: null,
    videoKey,
    thumbnailKey,
    subtitlesKey,
    srtKey,
    gifKey,
    lipSyncKey,
    renderReport: report,
    durationSeconds,
    renderedAt: now,
    updatedAt: now,
  });
  await deliver(kernel, tx, render, video);
}

async function deliver(kernel: KernelInTx, tx: Tx, render: store.RenderRow, video: VideoRow): Promise<void> {
  const outcome: VideoOutcome = {
    workspaceId: video.workspaceId,
    event: video.status === 'ready' ? 'video_ready' : 'video_error',
    video: presentSummary(video, kernel.objects),
    error: video.status === 'ready' ? null : (video.error ?? ''),
    ...(video.requestId === null ? {} : { requestId: video.requestId }),
    ...(video.batchRowId === null ? {} : { batchRowId: video.batchRowId }),
  };
  await enqueueDelivery(tx, outcome, render.callbackUrls);
}
