import { execFileSync } from 'node:child_process';
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

/**
 * Gives all threads of this process the ordinary scheduling policy again, where it runs as root on Linux. SVT-AV1 raises the thread that opens
 * it, and its own, to the highest real-time priority there: nothing else on the machine runs while they, or processes that they start, are busy.
 */
export function leaveRealTime(): void {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return;
  try {
    // Node has no call for it; `chrt` is part of util-linux.
    execFileSync('chrt', ['-a', '-o', '-p', '0', String(process.pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    process.emitWarning(`encoding AV1 as root keeps its real-time priority, because chrt failed: ${error}`);
  }
}
