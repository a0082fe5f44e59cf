import { setPriority } from 'node:os';
import { Transfer, worker, workerEmit } from 'workerpool';

/** How long an abandoned job may go on, ms; `JobPool` ends its thread earlier. */
const ABANDONED_JOB_MS = 60_000;

/** Where threads have priorities of their own (Linux), synthesis goes behind the event loop of its process. */
const NICENESS = 5;

/** What the library gives to a method as `this`. */
interface Method {
  readonly worker: { addAbortListener(listener: () => Promise<void>): void };
}

/**
 * Serves the jobs of a `JobPool` from inside its thread, one at a time. `handle` may hand out parts before its result; `transfer`
 * names the buffers of a part or a result that are moved instead of copied.
 */
export function serveJobs<Job, Result extends object>(
  handle: (job: Job, give: (part: Result) => void) => Result | Promise<Result>,
  transfer: (result: Result) => ArrayBuffer[],
): void {
  if (process.platform === 'linux') setPriority(NICENESS);
  const moved = (result: Result) => new Transfer(result, transfer(result));
  const work = async (job: Job) => moved(await handle(job, (part) => workerEmit(moved(part))));
  let current: Promise<unknown> = Promise.resolve();
  let isListening = false;
  function run(this: Method, job: Job): Promise<unknown> {
    current = work(job);
    // The library ends the thread of a cancelled job unless a listener says that the thread can be used again; it calls a listener once.
    if (!isListening) {
      isListening = true;
      this.worker.addAbortListener(async () => {
        isListening = false;
        await current.catch(() => undefined);
      });
    }
    return current;
  }
  worker({ run }, { abortListenerTimeout: ABANDONED_JOB_MS });
}
