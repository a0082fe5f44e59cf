import { fileURLToPath } from 'node:url';
import workerpool from 'workerpool';
import { overloaded } from '../http/error.js';

/** Runs functions of one module in threads, so that long texts do not block the event loop. */
export interface Threads {
  /**
   * Calls the module's function `name` with plain data. Throws `overloaded` when it misses the deadline or too many
   * calls wait, and the signal's reason on abort; in both cases the thread is terminated.
   */
  run<Result>(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

/**
 * A pool of threads that start on demand. `module` calls `workerpool.worker({ name: function })`.
 * @param options.deadlineMs for waiting and work together.
 */
export function openThreads(module: URL, options: { most: number; deadlineMs: number; mostWaiting: number }): Threads {
  const pool = workerpool.pool(fileURLToPath(module), {
    workerType: 'thread',
    maxWorkers: options.most,
    maxQueueSize: options.mostWaiting,
    workerTerminateTimeout: 0,
  });
  return {
    async run<Result>(name: string, args: readonly unknown[], signal?: AbortSignal) {
      signal?.throwIfAborted();
      if (pool.stats().pendingTasks >= options.mostWaiting) throw overloaded();
      const task = pool.exec(name, [...args]);
      const cancel = () => void task.cancel();
      const timer = setTimeout(cancel, options.deadlineMs);
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        return (await task) as Result;
      } catch (error) {
        signal?.throwIfAborted();
        throw error instanceof workerpool.Promise.CancellationError ? overloaded() : error;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
      }
    },
    close: async () => {
      await pool.terminate(true);
    },
  };
}
