import type { Kernel } from '../contract.js';

/** Options of a periodic task. */
export interface PeriodicTask {
  /** Name for the log when closing fails. */
  readonly name: string;
  readonly everyMs: number;
  /** Time of the first run, from now; `everyMs` when absent. */
  readonly firstAfterMs?: number;
  /** Log message when a run fails; the next one tries again. */
  readonly failure: string;
}

/** Runs `work` periodically until the lifecycle closes, which waits for a running one. Runs never overlap. */
export function runPeriodically(
  { lifecycle, log }: Pick<Kernel, 'lifecycle' | 'log'>,
  { name, everyMs, firstAfterMs, failure }: PeriodicTask,
  work: () => Promise<unknown>,
): void {
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      log.warn({ err: error }, failure);
    }
    running = undefined;
  };
  const next = (): void => {
    running ??= run();
  };
  const first = firstAfterMs === undefined ? undefined : setTimeout(next, firstAfterMs);
  const timer = setInterval(next, everyMs);
  lifecycle.onClose(name, async () => {
    clearTimeout(first);
    clearInterval(timer);
    await running;
  });
}
