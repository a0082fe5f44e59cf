import type { Kernel } from '../../kernel/contract.js';
import { settleStreams } from '../billing/index.js';
import { failRecording } from '../library/index.js';
import { deleteOpening, type EndReason, listRecordingsOfHost, markClosed } from './store.js';

const LOST = 'The stream ended without its host, and the recording was lost.';
/** A host publishes a recording within this time after the end of the stream. */
const PUBLISHED_WITHIN_MS = 24 * 3600_000;

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
      await failRecording(kernel, tx, closed.recordingId, LOST);
    return true;
  });
}

/** Removes a stream whose session was not opened; nothing comes of its recording. */
export async function abandonOpening(kernel: Kernel, id: string): Promise<void> {
  await kernel.transaction(async (tx) => {
    const recordingId = await deleteOpening(tx, id);
    if (recordingId !== null) await failRecording(kernel, tx, recordingId, 'The stream could not be opened.');
  });
}

/** Fails the recordings that a dead host had not published, also those of streams that it had ended itself. */
export async function failRecordingsOfHost(kernel: Kernel, hostId: string): Promise<void> {
  const since = new Date(kernel.clock.now() - PUBLISHED_WITHIN_MS);
  for (const id of await listRecordingsOfHost(kernel.db, hostId, since))
    await failRecording(kernel, kernel.db, id, LOST);
}
