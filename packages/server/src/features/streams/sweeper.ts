import type { Kernel } from '../../kernel/contract.js';
import { runPeriodically } from '../../kernel/jobs/repeat.js';
import { abandonOpening, endStream, failRecordingsOfHost } from './ending.js';
import { BEAT_MS, deadHosts, mendHostCounts, removeHost } from './hosts.js';
import { listOpenOfHost } from './store.js';

/** After a database outage, during which hosts could not report either, they get this time to report again. */
const PATIENCE_MS = 10_000;
/** Checks of the hosts per check of their stream counts, which reads every open stream. */
const COUNT_EVERY = 30;

/**
 * Ends the streams of dead hosts: clients get 404, minutes are settled by the last report. Runs in every API process; the kernel's
 * lifecycle stops it.
 */
export function startStreamSweeper(kernel: Kernel): void {
  let trustAt = 0;
  let looks = 0;
  const task = { name: 'stream sweeper', everyMs: BEAT_MS, failure: 'the check for dead stream hosts failed' };
  runPeriodically(kernel, task, async () => {
    if (performance.now() < trustAt) return;
    try {
      await sweepDeadHosts(kernel);
      if (looks++ % COUNT_EVERY === 0) await mendHostCounts(kernel);
    } catch (error) {
      trustAt = performance.now() + PATIENCE_MS;
      throw error;
    }
  });
}

/** Checks the hosts once. */
export async function sweepDeadHosts(kernel: Kernel): Promise<void> {
  for (const hostId of await deadHosts(kernel)) await endHost(kernel, hostId);
}

/** Ends all streams of a dead host and removes it from the list. */
export async function endHost(kernel: Kernel, hostId: string): Promise<void> {
  const open = await listOpenOfHost(kernel.db, hostId);
  for (const { id, state } of open) {
    if (state === 'opening') await abandonOpening(kernel, id);
    else await endStream(kernel, id, { reason: 'host_lost' });
  }
  await failRecordingsOfHost(kernel, hostId);
  await removeHost(kernel.db, hostId);
  kernel.log.warn({ hostId, streams: open.length }, 'a stream host died; its streams have ended');
}
