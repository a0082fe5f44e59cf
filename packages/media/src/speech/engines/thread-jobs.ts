import { parentPort } from 'node:worker_threads';
import type { Answer } from './thread-pool.js';

/**
 * Serves the jobs of a `ThreadPool` from inside its thread, one at a time. `handle` may hand out parts before its result; `transfer`
 * names the buffers of a part or a result that are handed over instead of copied.
 */
export function serveJobs<Job, Result>(
  handle: (job: Job, give: (part: Result) => void) => Result | Promise<Result>,
  transfer: (result: Result) => ArrayBuffer[],
): void {
  const port = parentPort;
  if (!port) throw new Error('expected to run inside a worker thread');
  port.on('message', async ({ id, job }: { id: number; job: Job }) => {
    try {
      const result = await handle(job, (part) =>
        port.postMessage({ id, part } satisfies Answer<Result>, transfer(part)),
      );
      port.postMessage({ id, result } satisfies Answer<Result>, transfer(result));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      port.postMessage({ id, message } satisfies Answer<Result>);
    }
  });
}
