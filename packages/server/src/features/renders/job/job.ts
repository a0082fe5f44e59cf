import { errors } from '@figurehead/contract';
import { type RenderPlan, SpeechError, SpeechTurn } from '@figurehead/media';
import type { Job, Kernel } from '../../../kernel/contract.js';
import { type Watch, watchClaim } from '../../../kernel/jobs/watch.js';
import { remainingMs } from '../../billing/index.js';
import { lockVideo, writeVideo } from '../../videos/index.js';
import { findWorkspace } from '../../workspaces/index.js';
import { RenderProblem } from '../contract.js';
import type { RenderClaim } from '../records/outcomes.js';
import * as renders from '../records/store.js';
import { RENDER_QUEUE, type RenderJobData, renderedPart } from '../requests/index.js';
import { publishFiles } from './publish.js';
import { type RenderWork, runStep } from './run-step.js';
import { type JoinSpansJob, runJoin, runSpan, type SpanJob, spreadRender } from './spread.js';

/**
 * Time in which one job synthesises speech, ms. The speech of a long video is made in several jobs, so that other workspaces' videos run in
 * between.
 */
const SPEECH_TURN_MS = 3000;

/** Cost of such a job in its workspace's share, in slides. */
const SPEECH_TURN_COST = 5;

type AnyJob = RenderJobData | SpanJob | JoinSpansJob;

/** Takes renders, and the steps of spread ones, from the queue until the kernel closes. */
export async function workOnRenders(kernel: Kernel, work: RenderWork): Promise<void> {
  const concurrency = kernel.config.workerConcurrency;
  // With a full disk renders wait, for this worker or for one with space.
  const ready = () => kernel.disk.hasSpace();
  await kernel.queue.work<AnyJob>(RENDER_QUEUE, { concurrency, ready }, async (job) => {
    await work.warmUp?.stop();
    if (isStep(job, 'span')) return runSpan(kernel, work, job);
    if (isStep(job, 'join')) return runJoin(kernel, work, job);
    return runRender(kernel, work, job);
  });
}

function isStep<S extends 'span' | 'join'>(
  job: Job<AnyJob>,
  step: S,
): job is Job<Extract<AnyJob, { readonly step: S }>> {
  return 'step' in job.data && job.data.step === step;
}

/** Renders a video: claim → plan → render → publish. A long one is split into spans for all workers. */
async function runRender(kernel: Kernel, work: RenderWork, job: Job<AnyJob>): Promise<void> {
  const { renderId, spoken = 0 } = job.data as RenderJobData;
  const render = await claim(kernel, renderId);
  // Cancelled or deleted while it waited, or already spread or ended by a worker that died before reporting it.
  if (render === undefined) return;
  const { id, videoId, workspaceId, attempt } = render;
  const claimed = { id, videoId, workspaceId, attempt };
  const watch = watchClaim(kernel, {
    outer: job.signal,
    heartbeat: (latest) => renders.heartbeat(kernel.db, claimed, latest),
  });
  await runStep(kernel, work, {
    job,
    claim: claimed,
    watch,
    act: (folder) => renderClaimed(kernel, work, { render, spoken, claim: claimed, watch, folder }),
  });
}

async function claim(kernel: Kernel, renderId: string): Promise<renders.RenderRow | undefined> {
  return kernel.transaction(async (tx) => {
    const wanted = await renders.videoOf(tx, renderId);
    // Videos are locked before renders everywhere, to avoid deadlocks.
    if (wanted !== undefined) await lockVideo(tx, wanted);
    const claimed = await renders.claimRender(tx, renderId, new Date(kernel.clock.now()));
    if (claimed !== undefined) await writeVideo(tx, claimed.videoId, { status: 'rendering' });
    return claimed;
  });
}

interface ClaimedRender {
  readonly render: renders.RenderRow;
  readonly spoken: number;
  readonly claim: RenderClaim;
  readonly watch: Watch;
  readonly folder: string;
}

async function renderClaimed(
  kernel: Kernel,
  work: RenderWork,
  { render, spoken, claim, watch, folder }: ClaimedRender,
): Promise<boolean> {
  const workspace = await findWorkspace(kernel.db, claim.workspaceId);
  if (workspace === undefined) throw new RenderProblem('The workspace of the video no longer exists.');
  const { pipeline } = work;
  const leftMs = await remainingMs(kernel, claim.workspaceId);
  if (leftMs <= 0) throw new RenderProblem(errors.outOfMinutes.message);
  if (render.document.problems !== undefined) throw new RenderProblem(render.document.problems);

  const video = renderedPart(render.document, workspace);
  const context = { folder, signal: watch.signal, onProgress: watch.report };
  const turn = new SpeechTurn({ ms: SPEECH_TURN_MS, spoken });
  const plan = await planned(() => pipeline.run('plan', video, context, turn));
  if (plan === undefined) {
    if (turn.spokenMs > leftMs) throw new RenderProblem(errors.outOfMinutes.message);
    await speakLater(kernel, claim, turn.spoken);
    return false;
  }
  if (plan.spans.length > 1) {
    const files = await pipeline.run('share', video, context, plan);
    await spreadRender(kernel, claim, { files, spans: plan.spans });
    return false;
  }
  const files = await pipeline.run('render', video, context, plan);
  watch.report({ progress: 1, stage: 'storing' });
  return publishFiles(kernel, work, { claim, files, workspace, video });
}

/** `undefined` when the turn of its speech is over. */
async function planned(plan: () => Promise<RenderPlan>): Promise<RenderPlan | undefined> {
  try {
    return await plan();
  } catch (error) {
    if (error instanceof SpeechError && error.code === 'interrupted') return undefined;
    throw error;
  }
}

/** Puts a render back into the queue, behind the waiting work of other workspaces. */
async function speakLater(kernel: Kernel, claim: RenderClaim, spoken: number): Promise<void> {
  await kernel.transaction(async (tx) => {
    const report = { progress: 0, stage: 'speech', now: new Date(kernel.clock.now()) };
    if (!(await renders.heartbeat(tx, claim, report))) return;
    const turn = { flow: `${claim.workspaceId}:long`, cost: SPEECH_TURN_COST };
    await kernel.queue.enqueue<RenderJobData>(tx, RENDER_QUEUE, { renderId: claim.id, spoken }, { turn });
  });
}
