import type { Folder } from '@figurehead/contract';
import type { Kernel, Tx } from '../../../kernel/contract.js';
import type { PageQuery } from '../../../kernel/database/page.js';
import { invalidFields, requireFound, requireOwn } from '../../../kernel/errors.js';
import type { Caller } from '../../../kernel/http/contract.js';
import { recordCreations, requireUploadFolderRoom } from '../../workspaces/index.js';
import * as store from './folder-store.js';

const NAMES: Readonly<Record<store.FolderKind, string>> = { videos: 'folder', media: 'upload folder' };

/** The folder of this kind and id. Throws `notFound` and `foreign`. */
export async function loadFolder(
  kernel: Kernel,
  caller: Caller,
  which: { kind: store.FolderKind; id: string },
): Promise<store.FolderRow> {
  return requireOwn(await store.findFolder(kernel.db, which.kind, which.id), caller.workspace.id, NAMES[which.kind]);
}

/**
 * Throws a 400 on `field` unless the workspace has this folder, whose deletion is then blocked until the transaction
 * ends. A folder of another workspace counts as missing.
 */
export async function requireOwnFolder(
  tx: Tx,
  wanted: { workspaceId: string; kind: store.FolderKind; id: string | null | undefined; field: string },
): Promise<void> {
  const { workspaceId, kind, id, field } = wanted;
  if (id === null || id === undefined) return;
  const folder = await store.holdFolder(tx, kind, id);
  if (folder?.workspaceId !== workspaceId) {
    throw invalidFields([{ field, message: `must be one of this workspace’s ${NAMES[kind]}s` }]);
  }
}

/**
 * Creates a folder. Folders of videos count towards the rolling quota, those of media towards the absolute limit (§8.2,
 * §8.3).
 */
export async function createFolder(
  kernel: Kernel,
  caller: Caller,
  input: { kind: store.FolderKind; name: string; parentId?: string | null },
): Promise<Folder> {
  const workspaceId = caller.workspace.id;
  const { kind, name, parentId = null } = input;
  const now = new Date(kernel.clock.now());
  const row = { id: kernel.ids.next(), workspaceId, kind, name, parentId, createdAt: now, updatedAt: now };
  await kernel.transaction(async (tx) => {
    await store.lockTree(tx, workspaceId);
    await requireOwnFolder(tx, { workspaceId, kind, id: parentId, field: 'parentId' });
    if (kind === 'videos') await recordCreations(kernel, tx, { workspaceId, entity: 'folders' });
    else await requireUploadFolderRoom(tx, workspaceId, () => store.countFolders(tx, { workspaceId, kind }));
    await store.folders.insert(tx, row);
  });
  return presentFolder(row);
}

/** Renames or moves a folder. Throws a 400 when it would be inside itself. */
export async function updateFolder(
  kernel: Kernel,
  folder: store.FolderRow,
  patch: { name?: string; parentId?: string | null },
): Promise<Folder> {
  const { id, workspaceId, kind } = folder;
  return kernel.transaction(async (tx) => {
    if (patch.parentId !== undefined) {
      await store.lockTree(tx, workspaceId);
      await requireOwnFolder(tx, { workspaceId, kind, id: patch.parentId, field: 'parentId' });
      if (patch.parentId !== null && (await store.isWithin(tx, patch.parentId, id))) {
        throw invalidFields([{ field: 'parentId', message: 'is the folder itself or inside it' }]);
      }
    }
    const row = await store.folders.update(tx, id, { ...patch, updatedAt: new Date(kernel.clock.now()) });
    return presentFolder(requireFound(row, NAMES[kind]));
  });
}

/** Deletes a folder; its content is kept, without a folder. */
export async function deleteFolder(kernel: Kernel, folder: store.FolderRow): Promise<{ _id: string; deleted: true }> {
  await kernel.transaction((tx) => store.folders.delete(tx, folder.id));
  return { _id: folder.id, deleted: true };
}

/** A page of the workspace's folders, newest first. */
export async function listFolders(
  kernel: Kernel,
  which: { workspaceId: string; kind: store.FolderKind },
  { page, limit }: PageQuery,
) {
  const { rows, total } = await store.listFolders(kernel.db, which, { page, limit });
  return { folders: rows.map(presentFolder), page, limit, total };
}

/** Number of upload folders of the workspace, for its quota overview. */
export function countUploadFolders(kernel: Kernel, workspaceId: string): Promise<number> {
  return store.countFolders(kernel.db, { workspaceId, kind: 'media' });
}

/** A folder as the API shows it. */
export function presentFolder(row: store.FolderRow): Folder {
  return {
    _id: row.id,
    name: row.name,
    parentId: row.parentId,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
