import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';
import { FairSemaphore, type SemaphoreLimits } from '../fair-semaphore.js';
import { overloaded } from './error.js';

/**
 * Requests that one process works on at once: what a process on two cores catches up with within two seconds, changes included.
 * Beyond that they wait, and the workspaces take turns (`npm run load`, bench/RESULTS.md).
 */
const LIMITS = { atOnce: 200, perWorkspace: 150, waitingPerWorkspace: 200, waitMs: 2000 } as const;

/** Whose slots requests take whose caller is not known: sign-ins, and the look-up of credentials. */
export const STRANGERS = 'strangers';

/** Bounds what a process works on at once. */
export interface Slots {
  /**
   * Does the work in a slot, which is free again however the work ends. Only work of this process belongs inside: a slot that waits for bytes of
   * a client is the client's to keep. Throws `overloaded` (429 with `retryAfter`) when the workspace has too many requests waiting or no slot
   * was free in time. One workspace never takes all slots.
   */
  run<T>(workspaceId: string, work: () => Promise<T>): Promise<T>;
}

/** @param metrics shows how many slots are taken. */
export function createSlots(metrics: Registry, limits: SemaphoreLimits = LIMITS): Slots {
  const semaphore = new FairSemaphore(limits, overloaded);
  new Gauge({
    name: 'figurehead_http_slots_taken',
    help: `Calls of the API that this process works on now; at ${limits.atOnce} more of them wait.`,
    registers: [metrics],
    collect() {
      this.set(semaphore.running);
    },
  });
  return { run: (workspaceId, work) => semaphore.run(workspaceId, work) };
}
