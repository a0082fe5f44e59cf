import { Transfer, worker, workerEmit } from 'workerpool';
import { lowerThreadPriority } from '../../priority.js';

/** Time limit of an abandoned job, ms; `JobPool` ends its thread earlier. */
const ABANDONED_JOB_MS = 60_000;

/** On Linux, where threads have their own priorities, synthesis runs at a lower priority than the event loop. */
const NICENESS = 5;

/** The library's `this` inside a method. */
interface Method {
  readonly worker: { addAbortListener(listener: () => Promise<void>): void };
}

/**
 * Runs the jobs of a `JobPool` inside its thread, one at a time. `handle` may emit parts before its result; `transfer` returns the
 * buffers of a part or a result that are moved instead of copied.
 */
export function serveJobs<Job, Result extends object>(
  handle: (job: Job, give: (part: Result) => void) => Result | Promise<Result>,
  transfer: (result: Result) => ArrayBuffer[],
): void {
  lowerThreadPriority(NICENESS);
  const moved = (result: Result) => new Transfer(result, transfer(result));
  const work = async (job: Job) => moved(await handle(job, (part) => workerEmit(moved(part))));
  let current: Promise<unknown> = Promise.resolve();
  let isListening = false;
  function run(this: Method, job: Job): Promise<unknown> {
    current = work(job);
    // The library ends the thread of a cancelled job unless a listener marks the thread as reusable. It calls a listener only once.
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
