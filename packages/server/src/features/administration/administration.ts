import type {
  AdminHost,
  AdminWorker,
  AdminWorkspace,
  AdminWorkspaceInput,
  AdminWorkspacePatch,
} from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/http/error.js';
import { listHosts } from '../hosts/index.js';
import { insertWorkspace, joinWorkspace, setWorkspace } from '../workspaces/index.js';
import * as store from './store.js';
import { SILENT_MS } from './worker-heartbeats.js';

/** A page of all workspaces, newest first; `search` is a part of the name, or an id. */
export async function findWorkspaces(
  kernel: Kernel,
  { page, limit, search }: { page: number; limit: number; search?: string | undefined },
): Promise<{ workspaces: AdminWorkspace[]; page: number; limit: number; total: number }> {
  const { rows, total } = await store.listWorkspaces(kernel.db, { search, offset: (page - 1) * limit, limit });
  return { workspaces: rows, page, limit, total };
}

/** One workspace. Throws `notFound`. */
export async function loadWorkspace(kernel: Kernel, id: string): Promise<AdminWorkspace> {
  const { rows } = await store.listWorkspaces(kernel.db, { search: undefined, id, offset: 0, limit: 1 });
  if (rows[0] === undefined) throw new ApiError('notFound', { what: 'workspace' });
  return rows[0];
}

/** Creates a workspace owned by the caller. */
export async function makeWorkspace(
  kernel: Kernel,
  userId: string,
  input: AdminWorkspaceInput,
): Promise<AdminWorkspace> {
  const id = await kernel.transaction(async (tx) => {
    const { _id } = await insertWorkspace(kernel, tx, input);
    await joinWorkspace(tx, { workspaceId: _id, userId, role: 'owner' });
    return _id;
  });
  return loadWorkspace(kernel, id);
}

/** Changes the given properties of a workspace. */
export async function changeWorkspace(kernel: Kernel, id: string, patch: AdminWorkspacePatch): Promise<AdminWorkspace> {
  await setWorkspace(kernel, id, patch);
  return loadWorkspace(kernel, id);
}

/** Live hosts, with their load. */
export async function describeHosts(kernel: Kernel): Promise<AdminHost[]> {
  return (await listHosts(kernel)).map(({ startedAt, heartbeatAt, ...host }) => ({
    ...host,
    startedAt: startedAt.toISOString(),
    heartbeatAt: heartbeatAt.toISOString(),
  }));
}

/** Live workers, with their jobs. */
export async function describeWorkers(kernel: Kernel): Promise<AdminWorker[]> {
  return (await store.listWorkers(kernel.db, SILENT_MS)).map(({ memory, startedAt, heartbeatAt, ...worker }) => ({
    ...worker,
    memory: Number(memory),
    startedAt: startedAt.toISOString(),
    heartbeatAt: heartbeatAt.toISOString(),
  }));
}
