import type { Clock } from './contract.js';

/** The time of the machine. */
export function systemClock(): Clock {
  return { now: () => Date.now() };
}
