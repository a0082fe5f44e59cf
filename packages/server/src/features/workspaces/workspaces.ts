import type { AdminWorkspaceInput, Workspace } from '@figurehead/contract';
import type { Kernel, KernelInTx, Tx } from '../../kernel/contract.js';
import * as store from './store.js';

/** Milliseconds per minute of a balance. */
export const MS_PER_MINUTE = 60_000;

/** A workspace as the API and the command line show it. */
export function presentWorkspace(row: store.WorkspaceRow): Workspace {
  return {
    _id: row.id,
    name: row.name,
    plan: row.plan,
    status: row.status,
    minutes: Number(row.balanceMs) / MS_PER_MINUTE,
    allowOverlimit: row.allowOverlimit,
    moderation: row.moderation,
  };
}

/** Creates a workspace. The default status depends on the plan: `free` for Free, otherwise `active`. */
export async function createWorkspace(kernel: Kernel, settings: AdminWorkspaceInput): Promise<Workspace> {
  return kernel.transaction((tx) => insertWorkspace(kernel, tx, settings));
}

/** {@link createWorkspace} inside the caller's transaction. */
export async function insertWorkspace(kernel: KernelInTx, tx: Tx, settings: AdminWorkspaceInput): Promise<Workspace> {
  const plan = settings.plan ?? 'Free';
  const row = await store.insertWorkspace(tx, {
    id: kernel.ids.next(),
    name: settings.name,
    plan,
    status: settings.status ?? (plan === 'Free' ? 'free' : 'active'),
    balanceMs: Math.round((settings.minutes ?? 0) * MS_PER_MINUTE),
    allowOverlimit: settings.allowOverlimit ?? false,
    moderation: settings.moderation ?? 'off',
  });
  return presentWorkspace(row);
}

/** One workspace; `undefined` when there is none. */
export async function readWorkspace(kernel: Kernel, id: string): Promise<Workspace | undefined> {
  const row = await store.findWorkspace(kernel.db, id);
  return row && presentWorkspace(row);
}

/** All workspaces of the installation, oldest first. */
export async function listWorkspaces(kernel: Kernel): Promise<Workspace[]> {
  return (await store.listWorkspaces(kernel.db)).map(presentWorkspace);
}

/** Renames a workspace; `undefined` when it does not exist. */
export async function renameWorkspace(
  kernel: Kernel,
  id: string,
  name: string | undefined,
): Promise<Workspace | undefined> {
  const row = await store.updateWorkspace(kernel.db, id, name === undefined ? {} : { name });
  return row && presentWorkspace(row);
}
