import { Worker } from 'node:worker_threads';

/** Message to a thread. */
interface Order<Job> {
  readonly id: number;
  readonly job: Job;
}

/** Message from a thread. */
export type Answer<Result> =
  | { readonly id: number; readonly part: Result }
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly message: string };

interface Pending<Job, Result> extends Order<Job> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  readonly onPart: ((part: Result) => void) | undefined;
}

interface Thread<Job, Result> {
  readonly worker: Worker;
  current: Pending<Job, Result> | undefined;
  watchdog: NodeJS.Timeout | undefined;
}

/** How a pool is made. */
interface ThreadPoolOptions {
  /** Compiled module that calls `serveJobs`. */
  readonly url: URL;
  /** Most threads; they are started when first needed and stay. */
  readonly threads: number;
  /** Structured-cloneable; given to each thread as it starts. */
  readonly workerData: unknown;
  /** A job that takes longer is taken for hung: its thread is ended and replaced. */
  readonly deadlineMs: number;
}

/**
 * A bounded set of warm threads that each run one synchronous job at a time. Jobs wait in order. An aborted job that waits
 * is dropped; one that runs is abandoned at once and its thread goes on when it is done. A thread that dies fails only its
 * own job. Idle threads do not keep the process alive.
 */
export class ThreadPool<Job, Result> {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<Thread<Job, Result>>();
  readonly #waiting: Pending<Job, Result>[] = [];
  #nextId = 0;
  #closed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /**
   * Runs one job. Rejects with the signal's reason, or an `Error` when the job failed.
   * @param onPart hears what the job has ready before its result; not after an abort.
   */
  run(job: Job, signal?: AbortSignal, onPart?: (part: Result) => void): Promise<Result> {
    if (this.#closed) return Promise.reject(new Error('the speech engine is closed'));
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise<Result>((resolve, reject) => {
      const leave = (): void => signal?.removeEventListener('abort', abort);
      const pending: Pending<Job, Result> = {
        id: this.#nextId++,
        job,
        onPart: onPart && ((part) => (signal?.aborted ? undefined : onPart(part))),
        resolve: (result) => {
          leave();
          resolve(result);
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      };
      const abort = (): void => {
        const at = this.#waiting.indexOf(pending);
        if (at >= 0) this.#waiting.splice(at, 1);
        pending.reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(pending);
      this.#assign();
    });
  }

  /** Ends the threads; jobs under way are rejected. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    const error = new Error('the speech engine was closed');
    for (const pending of this.#waiting.splice(0)) pending.reject(error);
    const threads = [...this.#threads];
    this.#threads.clear();
    for (const thread of threads) this.#finish(thread)?.reject(error);
    await Promise.all(threads.map((thread) => thread.worker.terminate()));
  }

  #assign(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#idleThread();
      if (!thread) return;
      const pending = this.#waiting.shift()!;
      thread.current = pending;
      thread.watchdog = setTimeout(() => void thread.worker.terminate(), this.#options.deadlineMs);
      thread.worker.ref();
      thread.worker.postMessage({ id: pending.id, job: pending.job } satisfies Order<Job>);
    }
  }

  #idleThread(): Thread<Job, Result> | undefined {
    for (const thread of this.#threads) if (!thread.current) return thread;
    return this.#threads.size < this.#options.threads ? this.#start() : undefined;
  }

  #start(): Thread<Job, Result> {
    const worker = new Worker(this.#options.url, { workerData: this.#options.workerData });
    const thread: Thread<Job, Result> = { worker, current: undefined, watchdog: undefined };
    let failure: Error | undefined;
    worker.on('message', (answer: Answer<Result>) => {
      if ('part' in answer) {
        thread.current?.onPart?.(answer.part);
        return;
      }
      const pending = this.#finish(thread);
      if (pending && 'result' in answer) pending.resolve(answer.result);
      else if (pending && 'message' in answer) pending.reject(new Error(answer.message));
      worker.unref();
      this.#assign();
    });
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => {
      this.#threads.delete(thread);
      this.#finish(thread)?.reject(failure ?? new Error('the speech engine did not answer in time and was restarted'));
      if (!this.#closed) this.#assign();
    });
    this.#threads.add(thread);
    return thread;
  }

  #finish(thread: Thread<Job, Result>): Pending<Job, Result> | undefined {
    clearTimeout(thread.watchdog);
    const pending = thread.current;
    thread.current = undefined;
    return pending;
  }
}
