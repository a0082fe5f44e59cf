import { parseDocument } from '@figurehead/media';
import { compiledUrl } from '@figurehead/media/basic';
import { ProcessPool, type ProcessPoolOptions } from '../../../kernel/workers/process-pool.js';
import { RenderProblem } from '../contract.js';
import { type MediaKind, mediaOf } from '../media-check.js';
import { reasonOf } from '../problems.js';
import type { FetchedMedium, PaintJob, PreviewJob, PreviewRefusal } from './preview-messages.js';

/** Pictures and clips of the job's document, fetched by the server. */
export interface PreviewAssets {
  picture(src: string): Promise<Uint8Array>;
  file(src: string): Promise<string>;
}

/** Workspace and resources of a preview job. */
export interface PreviewContext {
  readonly workspaceId: string;
  readonly assets: PreviewAssets;
  readonly signal: AbortSignal;
}

/** A frame to draw; the pool adds its media. */
export type PaintOrder = Omit<PaintJob, 'kind' | 'media'>;

/**
 * A job takes tens of milliseconds, the first of a process a second of processor time, which is ten where a dozen others want it; one that takes this long
 * has a file that blocks a decoder. The start of a process does not count.
 */
const SECONDS = 30;

/** A few warm processes that draw frames and open media. A crash affects only the job that caused it. */
export class PreviewPool {
  readonly #processes: ProcessPool;

  /** @param options override the defaults, for measurements and tests. */
  constructor(options: Partial<ProcessPoolOptions> = {}) {
    this.#processes = new ProcessPool({
      program: compiledUrl('./preview-process.js', import.meta.url),
      processes: 2,
      heapMb: 384,
      // Measured: 100 to 250 MB after some minutes of previews at 720p; an 8K picture takes 400 more while it is decoded.
      memoryMb: 1500,
      recycle: { jobs: 1000, memoryMb: 900 },
      idleMs: 120_000,
      turns: { perWorkspace: 1, waitingPerWorkspace: 16, waitMs: 15_000 },
      ...options,
    });
  }

  /**
   * Draws a frame as WebP. Throws {@link RenderProblem} for problems of the document, a 429 when too much work of the
   * workspace waits or no process starts in time, and the signal's reason.
   */
  async paint(order: PaintOrder, context: PreviewContext): Promise<Uint8Array> {
    const media = await mediaFor(order, context.assets);
    return this.#run<Uint8Array>({ kind: 'paint', ...order, media }, context);
  }

  /** Opens a medium. Rejects with its problem, and like {@link paint}. */
  async open(what: MediaKind, src: string, context: PreviewContext): Promise<void> {
    const { assets } = context;
    const medium =
      what === 'picture' ? { src, bytes: await assets.picture(src) } : { src, file: await assets.file(src) };
    await this.#run<null>({ kind: 'open', what, medium }, context);
  }

  /** Ids of the running processes. */
  pids(): number[] {
    return this.#processes.pids();
  }

  /** Ends the processes; running and waiting jobs are rejected. Idempotent. */
  close(): Promise<void> {
    return this.#processes.close();
  }

  async #run<T>(job: PreviewJob, { workspaceId, signal }: PreviewContext): Promise<T> {
    // A running job may finish: its warm process is worth more than the rest of its work.
    const limits = { workspaceId, signal, seconds: SECONDS, onAbort: 'finish' } as const;
    const outcome = await this.#processes.run<T, PreviewRefusal>(job, limits);
    if (outcome.kind === 'done') return outcome.value;
    if (outcome.kind === 'refused') throw new RenderProblem(outcome.refusal);
    const message = 'opening or drawing it took too long or crashed';
    throw new RenderProblem([{ field: 'slide', message }], { cause: outcome.cause });
  }
}

/** The media of the document, each URL once. Errors are reported at the place in the document that refers to it. */
async function mediaFor({ source }: PaintOrder, assets: PreviewAssets): Promise<FetchedMedium[]> {
  const { document } = parseDocument(source);
  const wanted = new Map(mediaOf(document).map(({ what, src }) => [`${what} ${src}`, { what, src }]));
  const seen = [...wanted.values()].filter(({ what }) => what !== 'sound');
  return Promise.all(
    seen.map(async ({ what, src }): Promise<FetchedMedium> => {
      try {
        return what === 'picture' ? { src, bytes: await assets.picture(src) } : { src, file: await assets.file(src) };
      } catch (error) {
        return { src, missing: reasonOf(error) };
      }
    }),
  );
}
