import type { Kernel } from '../../../kernel/contract.js';
import type { Caller, Http } from '../../../kernel/http/contract.js';
import type { FolderKind } from './folder-store.js';
import { createFolder, deleteFolder, listFolders, loadFolder, presentFolder, updateFolder } from './folders.js';

/** Serves folders of videos and folders of uploaded media. */
export function bindFolders(http: Http, kernel: Kernel): void {
  http.bind('listFolders', {
    handle: ({ caller, query }) => listFolders(kernel, { workspaceId: caller.workspace.id, kind: 'videos' }, query),
  });
  bindKind(http, kernel, 'videos', '');
  http.bind('listUploadFolders', {
    handle: async ({ caller, query }) => {
      const which = { workspaceId: caller.workspace.id, kind: 'media' } as const;
      const { folders, ...paging } = await listFolders(kernel, which, query);
      return { uploadFolders: folders, ...paging };
    },
  });
  bindKind(http, kernel, 'media', 'Upload');
}

/** Serves folders of a kind, except for their list. */
function bindKind(http: Http, kernel: Kernel, kind: FolderKind, name: '' | 'Upload'): void {
  const resource = ({ caller, params }: { caller: Caller; params: { folderId: string } }) =>
    loadFolder(kernel, caller, { kind, id: params.folderId });
  http.bind(`create${name}Folder`, { handle: ({ caller, body }) => createFolder(kernel, caller, { ...body, kind }) });
  http.bind(`read${name}Folder`, { resource, handle: async ({ resource: folder }) => presentFolder(folder) });
  http.bind(`update${name}Folder`, {
    resource,
    handle: ({ resource: folder, body }) => updateFolder(kernel, folder, body),
  });
  http.bind(`delete${name}Folder`, { resource, handle: ({ resource: folder }) => deleteFolder(kernel, folder) });
}
