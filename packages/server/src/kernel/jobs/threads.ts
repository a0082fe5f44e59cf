import { fileURLToPath } from 'node:url';
import workerpool from 'workerpool';
import { overloaded } from '../errors.js';
import { FairSemaphore } from '../fair-semaphore.js';
import { currentContext } from '../observability/call-context.js';

/** Runs functions of one module in threads, so that long texts do not block the event loop. */
export interface Threads {
  /**
   * Calls the module's function `name` with plain data. Workspaces take turns (`CallContext.workspaceId`). Throws
   * `overloaded` when the wait or the work misses the deadline or too many calls of the workspace wait, and the
   * signal's reason on abort; running work is terminated with its thread.
   */
  run<Result>(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

/**
 * A pool of threads that start on demand. `module` calls `workerpool.worker({ name: function })`.
 * @param options.most number of threads; if there are several, one is always left to other workspaces.
 * @param options.deadlineMs limit of the wait, and also of the work.
 * @param options.mostWaiting maximum waiting calls of one workspace.
 */
export function openThreads(module: URL, options: { most: number; deadlineMs: number; mostWaiting: number }): Threads {
  const pool = workerpool.pool(fileURLToPath(module), {
    workerType: 'thread',
    maxWorkers: options.most,
    workerTerminateTimeout: 0,
  });
  const semaphore = new FairSemaphore(
    {
      atOnce: options.most,
      perWorkspace: Math.max(1, options.most - 1),
      waitingPerWorkspace: options.mostWaiting,
      waitMs: options.deadlineMs,
    },
    overloaded,
  );
  async function perform<Result>(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<Result> {
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
  }
  return {
    run: <Result>(name: string, args: readonly unknown[], signal?: AbortSignal) =>
      semaphore.run(currentContext().workspaceId ?? '', () => perform<Result>(name, args, signal), signal),
    close: async () => {
      await pool.terminate(true);
    },
  };
}
