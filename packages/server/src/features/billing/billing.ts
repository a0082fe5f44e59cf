import { STREAM_BILLING_FACTOR } from '@figurehead/contract/limits';
import type { Kernel, KernelInTx, Tx } from '../../kernel/contract.js';
import type { PageQuery } from '../../kernel/database/page.js';
import { findWorkspace } from '../workspaces/index.js';
import * as store from './store.js';

/**
 * Charges a rendered video, once: a second charge of the same subject has no effect. Its length is measured to the
 * second.
 * @param charge.subjectId the render.
 * @param charge.resourceId the video, shown in the ledger.
 * @returns false when it was already charged.
 */
export async function charge(
  kernel: KernelInTx,
  tx: Tx,
  charge: { workspaceId: string; kind: 'video'; subjectId: string; resourceId: string; seconds: number },
): Promise<boolean> {
  const { seconds, ...movement } = charge;
  const lengthMs = Math.round(seconds) * 1000;
  const createdAt = new Date(kernel.clock.now());
  const isNew = await store.insertMovement(tx, {
    ...movement,
    id: kernel.ids.next(),
    lengthMs,
    amountMs: -lengthMs,
    createdAt,
  });
  if (isNew) await store.addBalance(tx, charge.workspaceId, -lengthMs);
  return isNew;
}

/**
 * Charges streams for the time that they have been connected so far, at half the rate (§4.2), to the second. It can be
 * called any number of times: only the time since the last call is charged, so that a crash loses only that time.
 * @param tx holds the locks of the streams' rows, so that two processes do not settle the same one at once.
 */
export async function settleStreams(
  kernel: KernelInTx,
  tx: Tx,
  streams: readonly { id: string; workspaceId: string; connectedMs: number }[],
): Promise<void> {
  const createdAt = new Date(kernel.clock.now());
  const movements = streams.flatMap(({ id: streamId, workspaceId, connectedMs }) => {
    const lengthMs = Math.round(connectedMs / 1000) * 1000;
    // A stream that never connected costs nothing.
    if (lengthMs === 0) return [];
    return [{ id: kernel.ids.next(), streamId, workspaceId, lengthMs, amountMs: -lengthMs * STREAM_BILLING_FACTOR }];
  });
  if (movements.length > 0) await store.raiseStreamMovements(tx, movements, createdAt);
}

/** Adjusts the remaining minutes manually: an administrator adds or removes minutes. `amountMs` may be negative. */
export async function grant(
  kernel: KernelInTx,
  tx: Tx,
  given: { workspaceId: string; amountMs: number },
): Promise<void> {
  const { workspaceId, amountMs } = given;
  const id = kernel.ids.next();
  const createdAt = new Date(kernel.clock.now());
  const subject = { subjectId: id, resourceId: null, lengthMs: 0 };
  await store.insertMovement(tx, { id, workspaceId, kind: 'grant', ...subject, amountMs, createdAt });
  await store.addBalance(tx, workspaceId, amountMs);
}

/** Remaining milliseconds of rendering; `Infinity` when overage is allowed. At 0 or below, nothing may start. */
export async function remainingMs(kernel: Kernel, workspaceId: string): Promise<number> {
  const workspace = await findWorkspace(kernel.db, workspaceId);
  if (workspace === undefined) return 0;
  return workspace.allowOverlimit ? Number.POSITIVE_INFINITY : Number(workspace.balanceMs);
}

/** Ledger entries, newest first. */
export async function listLedger(kernel: Kernel, workspaceId: string, { page, limit }: PageQuery) {
  const { rows, total } = await store.listMovements(kernel.db, workspaceId, { page, limit });
  const entries = rows.map((row) => ({
    _id: row.id,
    kind: row.kind,
    subjectId: row.resourceId,
    seconds: Number(row.lengthMs) / 1000,
    minutes: Number(row.amountMs) / 60_000,
    createdAt: row.createdAt.toISOString(),
  }));
  return { entries, page, limit, total };
}
