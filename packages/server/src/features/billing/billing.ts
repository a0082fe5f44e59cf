import { type LedgerEntry, STREAM_BILLING_FACTOR } from '@figurehead/contract';
import type { Kernel, Tx } from '../../kernel/contract.js';
import * as store from './store.js';

/**
 * Charges a rendered video or a stream, once: a second charge of the same subject changes nothing. Lengths are metered
 * to the second.
 * @param charge.subjectId the render, or the stream.
 * @param charge.resourceId what readers know it by: the video, or the stream.
 * @returns false when it was charged before.
 */
export async function charge(
  kernel: Kernel,
  tx: Tx,
  charge: { workspaceId: string; kind: 'video' | 'stream'; subjectId: string; resourceId: string; seconds: number },
): Promise<boolean> {
  const { seconds, ...movement } = charge;
  const lengthMs = Math.round(seconds) * 1000;
  const amountMs = -lengthMs * (charge.kind === 'stream' ? STREAM_BILLING_FACTOR : 1);
  const createdAt = new Date(kernel.clock.now());
  const isNew = await store.insertMovement(tx, { ...movement, id: kernel.ids.next(), lengthMs, amountMs, createdAt });
  if (isNew) await store.addBalance(tx, charge.workspaceId, amountMs);
  return isNew;
}

/** Milliseconds of rendering that remain; `Infinity` when going over is allowed. At 0 or below, nothing may start. */
export async function remainingMs(kernel: Kernel, workspaceId: string): Promise<number> {
  const balance = await store.findBalance(kernel.db, workspaceId);
  if (balance === undefined) return 0;
  return balance.allowOverlimit ? Number.POSITIVE_INFINITY : balance.balanceMs;
}

/** Movements of minutes, newest first. */
export async function listLedger(
  kernel: Kernel,
  workspaceId: string,
  page: { page: number; limit: number },
): Promise<{ entries: LedgerEntry[]; total: number }> {
  const offset = (page.page - 1) * page.limit;
  const { rows, total } = await store.listMovements(kernel.db, workspaceId, { offset, limit: page.limit });
  const entries = rows.map((row) => ({
    _id: row.id,
    kind: row.kind,
    subjectId: row.resourceId,
    seconds: Number(row.lengthMs) / 1000,
    minutes: Number(row.amountMs) / 60_000,
    createdAt: row.createdAt.toISOString(),
  }));
  return { entries, total };
}
