import type { Kernel } from '../../kernel/contract.js';
import { settleStreams } from '../billing/index.js';
import { failRecording } from '../library/index.js';
import { type EndReason, markClosed } from './store.js';

/**
 * Ends a stream in the database: one transaction closes it and charges the remaining time. Several processes may call it at once.
 * @param end.connectedMs its connected time, when its host calls; otherwise the host's latest report is used.
 * @returns false when it had already ended.
 */
export async function endStream(
  kernel: Kernel,
  id: string,
  end: { reason: EndReason; connectedMs?: number },
): Promise<boolean> {
  return kernel.transaction(async (tx) => {
    const closed = await markClosed(tx, id, { ...end, at: new Date(kernel.clock.now()) });
    if (closed === undefined) return false;
    await settleStreams(kernel, tx, [closed]);
    // Only the host has the recording, and it knows the connected time.
    if (closed.recordingId !== null && end.connectedMs === undefined)
      await failRecording(
        kernel,
        tx,
        closed.recordingId,
        'The stream ended without its host, and the recording was lost.',
      );
    return true;
  });
}
