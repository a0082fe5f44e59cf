import { readFileSync } from 'node:fs';

/**
 * Share of the processor time that this thread itself uses while `work` runs, of that of the whole process, 0…1: near 1
 * when the work keeps the event loop busy, near 0 when other threads do it. Independent of the machine's speed and
 * load. Only available on Linux; elsewhere 0.
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
