import type { Kernel } from '../../kernel/contract.js';
import { settleStreams } from '../billing/index.js';
import { type EndReason, markClosed } from './store.js';

/**
 * Ends a stream in the database: one transaction closes it and charges what is not charged yet. Safe from several processes at once.
 * @param end.connectedMs its connected time, from who hosts it; without it the host's latest report holds.
 * @returns false when it had ended before.
 */
export async function endStream(
  kernel: Kernel,
  id: string,
  end: { reason: EndReason; connectedMs?: number },
): Promise<boolean> {
  return kernel.transaction(async (tx) => {
    const closed = await markClosed(tx, id, { ...end, at: new Date(kernel.clock.now()) });
    if (closed !== undefined) await settleStreams(kernel, tx, [closed]);
    return closed !== undefined;
  });
}
