import type { ModerationMode } from '@figurehead/contract';
import { SlideFailure } from '@figurehead/media';
import type { Job, Kernel } from '../../../kernel/contract.js';
import type { Watch } from '../../../kernel/jobs/watch.js';
import { removeWork } from '../cleanup/index.js';
import { type FrozenVideo, type RenderPipeline, RenderProblem } from '../contract.js';
import { type Claim, failRender } from '../records/index.js';
import { RENDER_ATTEMPTS } from '../requests/index.js';

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

/** A job at work on a render. */
export interface Step {
  readonly job: Pick<Job<object>, 'attempt' | 'signal'>;
  readonly claim: Claim;
  /** Distinguishes the folders of several steps of one render: a span's number. */
  readonly part?: number;
  readonly watch: Watch;
  /** Does the work in an empty folder, which is removed afterwards. True when the video has ended with it. */
  act(folder: string): Promise<boolean>;
}

/** Runs a step and decides what its failure means: another try, the end of the video, or nothing, because it is another's by now. */
export async function runStep(kernel: Kernel, work: RenderWork, step: Step): Promise<void> {
  const { job, claim, watch } = step;
  const log = kernel.log.child({ videoId: claim.videoId, renderId: claim.id, attempt: claim.attempt, part: step.part });
  let ended: boolean;
  try {
    if (job.attempt >= RENDER_ATTEMPTS) {
      ended = await failRender(
        kernel,
        claim,
        `The render was interrupted ${RENDER_ATTEMPTS - 1} times and was given up.`,
      );
    } else {
      ended = await kernel.temporary.within(`render-${claim.id}-${step.part ?? 'whole'}-`, (folder) =>
        step.act(folder),
      );
    }
  } catch (error) {
    // A process that is told to stop leaves its render to the next; a lost claim is another's business.
    if (job.signal.aborted) throw error;
    if (watch.signal.aborted) return;
    const summary = summaryOf(error);
    // Whatever is our own fault may have been a moment's (the database went away): it gets another try before it counts.
    if (summary === undefined && job.attempt < LAST_TRY) throw error;
    if (error instanceof RenderProblem) log.info({ problems: error.problems }, error.message);
    else log.error({ err: error }, 'a render failed');
    const unknown =
      error instanceof SlideFailure ? error.message : 'The video could not be rendered: an internal error.';
    ended = await failRender(kernel, claim, summary ?? unknown);
  } finally {
    await watch.stop();
  }
  if (!ended) return;
  await removeWork(kernel, claim);
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
