import type { Kernel } from '../../../kernel/contract.js';
import type { Http } from '../../../kernel/http/contract.js';
import { createFolder, deleteFolder, listFolders, loadFolder, presentFolder, updateFolder } from './folders.js';

/** Serves folders of videos and folders of uploaded media. */
export function bindFolders(http: Http, kernel: Kernel): void {
  http.bind('createFolder', {
    handle: ({ caller, body }) => createFolder(kernel, caller, { ...body, kind: 'videos' }),
  });
  http.bind('listFolders', {
    handle: ({ caller, query }) => listFolders(kernel, { workspaceId: caller.workspace.id, kind: 'videos' }, query),
  });
  http.bind('readFolder', {
    resource: ({ caller, params }) => loadFolder(kernel, caller, { kind: 'videos', id: params.folderId }),
    handle: async ({ resource }) => presentFolder(resource),
  });
  http.bind('updateFolder', {
    resource: ({ caller, params }) => loadFolder(kernel, caller, { kind: 'videos', id: params.folderId }),
    handle: ({ resource, body }) => updateFolder(kernel, resource, body),
  });
  http.bind('deleteFolder', {
    resource: ({ caller, params }) => loadFolder(kernel, caller, { kind: 'videos', id: params.folderId }),
    handle: ({ resource }) => deleteFolder(kernel, resource),
  });

  http.bind('createUploadFolder', {
    handle: ({ caller, body }) => createFolder(kernel, caller, { ...body, kind: 'media' }),
  });
  http.bind('listUploadFolders', {
    handle: async ({ caller, query }) => {
      const which = { workspaceId: caller.workspace.id, kind: 'media' } as const;
      const { folders, ...paging } = await listFolders(kernel, which, query);
      return { uploadFolders: folders, ...paging };
    },
  });
  http.bind('readUploadFolder', {
    resource: ({ caller, params }) => loadFolder(kernel, caller, { kind: 'media', id: params.folderId }),
    handle: async ({ resource }) => presentFolder(resource),
  });
  http.bind('updateUploadFolder', {
    resource: ({ caller, params }) => loadFolder(kernel, caller, { kind: 'media', id: params.folderId }),
    handle: ({ resource, body }) => updateFolder(kernel, resource, body),
  });
  http.bind('deleteUploadFolder', {
    resource: ({ caller, params }) => loadFolder(kernel, caller, { kind: 'media', id: params.folderId }),
    handle: ({ resource }) => deleteFolder(kernel, resource),
  });
}
