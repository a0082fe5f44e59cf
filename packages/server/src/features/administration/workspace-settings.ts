import type { AdminWorkspacePatch, Workspace } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { grant } from '../billing/index.js';
import { lockWorkspace, MS_PER_MINUTE, presentWorkspace, updateWorkspace } from '../workspaces/index.js';

/** Changes the given properties; `undefined` when the workspace does not exist. `minutes` replaces the balance. */
export async function setWorkspace(
  kernel: Kernel,
  id: string,
  settings: AdminWorkspacePatch,
): Promise<Workspace | undefined> {
  const { minutes, ...changes } = settings;
  return kernel.transaction(async (tx) => {
    const before = await lockWorkspace(tx, id);
    if (before === undefined) return undefined;
    const row = await updateWorkspace(tx, id, changes);
    if (row === undefined || minutes === undefined) return row && presentWorkspace(row);
    const amountMs = Math.round(minutes * MS_PER_MINUTE) - Number(before.balanceMs);
    if (amountMs !== 0) await grant(kernel, tx, { workspaceId: id, amountMs });
    return presentWorkspace({ ...row, balanceMs: String(Number(before.balanceMs) + amountMs) });
  });
}
