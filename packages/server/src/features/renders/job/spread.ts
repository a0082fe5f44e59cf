import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SharedFiles, SlideSpan } from '@figurehead/media';
import type { Job, Kernel, KernelInTx, Tx } from '../../../kernel/contract.js';
import { watchClaim } from '../../../kernel/jobs/watch.js';
import { findWorkspace } from '../../workspaces/index.js';
import { workPrefix } from '../cleanup/ended-renders.js';
import { RenderProblem } from '../contract.js';
import type { RenderClaim } from '../records/outcomes.js';
import * as spans from '../records/spread-store.js';
import * as renders from '../records/store.js';
import { RENDER_QUEUE } from '../requests/index.js';
import { publishFiles } from './publish.js';
import { type RenderWork, runStep } from './run-step.js';

/*
 * A long video is rendered by all workers. While renders.state is `rendering`:
 *
 *   planning ──plan, sound and spans committed───▶ spans ──the last one ends──▶ joining ──files stored──▶ done
 *   (renders.plan is null)                          (plan = the attempt that     (attempt is raised again
 *                                                    laid them out)               by the joiner)
 *
 * Each step is a separate job of some seconds, so that a long video does not occupy a worker and other workspaces' videos
 * run in between. A span is open until its result is written:
 *
 *   open ──its segments are in the cache──▶ done            two workers may draw the same one: the same keys, the same bytes
 *
 * Failures and ends:
 *   a worker dies            the queue gives its step to another; planning starts again, because nothing was written
 *   cancelled, deleted       renders.state is no longer `rendering`: heartbeats of all steps find it so within a second, waiting jobs end at once
 *   a span cannot be drawn   the render fails, which the other spans find as above
 *   the cache loses segments the joiner draws that span itself
 *   any end                  plan, sound and spans are removed (cleanup/)
 */

/** Progress before the first and after the last span. */
const SHARE = { from: 0.08, of: 0.9 } as const;

const JOB = { span: 'span', join: 'join' } as const;

/** A queue job that renders one span of a plan. */
export interface SpanJob extends spans.SpanName {
  readonly step: typeof JOB.span;
}

/** A queue job that joins the spans of a plan. */
export interface JoinSpansJob {
  readonly step: typeof JOB.join;
  readonly renderId: string;
  readonly plan: number;
}

/**
 * Distributes a planned video to all workers: its shared files become objects, then its spans become jobs, all or none.
 */
export async function spreadRender(
  kernel: Kernel,
  claim: RenderClaim,
  { files, spans: planned }: { readonly files: SharedFiles; readonly spans: readonly SlideSpan[] },
): Promise<void> {
  const plan = { renderId: claim.id, plan: claim.attempt };
  const objects = sharedObjects(claim.workspaceId, plan);
  await kernel.objects.putFile(objects.plan, files.plan, 'application/json');
  await kernel.objects.putFile(objects.sound, files.sound, 'application/octet-stream');
  const isOurs = await kernel.transaction(async (tx) => {
    if (!(await spans.insertSpans(tx, plan, planned))) return false;
    const jobs = planned.map(({ from, to }, span) => ({
      data: { step: JOB.span, ...plan, span },
      turn: { flow: `${claim.workspaceId}:long`, cost: to - from },
    }));
    await kernel.queue.enqueueAll<SpanJob>(tx, RENDER_QUEUE, jobs);
    return true;
  });
  if (!isOurs) await kernel.objects.deletePrefix(objects.prefix);
}

export async function runSpan(kernel: Kernel, work: RenderWork, job: Job<SpanJob>): Promise<void> {
  const { data } = job;
  const open = await spans.findOpenSpan(kernel.db, data);
  // Cancelled, ended, or done by a worker that was declared dead.
  if (open === undefined) return;
  const { videoId, workspaceId, document, ...span } = open;
  const watch = watchClaim(kernel, {
    outer: job.signal,
    heartbeat: ({ progress, now }) => {
      const doneFrames = Math.round(progress * span.frames);
      return spans.heartbeatSpan(kernel.db, data, { doneFrames, now, share: SHARE });
    },
  });
  await runStep(kernel, work, {
    job,
    claim: { id: data.renderId, videoId, workspaceId, attempt: data.plan },
    part: data.span,
    watch,
    act: async (folder) => {
      const plan = join(folder, 'plan.json');
      await fetchObject(kernel, sharedObjects(workspaceId, data).plan, plan);
      const context = { folder, signal: watch.signal, onProgress: watch.report };
      const rendered = await work.pipeline.run('span', document, context, { plan, span });
      await kernel.transaction(async (tx) => {
        if ((await spans.finishSpan(tx, data, rendered)) === 'last') await enqueueJoin(kernel, tx, workspaceId, data);
      });
      return false;
    },
  });
}

/** Joins the spans into the finished video. */
export async function runJoin(kernel: Kernel, work: RenderWork, job: Job<JoinSpansJob>): Promise<void> {
  const { renderId, plan } = job.data;
  const now = new Date(kernel.clock.now());
  const claimed = await kernel.transaction((tx) => spans.claimJoin(tx, { renderId, plan }, now));
  if (claimed === undefined) return;
  const { videoId, workspaceId, attempt, document } = claimed;
  const claim = { id: renderId, videoId, workspaceId, attempt };
  const watch = watchClaim(kernel, {
    outer: job.signal,
    heartbeat: ({ now: at }) =>
      renders.heartbeat(kernel.db, claim, { progress: SHARE.from + SHARE.of, stage: 'joining', now: at }),
  });
  await runStep(kernel, work, {
    job,
    claim,
    watch,
    act: async (folder) => {
      const workspace = await findWorkspace(kernel.db, workspaceId);
      if (workspace === undefined) throw new RenderProblem('The workspace of the video no longer exists.');
      const parts = { plan: join(folder, 'plan.json'), sound: join(folder, 'sound') };
      const objects = sharedObjects(workspaceId, { renderId, plan });
      await fetchObject(kernel, objects.plan, parts.plan);
      await fetchObject(kernel, objects.sound, parts.sound);
      const done = await spans.listSpans(kernel.db, { renderId, plan });
      const context = { folder, signal: watch.signal, onProgress: watch.report };
      const files = await work.pipeline.run('join', document, context, { ...parts, spans: done });
      const slides = document.slides.slice(0, done.at(-1)?.to);
      return publishFiles(kernel, work, { claim, files, workspace, video: { ...document, slides } });
    },
  });
}

async function enqueueJoin(
  kernel: KernelInTx,
  tx: Tx,
  workspaceId: string,
  { renderId, plan }: { renderId: string; plan: number },
): Promise<void> {
  // Next in the queue, because everything else of this video is done.
  const turn = { flow: `${workspaceId}:join`, cost: 0 };
  await kernel.queue.enqueue<JoinSpansJob>(tx, RENDER_QUEUE, { step: JOB.join, renderId, plan }, { turn });
}

function sharedObjects(
  workspaceId: string,
  { renderId, plan }: { renderId: string; plan: number },
): { prefix: string; plan: string; sound: string } {
  const prefix = `${workPrefix({ workspaceId, id: renderId })}${plan}/`;
  // During an upgrade, workers of the previous version look for the plan under this name.
  return { prefix, plan: `${prefix}score.json`, sound: `${prefix}sound` };
}

async function fetchObject(kernel: Kernel, key: string, file: string): Promise<void> {
  const found = await kernel.objects.get(key);
  // Just cancelled: the next heartbeat ends this step.
  if (found === undefined) throw new Error(`The object ${key} of a render is missing.`);
  await pipeline(found.body, createWriteStream(file));
}
