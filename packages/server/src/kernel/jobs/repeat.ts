import type { Kernel } from '../contract.js';

/** What is done again and again. */
export interface Repeated {
  /** For the log, when closing fails. */
  readonly name: string;
  readonly everyMs: number;
  /** Said in the log when a run fails; the next one tries again. */
  readonly failure: string;
}

/** Runs `work` every now and then until the lifecycle closes, which waits for a run under way. A run that takes longer is not begun twice. */
export function repeat(
  { lifecycle, log }: Pick<Kernel, 'lifecycle' | 'log'>,
  { name, everyMs, failure }: Repeated,
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
  const timer = setInterval(() => {
    running ??= run();
  }, everyMs);
  lifecycle.onClose(name, async () => {
    clearInterval(timer);
    await running;
  });
}
