import { setPriority } from 'node:os';
import workerpool from 'workerpool';

/** What a flood of files can wait for goes behind the API, live streams and renders (0 and 5) where processors are few. */
const NICENESS = 10;

/** The method that a program of a process pool serves. */
export const WORK = 'work';

/** What a program answers: a result, or why it refuses the file; the message is for the person who sent it. */
export type Reply = { readonly value: unknown } | { readonly refused: unknown };

/** Sent when a job begins, so that the pool can watch and end the process that works on it. */
export interface Begin {
  readonly pid: number;
}

/**
 * Serves jobs in a process of a pool, one at a time.
 * @param act does a job; what it throws ends the process.
 * @param refusalOf says what an expected error tells the sender; `undefined` for one that was not foreseen.
 */
export function serveProcess<Job>(
  act: (job: Job) => Promise<unknown>,
  refusalOf: (error: unknown) => unknown = () => undefined,
): void {
  setPriority(NICENESS);
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
