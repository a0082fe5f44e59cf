import type { Kernel } from '../../kernel/contract.js';
import { BEAT_MS, deadHosts, mendHostCounts, removeHost } from '../hosts/index.js';
import { endStream } from './ending.js';
import { deleteOpening, listOpenOfHost } from './store.js';

/** After trouble with the database hosts could not report either: they get this time to be heard of again. */
const PATIENCE_MS = 10_000;
/** Looks at the hosts between two looks at their counts: these read every open stream. */
const COUNT_EVERY = 30;

/**
 * Ends the streams of hosts that have died: clients get 404, minutes are settled by the last report. Runs in every API process; the
 * kernel's lifecycle ends it.
 */
export function startStreamSweeper(kernel: Kernel): void {
  const { log, lifecycle } = kernel;
  let running: Promise<void> = Promise.resolve();
  let trustAt = 0;
  let busy = false;
  let looks = 0;
  const look = async () => {
    await sweepDeadHosts(kernel);
    if (looks++ % COUNT_EVERY === 0) await mendHostCounts(kernel);
  };
  const timer = setInterval(() => {
    if (busy || performance.now() < trustAt) return;
    busy = true;
    running = look()
      .catch((error: unknown) => {
        trustAt = performance.now() + PATIENCE_MS;
        log.warn({ err: error }, 'dead stream hosts could not be looked for');
      })
      .finally(() => {
        busy = false;
      });
  }, BEAT_MS);
  lifecycle.onClose('stream sweeper', async () => {
    clearInterval(timer);
    await running;
  });
}

/** One look at the hosts. */
export async function sweepDeadHosts(kernel: Kernel): Promise<void> {
  for (const hostId of await deadHosts(kernel)) await endHost(kernel, hostId);
}

/** Ends all streams of a host that is dead, and takes it off the list. */
export async function endHost(kernel: Kernel, hostId: string): Promise<void> {
  const open = await listOpenOfHost(kernel.db, hostId);
  for (const { id, state } of open) {
    if (state === 'opening') await deleteOpening(kernel.db, id);
    else await endStream(kernel, id, { reason: 'host_lost' });
  }
  await removeHost(kernel.db, hostId);
  kernel.log.warn({ hostId, streams: open.length }, 'a stream host died; its streams have ended');
}
