import type { QuotaUse } from '@figurehead/contract';
import {
  effectiveColumn,
  QUOTA_ENTITIES,
  QUOTA_WINDOW_SECONDS,
  QUOTAS,
  type QuotaEntity,
  UPLOAD_FOLDER_CAPS,
} from '@figurehead/contract/limits';
import type { Kernel, KernelInTx, Tx } from '../../../kernel/contract.js';
import { ApiError, requireFound } from '../../../kernel/errors.js';
import type { CallerWorkspace } from '../../../kernel/http/contract.js';
import { lockWorkspace } from '../store.js';
import * as store from './store.js';

const WINDOW_MS = QUOTA_WINDOW_SECONDS * 1000;

/**
 * Records `count` creations, or throws `quotaReached` (429) and records none. Must run in the creating transaction: it
 * locks the workspace, so that concurrent creations are counted one after the other.
 */
export async function recordCreations(
  kernel: KernelInTx,
  tx: Tx,
  creation: { workspaceId: string; entity: QuotaEntity; count?: number },
): Promise<void> {
  const { workspaceId, entity, count = 1 } = creation;
  const workspace = requireFound(await lockWorkspace(tx, workspaceId), 'workspace');
  const now = kernel.clock.now();
  const limit = limitOf(workspace, entity);
  if (limit !== undefined) {
    const used = await store.countCreations(tx, { workspaceId, entity, since: new Date(now - WINDOW_MS) });
    if (used + count > limit) {
      throw new ApiError('quotaReached', { count: used, entities: entity, plan: columnName(workspace) });
    }
  }
  await store.insertCreations(tx, { workspaceId, entity, count, at: new Date(now) });
}

/**
 * Throws `uploadFolderCap` (400) when the workspace has the maximum number of upload folders (§8.3). Locks the
 * workspace like {@link recordCreations}.
 */
export async function requireUploadFolderRoom(tx: Tx, workspaceId: string, held: () => Promise<number>): Promise<void> {
  const workspace = requireFound(await lockWorkspace(tx, workspaceId), 'workspace');
  const cap = uploadFolderCap(workspace);
  if (cap !== null && (await held()) >= cap) {
    throw new ApiError('uploadFolderCap', { cap, plan: columnName(workspace) });
  }
}

/**
 * Use of every quota, for GET /apiConfig. `nextFreeAt` is the time of the next possible creation while the quota is
 * used up.
 * @param uploadFolders their current number.
 */
export async function describeQuotas(
  kernel: Kernel,
  workspace: CallerWorkspace,
  uploadFolders: number,
): Promise<QuotaUse[]> {
  const since = new Date(kernel.clock.now() - WINDOW_MS);
  const rolling = QUOTA_ENTITIES.map(async (entity): Promise<QuotaUse> => {
    const limit = limitOf(workspace, entity) ?? null;
    const which = { workspaceId: workspace.id, entity, since };
    const used = await store.countCreations(kernel.db, which);
    const oldest =
      limit !== null && used >= limit ? await store.nthNewestCreation(kernel.db, { ...which, n: limit }) : undefined;
    const nextFreeAt = oldest === undefined ? null : new Date(oldest.getTime() + WINDOW_MS).toISOString();
    return { entity, limit, used, windowSeconds: QUOTA_WINDOW_SECONDS, nextFreeAt };
  });
  const cap: QuotaUse = {
    entity: 'uploadFolders',
    limit: uploadFolderCap(workspace),
    used: uploadFolders,
    windowSeconds: null,
    nextFreeAt: null,
  };
  return [...(await Promise.all(rolling)), cap];
}

type PlanAndStatus = Pick<CallerWorkspace, 'plan' | 'status'>;

function limitOf(workspace: PlanAndStatus, entity: QuotaEntity): number | undefined {
  const column = effectiveColumn(workspace.plan, workspace.status);
  return column && QUOTAS[entity][column];
}

function uploadFolderCap(workspace: PlanAndStatus): number | null {
  const column = effectiveColumn(workspace.plan, workspace.status);
  return column === undefined ? null : UPLOAD_FOLDER_CAPS[column];
}

/** The plan whose column applies: a workspace with the status `free` gets the Free plan's limits. */
function columnName(workspace: PlanAndStatus): string {
  return effectiveColumn(workspace.plan, workspace.status) ?? workspace.plan;
}
