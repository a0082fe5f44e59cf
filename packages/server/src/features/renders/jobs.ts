import { errors } from '@figurehead/contract';
import type { Job, Kernel } from '../../kernel/contract.js';
import { type Watch, watchClaim } from '../../kernel/jobs/watch.js';
import { remainingMs } from '../billing/index.js';
import { lockVideo, writeVideo } from '../videos/index.js';
import { findWorkspace } from '../workspaces/index.js';
import { RenderProblem } from './contract.js';
import { renderedPart } from './freezing.js';
import type { Claim } from './outcomes.js';
import { RENDER_QUEUE, type RenderJob } from './requests.js';
import { type JoinSpansJob, runJoin, runSpan, type SpanJob, spreadRender } from './spread.js';
import { publishFiles, type RenderWork, runStep } from './step.js';
import * as store from './store.js';

type AnyJob = RenderJob | SpanJob | JoinSpansJob;

/** Takes renders, and the steps of spread ones, from the queue until the kernel closes. */
export async function workOnRenders(kernel: Kernel, work: RenderWork): Promise<void> {
  const concurrency = kernel.config.workerConcurrency;
  // With a full disk renders wait, for this worker or for one with room.
  const ready = () => kernel.disk.hasRoom();
  await kernel.queue.work<AnyJob>(RENDER_QUEUE, { concurrency, ready }, (job) => {
    if (isStep(job, 'span')) return runSpan(kernel, work, job);
    if (isStep(job, 'join')) return runJoin(kernel, work, job);
    return beginRender(kernel, work, job);
  });
}

function isStep<S extends 'span' | 'join'>(
  job: Job<AnyJob>,
  step: S,
): job is Job<Extract<AnyJob, { readonly step: S }>> {
  return 'step' in job.data && job.data.step === step;
}

/** Renders a video, or, when it is long, everything but its pictures, which become spans. */
async function beginRender(kernel: Kernel, work: RenderWork, job: Job<AnyJob>): Promise<void> {
  const render = await kernel.transaction(async (tx) => {
    const wanted = await store.videoOf(tx, job.data.renderId);
    // Videos before renders, everywhere: two orders of the same locks would be a deadlock.
    if (wanted !== undefined) await lockVideo(tx, wanted);
    const claimed = await store.claimRender(tx, job.data.renderId, new Date(kernel.clock.now()));
    if (claimed !== undefined) await writeVideo(tx, claimed.videoId, { status: 'rendering' });
    return claimed;
  });
  // Cancelled or deleted while it waited, spread or ended by a worker that died before it could say so.
  if (render === undefined) return;
  const { id, videoId, workspaceId, attempt } = render;
  const claim = { id, videoId, workspaceId, attempt };
  const watch = watchClaim(kernel, {
    outer: job.signal,
    beat: (latest) => store.beat(kernel.db, claim, latest),
  });
  await runStep(kernel, work, {
    job,
    claim,
    watch,
    act: (folder) => renderClaimed(kernel, work, { render, claim, watch, folder }),
  });
}

async function renderClaimed(
  kernel: Kernel,
  work: RenderWork,
  { render, claim, watch, folder }: { render: store.RenderRow; claim: Claim; watch: Watch; folder: string },
): Promise<boolean> {
  const workspace = await findWorkspace(kernel.db, claim.workspaceId);
  if (workspace === undefined) throw new RenderProblem('The workspace of the video does not exist any more.');
  if ((await remainingMs(kernel, claim.workspaceId)) <= 0) throw new RenderProblem(errors.outOfMinutes.message);
  if (render.document.problems !== undefined) throw new RenderProblem(render.document.problems);

  const video = renderedPart(render.document, workspace);
  const prepared = await work.pipeline.prepare(video, { folder, signal: watch.signal, onProgress: watch.report });
  if (prepared.spans.length > 1) {
    await spreadRender(kernel, claim, prepared);
    return false;
  }
  const files = await prepared.finish();
  watch.report({ progress: 1, stage: 'storing' });
  return publishFiles(kernel, { claim, files, review: work.review(workspace, video) });
}
