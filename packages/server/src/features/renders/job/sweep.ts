import type { Kernel } from '../../../kernel/contract.js';
import { runPeriodically } from '../../../kernel/jobs/repeat.js';
import { sweepLeftovers } from '../cleanup/ended-renders.js';
import { trimSegments } from '../engine/index.js';

/** Interval of a worker's sweeps. */
const EVERY_MS = 60_000;

/**
 * Time after its end when no process works on a render any more: heartbeats are sent every second, and a frozen process
 * finds its claim lost.
 */
const SETTLED_MS = 5 * 60_000;

/** Sweeps periodically until the kernel closes. */
export function startSweep(kernel: Kernel): void {
  const failure = 'the intermediate files of ended renders could not be removed';
  runPeriodically(kernel, { name: 'render sweep', everyMs: EVERY_MS, failure }, async () => {
    await sweepLeftovers(kernel, { settledMs: SETTLED_MS });
    await trimSegments(kernel);
  });
}
