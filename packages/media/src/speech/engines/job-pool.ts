import { fileURLToPath } from 'node:url';
import { type Pool, pool } from 'workerpool';
import { orAborted } from '../../abort.js';

/** Time after which the thread of an abandoned or hung job is ended, ms. */
const GRACE_MS = 3000;

/** Options of a pool. */
interface JobPoolOptions {
  /** Compiled module that calls `serveJobs`. */
  readonly url: URL;
  /** Maximum threads; they are started when first needed and run until the pool is closed. */
  readonly threads: number;
  /** Structured-cloneable; passed to each thread at its start. */
  readonly workerData: unknown;
  /** A job that runs longer than this is considered hung, and its thread is replaced. */
  readonly deadlineMs: number;
}

/**
 * A bounded set of warm threads that each run one job at a time, in order. An aborted job is dropped from the queue, or abandoned at once
 * when it is running; its thread runs the next job afterwards. A crashed thread fails only its own job. The threads keep the process
 * alive until the owner closes the pool.
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
   * @param onPart receives partial results before the result; not called after an abort.
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

  /** Ends the threads and rejects their jobs. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.terminate(true);
  }
}
