import type { Registry } from 'prom-client';
import { overloaded } from '../errors.js';
import { FairSemaphore, type SemaphoreLimits } from '../fair-semaphore.js';
import { currentContext, inContext } from '../observability/call-context.js';
import { gaugeOf } from '../observability/measures.js';

/**
 * Requests that one process works on at once: the load that a process on two cores finishes within two seconds,
 * including writes. More requests wait, and workspaces take turns (bench/RESULTS.md, Load).
 */
const LIMITS = { atOnce: 200, perWorkspace: 150, waitingPerWorkspace: 350, waitMs: 2000 } as const;

/** Starts per turn of the event loop: a turn with this many takes about 10 ms. */
const STARTS_PER_TURN = 8;

/** Shared slots of requests without a known caller: sign-ins, and the first look-up of credentials. */
export const STRANGERS = 'strangers';

/** Limits the concurrent work of a process. */
export interface Slots {
  /**
   * Runs the work in a slot, which is freed however the work ends. Only work of this process belongs inside: while
   * waiting for bytes of a client, a slot would be held by that client. Throws `overloaded` (429 with `retryAfter`)
   * when the workspace has too many waiting requests or no slot was free in time. One workspace never takes all slots, and in
   * its slots it takes turns with others for database connections.
   */
  run<T>(workspaceId: string, work: () => Promise<T>): Promise<T>;
}

/**
 * @param metrics gets the number of occupied slots.
 * @param options.isHeld whether nothing may start now.
 * @param options.limits instead of those of a process, for tests.
 */
export function createSlots(
  metrics: Registry,
  { isHeld = () => false, limits }: { isHeld?: () => boolean; limits?: Partial<SemaphoreLimits> | undefined } = {},
): Slots {
  const all = { ...LIMITS, ...limits };
  const semaphore = new FairSemaphore({ ...all, pace: { startsPerTurn: STARTS_PER_TURN, isHeld } }, overloaded);
  const help = `API calls that this process works on; from ${all.atOnce} on, further calls wait.`;
  gaugeOf(metrics, 'figurehead_http_slots_taken', help, () => semaphore.running);
  return {
    run: (workspaceId, work) => semaphore.run(workspaceId, () => inContext({ ...currentContext(), workspaceId }, work)),
  };
}
