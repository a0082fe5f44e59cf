import { lowerPriority } from '@figurehead/media/priority';
import workerpool from 'workerpool';

/**
 * On machines with few processors, work on files has a lower priority than the API, live streams and renders (0 and 5).
 */
const NICENESS = 10;

/** Name of the method that a program of a process pool serves. */
export const WORK = 'work';

/** Answer of a program: a result, or the reason why it refuses the file; the message is for the user who sent it. */
export type Reply = { readonly value: unknown } | { readonly refused: unknown };

/** Sent when a job starts, so that the pool can watch and end its process. */
export interface Begin {
  readonly pid: number;
}

/**
 * Serves jobs in a process of a pool, one at a time.
 * @param act runs a job; its error ends the process.
 * @param refusalOf returns the message for an expected error; `undefined` for an unexpected one.
 */
export function serveProcess<Job>(
  act: (job: Job) => Promise<unknown>,
  refusalOf: (error: unknown) => unknown = () => undefined,
): void {
  lowerPriority(NICENESS);
  workerpool.worker({
    async [WORK](job: Job): Promise<Reply> {
      workerpool.workerEmit({ pid: process.pid } satisfies Begin);
      try {
        return { value: await act(job) };
      } catch (error) {
        const refused = refusalOf(error);
        if (refused === undefined) throw error;
        return { refused };
      }
    },
  });
}
