import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errors, type ModerationMode } from '@figurehead/contract';
import type { Job, Kernel } from '../../kernel/contract.js';
import { remainingMs } from '../billing/index.js';
import { objectPrefix, writeVideo } from '../videos/index.js';
import { findWorkspace } from '../workspaces/index.js';
import {
  type FrozenVideo,
  type RenderedFiles,
  type RenderPipeline,
  RenderProblem,
  type RenderProgress,
} from './contract.js';
import { renderedPart } from './freezing.js';
import { type Claim, failRender, finishRender } from './outcomes.js';
import { RENDER_ATTEMPTS, RENDER_QUEUE, type RenderJob } from './requests.js';
import * as store from './store.js';

/** How often a worker says that it lives and asks whether it was cancelled. */
const BEAT_MS = 1000;

/** Attempt that an unknown failure ends; earlier ones are repeated. */
const LAST_TRY = 3;

/** What rendering takes from elsewhere. */
export interface RenderWork {
  readonly pipeline: RenderPipeline;
  /** Decides whether a finished video waits for a reviewer; `words` are what was found. */
  review(workspace: { moderation: ModerationMode }, video: FrozenVideo): { held: boolean; words: string[] };
  /** Hears of every video that ended; must not throw. */
  onEnded?(video: { videoId: string; workspaceId: string }): Promise<void>;
}

/** Takes renders from the queue until the kernel closes. */
export async function workOnRenders(kernel: Kernel, work: RenderWork): Promise<void> {
  const concurrency = kernel.config.workerConcurrency;
  await kernel.queue.work<RenderJob>(RENDER_QUEUE, { concurrency }, (job) => renderJob(kernel, work, job));
}

async function renderJob(kernel: Kernel, work: RenderWork, job: Job<RenderJob>): Promise<void> {
  const render = await kernel.db.transaction().execute(async (tx) => {
    const claimed = await store.claimRender(tx, job.data.renderId, new Date(kernel.clock.now()));
    if (claimed !== undefined) await writeVideo(tx, claimed.videoId, { status: 'rendering' });
    return claimed;
  });
  // Cancelled or deleted while it waited, or ended by a worker that died before it could say so.
  if (render === undefined) return;
  const claim: Claim = {
    id: render.id,
    videoId: render.videoId,
    workspaceId: render.workspaceId,
    attempt: render.attempt,
  };
  const log = kernel.log.child({ videoId: claim.videoId, renderId: claim.id, attempt: claim.attempt });
  if (job.attempt >= RENDER_ATTEMPTS) {
    await failRender(kernel, claim, `The render was interrupted ${RENDER_ATTEMPTS - 1} times and was given up.`);
    await work.onEnded?.(claim);
    return;
  }
  const watch = watchClaim(kernel, claim, job.signal);
  try {
    await renderClaimed(kernel, work, { render, claim, watch });
  } catch (error) {
    // A process that is told to stop leaves its render to the next; a lost claim is another's business.
    if (job.signal.aborted) throw error;
    if (watch.signal.aborted) return;
    const summary = summaryOf(error);
    // Whatever is our own fault may have been a moment's (the database went away): it gets another try before it counts.
    if (summary === undefined && job.attempt < LAST_TRY) throw error;
    if (error instanceof RenderProblem) log.info({ problems: error.problems }, error.message);
    else log.error({ err: error }, 'a render failed');
    await failRender(kernel, claim, summary ?? 'The video could not be rendered: an internal error.');
  } finally {
    await watch.stop();
  }
  await work.onEnded?.(claim);
}

/** What the video's owner is told; `undefined` when the fault is ours and unknown. */
function summaryOf(error: unknown): string | undefined {
  if (error instanceof RenderProblem) return error.message;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      return 'The video could not be rendered: the disk of the server is full. Render it again when there is space.';
    }
  }
  return undefined;
}

