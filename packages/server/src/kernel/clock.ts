import type { Clock } from './contract.js';

/** The system clock. */
export function systemClock(): Clock {
  return { now: () => Date.now(), monotonic: () => performance.now() };
}
