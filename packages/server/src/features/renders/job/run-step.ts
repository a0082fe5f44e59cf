import type { ModerationMode } from '@figurehead/contract';
import { SlideFailure } from '@figurehead/media';
import type { Job, Kernel } from '../../../kernel/contract.js';
import { LAST_TRY } from '../../../kernel/jobs/definitions.js';
import type { Watch } from '../../../kernel/jobs/watch.js';
import { isOutOfSpace } from '../../../kernel/storage/files.js';
import { removeWork } from '../cleanup/ended-renders.js';
import { type FrozenVideo, type RenderPipeline, RenderProblem } from '../contract.js';
import type { Credentials } from '../credentials/credentials.js';
import type { WarmUp } from '../engine/index.js';
import { failRender, type RenderClaim } from '../records/outcomes.js';
import { RENDER_ATTEMPTS } from '../requests/index.js';

/** Services that rendering needs from other features. */
export interface RenderWork {
  /** Ends with the first job. */
  readonly warmUp?: WarmUp;
  readonly pipeline: RenderPipeline;
  /** Decides whether a finished video needs a reviewer; `words` are the listed words found. */
  review(workspace: { moderation: ModerationMode }, video: FrozenVideo): { held: boolean; words: string[] };
  /** Adds content credentials to a finished film. */
  readonly credentials?: Credentials;
  /** Called for every ended video; must not throw. */
  onEnded?(video: { videoId: string; workspaceId: string }): Promise<void>;
}

/** A job of a render. */
export interface Step {
  readonly job: Pick<Job<object>, 'attempt' | 'signal'>;
  readonly claim: RenderClaim;
  /** Distinguishes the folders of several steps of one render: a span's number. */
  readonly part?: number;
  readonly watch: Watch;
  /** Works in an empty folder, which is removed afterwards. Returns true when this step ended the video. */
  act(folder: string): Promise<boolean>;
}

/**
 * Runs a step and decides what its failure means: a retry, the end of the video, or nothing when the claim was lost.
 */
export async function runStep(kernel: Kernel, work: RenderWork, step: Step): Promise<void> {
  const { job, claim, watch } = step;
  const log = kernel.log.child({ videoId: claim.videoId, renderId: claim.id, attempt: claim.attempt, part: step.part });
  let ended: boolean;
  try {
    if (job.attempt >= RENDER_ATTEMPTS) {
      ended = await failRender(
        kernel,
        claim,
        `The render was interrupted ${RENDER_ATTEMPTS - 1} times and was abandoned.`,
      );
    } else {
      ended = await kernel.temporary.within(`render-${claim.id}-${step.part ?? 'whole'}-`, (folder) =>
        step.act(folder),
      );
    }
  } catch (error) {
    // A stopping process leaves its render to another one; after a lost claim there is nothing to do.
    if (job.signal.aborted) throw error;
    if (watch.signal.aborted) return;
    const summary = summaryOf(error);
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

/** Error message for the video's owner; `undefined` for an unknown internal error. */
function summaryOf(error: unknown): string | undefined {
  if (error instanceof RenderProblem) return error.message;
  return isOutOfSpace(error)
    ? 'The video could not be rendered: the disk of the server is full. Render it again when there is space.'
    : undefined;
}