async function renderClaimed(
  kernel: Kernel,
  work: RenderWork,
  { render, claim, watch }: { render: store.RenderRow; claim: Claim; watch: Watch },
): Promise<void> {
  const workspace = await findWorkspace(kernel.db, claim.workspaceId);
  if (workspace === undefined) throw new RenderProblem('The workspace of the video does not exist any more.');
  if ((await remainingMs(kernel, claim.workspaceId)) <= 0) throw new RenderProblem(errors.outOfMinutes.message);

  if (render.document.problems !== undefined) throw new RenderProblem(render.document.problems);
  const video = renderedPart(render.document, workspace);
  const folder = await openRunFolder(kernel, claim);
  try {
    const files = await work.pipeline.render(video, { folder, signal: watch.signal, onProgress: watch.report });
    watch.report({ progress: 1, stage: 'storing' });
    await publishFiles(kernel, { claim, files, review: work.review(workspace, video) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An empty folder of this attempt; what earlier attempts on this machine have left is removed. */
async function openRunFolder(kernel: Kernel, claim: Claim): Promise<string> {
  const parent = join(kernel.config.dataDir, 'tmp');
  await mkdir(parent, { recursive: true });
  const left = (await readdir(parent)).filter((name) => name.startsWith(`render-${claim.id}-`));
  await Promise.all(left.map((name) => rm(join(parent, name), { recursive: true, force: true })));
  const folder = join(parent, `render-${claim.id}-${claim.attempt}`);
  await mkdir(folder);
  return folder;
}

/** Stores the files under keys of this attempt, so that a worker thought dead cannot write over them; then tells everyone. */
async function publishFiles(
  kernel: Kernel,
  { claim, files, review }: { claim: Claim; files: RenderedFiles; review: { held: boolean; words: string[] } },
): Promise<void> {
  const prefix = `${objectPrefix({ workspaceId: claim.workspaceId, id: claim.videoId })}${claim.id}-${claim.attempt}/`;
  await kernel.objects.putFile(`${prefix}video.mp4`, files.video, 'video/mp4');
  await kernel.objects.putFile(`${prefix}thumbnail.jpg`, files.thumbnailJpeg, 'image/jpeg');
  await kernel.objects.putFile(`${prefix}thumbnail.webp`, files.thumbnailWebp, 'image/webp');
  await kernel.objects.putFile(`${prefix}subtitles.vtt`, files.vtt, 'text/vtt; charset=utf-8');
  await kernel.objects.putFile(`${prefix}subtitles.srt`, files.srt, 'application/x-subrip; charset=utf-8');
  const result = {
    videoKey: `${prefix}video.mp4`,
    thumbnailKey: `${prefix}thumbnail.jpg`,
    subtitlesKey: `${prefix}subtitles.vtt`,
    durationSeconds: files.durationSeconds,
    words: review.words,
  };
  const finished = await finishRender(kernel, claim, result, review.held);
  if (!finished) await kernel.objects.deletePrefix(prefix);
}

/** Keeps a claim alive. `signal` is raised when the process is told to stop, or the render was cancelled or given away. */
interface Watch {
  readonly signal: AbortSignal;
  readonly report: (progress: RenderProgress) => void;
  stop(): Promise<void>;
}

function watchClaim(kernel: Kernel, claim: Claim, outer: AbortSignal): Watch {
  const lost = new AbortController();
  let latest = { progress: 0, stage: 'starting' };
  let beating = Promise.resolve();
  const beat = async () => {
    try {
      const isOurs = await store.beat(kernel.db, claim, { ...latest, now: new Date(kernel.clock.now()) });
      if (!isOurs) lost.abort(new Error('the render was cancelled or given to another worker'));
    } catch (error) {
      // The database is away for a moment; the claim is judged when it is back.
      kernel.log.warn({ err: error, renderId: claim.id }, 'the progress of a render could not be written');
    }
  };
  const timer = setInterval(() => {
    beating = beating.then(beat);
  }, BEAT_MS);
  return {
    signal: AbortSignal.any([outer, lost.signal]),
    report: ({ progress, stage }) => {
      latest = { progress: Math.min(1, Math.max(0, progress)), stage };
    },
    async stop() {
      clearInterval(timer);
      await beating;
    },
  };
}
