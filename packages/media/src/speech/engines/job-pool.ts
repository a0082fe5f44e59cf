import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Pool, pool, TerminateError } from 'workerpool';
import { orAborted } from '../../abort.js';
import { Turns } from './turns.js';

/** Time after which the thread of an abandoned or hung job is ended, ms. */
const GRACE_MS = 3000;

/** Longest time for all threads or processes to end, ms. */
const CLOSE_MS = 2 * GRACE_MS;

/** Options of a pool. */
interface JobPoolOptions {
  /** Compiled module that calls `serveJobs`. */
  readonly url: URL;
  /** Maximum threads; they are started when first needed and run until the pool is closed. */
  readonly threads: number;
  /** Structured-cloneable; passed to each thread at its start. */
  readonly workerData?: unknown;
  /** A job that runs longer than this is considered hung, and its thread is replaced. */
  readonly deadlineMs: number;
  /** Child processes instead of threads, for native code that may end its process; `workerData` and transfers are not available. */
  readonly isProcess?: boolean;
}

/**
 * A bounded set of warm threads that each run one job at a time; the jobs of one signal, an utterance, take turns with those of others. An
 * aborted job is dropped from the queue, or abandoned at once when it is running; its thread runs the next job afterwards. A crashed thread fails only its own job. The threads keep the process
 * alive until the owner closes the pool.
 */
export class JobPool<Job, Result> {
  readonly #pool: Pool;
  readonly #deadlineMs: number;
  #closed = false;

  constructor({ url, threads, workerData, deadlineMs, isProcess = false }: JobPoolOptions) {
    this.#deadlineMs = deadlineMs;
    this.#pool = pool(fileURLToPath(url), {
      workerType: isProcess ? 'process' : 'thread',
      maxWorkers: threads,
      queueStrategy: new Turns(),
      workerThreadOpts: { workerData },
      forkOpts: { serialization: 'advanced' },
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
    const work = this.#pool.exec('run', [job], { on, metadata: signal }).timeout(this.#deadlineMs);
    try {
      return await orAborted<Result>(work, signal);
    } catch (error) {
      if (signal?.aborted) {
        work.cancel();
        throw signal.reason;
      }
      // After the end of its only thread the library leaves the waiting jobs until the next call.
      if (error instanceof TerminateError && !this.#closed) this.#pool.exec('methods').catch(() => undefined);
      // The library describes the process in ten lines.
      const why = error instanceof TerminateError ? 'it ended unexpectedly' : (error as Error).message;
      throw new Error(`the speech engine failed: ${why}`, { cause: error });
    }
  }

  /** Ends the threads and rejects their jobs. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    // For a process that has ended meanwhile the library would wait forever.
    await Promise.race([this.#pool.terminate(true), setTimeout(CLOSE_MS, undefined, { ref: false })]);
  }
}
