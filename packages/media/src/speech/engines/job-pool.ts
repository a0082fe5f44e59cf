import { fileURLToPath } from 'node:url';
import { type Pool, pool } from 'workerpool';
import { orAborted } from '../../abort.js';

/** How long an abandoned or hung job may still run before its thread is ended, ms. */
const GRACE_MS = 3000;

/** How a pool is made. */
interface JobPoolOptions {
  /** Compiled module that calls `serveJobs`. */
  readonly url: URL;
  /** Most threads; they are started when first needed and stay until the pool is closed. */
  readonly threads: number;
  /** Structured-cloneable; given to each thread as it starts. */
  readonly workerData: unknown;
  /** A job that runs longer than this is considered hung: its thread is replaced. */
  readonly deadlineMs: number;
}

/**
 * A bounded set of warm threads that each run one job at a time, in order. An aborted job that waits is dropped; one that runs is
 * abandoned at once and its thread takes the next job when it has finished. A crashed thread fails only its own job. The threads keep
 * the process alive: the owner closes the pool.
 */
export class JobPool<Job, Result> {
  readonly #pool: Pool;
  readonly #deadlineMs: number;
  #closed = false;

  constructor({ url, threads, workerData, deadlineMs }: JobPoolOptions) {
    this.#deadlineMs = deadlineMs;
    this.#pool = pool(fileURLToPath(url), {
      workerType: 'thread',
      maxWorkers: threads,
      workerThreadOpts: { workerData },
      workerTerminateTimeout: GRACE_MS,
    });
  }

  /**
   * Runs one job. Rejects with the signal's reason, or an `Error` when the job failed.
   * @param onPart receives what the job has ready before its result; not after an abort.
   */
  async run(job: Job, signal?: AbortSignal, onPart?: (part: Result) => void): Promise<Result> {
    if (this.#closed) throw new Error('the speech engine is closed');
    signal?.throwIfAborted();
    const on = (part: Result): void => (signal?.aborted ? undefined : onPart?.(part));
    const work = this.#pool.exec('run', [job], { on }).timeout(this.#deadlineMs);
    try {
      return await orAborted<Result>(work, signal);
    } catch (error) {
      if (!signal?.aborted) throw new Error(`the speech engine failed: ${(error as Error).message}`, { cause: error });
      work.cancel();
      throw signal.reason;
    }
  }

  /** Ends the threads; jobs under way are rejected. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.terminate(true);
  }
}
