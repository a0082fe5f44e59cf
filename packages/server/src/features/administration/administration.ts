import type {
  AdminHost,
  AdminWorker,
  AdminWorkspace,
  AdminWorkspaceInput,
  AdminWorkspacePatch,
  QueryOf,
  Routes,
} from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { requireFound } from '../../kernel/errors.js';
import { listHosts, openStreamsIn } from '../streams/index.js';
import { videosIn } from '../videos/index.js';
import { insertWorkspace, joinWorkspace, listCounted, presentWorkspace } from '../workspaces/index.js';
import * as store from './store.js';
import { setWorkspace } from './workspace-settings.js';

/** A page of all workspaces, newest first; `search` is a part of the name, or an id. */
export async function findWorkspaces(kernel: Kernel, { search, ...page }: QueryOf<Routes['listWorkspaces']>) {
  const { rows, total } = await listCounted(kernel.db, { search }, page, { videosIn, openStreamsIn });
  return { workspaces: rows.map(present), ...page, total };
}

/** One workspace. Throws `notFound`. */
export async function loadWorkspace(kernel: Kernel, id: string): Promise<AdminWorkspace> {
  const { rows } = await listCounted(kernel.db, { id }, { page: 1, limit: 1 }, { videosIn, openStreamsIn });
  return present(requireFound(rows[0], 'workspace'));
}

function present(row: Awaited<ReturnType<typeof listCounted>>['rows'][number]): AdminWorkspace {
  const { members, videos, openStreams } = row;
  return { ...presentWorkspace(row), createdAt: row.createdAt.toISOString(), members, videos, openStreams };
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
  return (await store.listWorkers(kernel.db)).map(({ memory, startedAt, heartbeatAt, ...worker }) => ({
    ...worker,
    memory: Number(memory),
    startedAt: startedAt.toISOString(),
    heartbeatAt: heartbeatAt.toISOString(),
  }));
}
