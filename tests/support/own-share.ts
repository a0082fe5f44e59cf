import { readFileSync } from 'node:fs';

/**
 * Share of the processor time that this thread itself uses while `work` runs, of that of the whole process, 0…1: near 1 when the work keeps the event loop
 * busy, near 0 when other threads do it. How fast or how loaded the machine is does not matter. Linux tells; elsewhere it is 0.
 */
export async function ownShare(work: () => Promise<unknown>): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const [ownMs, wholeMs] = [threadMs(), processMs()];
  await work();
  return (threadMs() - ownMs) / (processMs() - wholeMs);
}

function threadMs(): number {
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
}

function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
