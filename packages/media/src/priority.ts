import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of this process. A process that was started with a still lower one (`nice`, systemd's `Nice=`)
 * keeps it: only root may raise a priority; for other users the attempt is an error. One that was started with a raised
 * priority is lowered from there, because it would otherwise run after everything that it was raised above.
 * @param niceness 1 to 19; higher ones run later.
 */
export function lowerPriority(niceness: number): void {
  const own = getPriority();
  const wanted = own < 0 ? own + niceness : niceness;
  if (own < wanted) setPriority(wanted);
}

/**
 * As {@link lowerPriority} for this thread alone, on Linux, where threads have separate priorities; no effect
 * elsewhere.
 */
export function lowerThreadPriority(niceness: number): void {
  if (process.platform === 'linux') lowerPriority(niceness);
}
