import type { Clock } from './contract.js';

export function systemClock(): Clock {
  return { now: () => Date.now(), monotonic: () => performance.now() };
}
