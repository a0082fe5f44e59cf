import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';
import { overloaded } from './error.js';

/**
 * Requests that one process works on at once. Ten of them have a connection to the database; two hundred are what a process on two
 * cores catches up with within two seconds, changes included. Beyond that waiting only makes every answer late (`npm run load`, bench/RESULTS.md).
 */
const MOST_AT_ONCE = 200;

/** Bounds what a process works on at once. */
export interface Slots {
  /**
   * Does the work in a slot, which is free again however the work ends. Only work of this process belongs inside: a slot that waits for bytes of
   * a client is the client's to keep. Throws `overloaded` (429 with `retryAfter`) when all slots are taken.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** @param metrics shows how many slots are taken. */
export function createSlots(metrics: Registry, mostAtOnce = MOST_AT_ONCE): Slots {
  let taken = 0;
  new Gauge({
    name: 'figurehead_http_slots_taken',
    help: `Calls of the API that this process works on now; at ${mostAtOnce} it refuses more.`,
    registers: [metrics],
    collect() {
      this.set(taken);
    },
  });
  return {
    async run(work) {
      if (taken >= mostAtOnce) throw overloaded();
      taken += 1;
      try {
        return await work();
      } finally {
        taken -= 1;
      }
    },
  };
}
