import type { Kernel } from '../../kernel/contract.js';
import type { Http } from '../../kernel/http/contract.js';
import { bindFolders } from './folders/routes.js';
import { createFont, deleteFont, listFonts, loadFont, presentFont, updateFont } from './fonts/fonts.js';
import { createInspector, type Inspector } from './inspection/inspector.js';
import {
  createMedia,
  deleteMedia,
  listMedia,
  loadMedia,
  presentMedia,
  requireUploadFolder,
  updateMedia,
} from './media/index.js';
import { serveUploads } from './uploads/upload-routes.js';

/** Serves folders, uploaded media, fonts and resumable uploads. */
export function bindLibrary(http: Http, kernel: Kernel): void {
  const inspector = createInspector(kernel);
  bindFolders(http, kernel);
  bindMedia(http, kernel, inspector);
  bindFonts(http, kernel, inspector);
  serveUploads(http, kernel, inspector);
}

function bindMedia(http: Http, kernel: Kernel, inspector: Inspector): void {
  http.bind('createMedia', {
    check: ({ caller, body }) => requireUploadFolder(kernel, caller.workspace.id, body.folderId),
    handle: ({ caller, body, file, signal }) => {
      const { path, filename } = file;
      return createMedia(kernel, inspector, { workspaceId: caller.workspace.id, path, filename, ...body, signal });
    },
  });
  http.bind('listMedia', {
    handle: ({ caller, query }) => listMedia(kernel, caller.workspace.id, query),
  });
  http.bind('readMedia', {
    resource: ({ caller, params }) => loadMedia(kernel, caller, params.mediaId),
    handle: async ({ resource }) => presentMedia(kernel, resource),
  });
  http.bind('updateMedia', {
    resource: ({ caller, params }) => loadMedia(kernel, caller, params.mediaId),
    handle: ({ resource, body }) => updateMedia(kernel, resource, body),
  });
  http.bind('deleteMedia', {
    resource: ({ caller, params }) => loadMedia(kernel, caller, params.mediaId),
    handle: ({ resource }) => deleteMedia(kernel, resource),
  });
}

function bindFonts(http: Http, kernel: Kernel, inspector: Inspector): void {
  http.bind('createFont', {
    handle: ({ caller, body, file, signal }) =>
      createFont(kernel, inspector, { workspaceId: caller.workspace.id, file, ...body, signal }),
  });
  http.bind('listFonts', {
    handle: ({ caller, query }) => listFonts(kernel, caller.workspace.id, query),
  });
  http.bind('readFont', {
    resource: ({ caller, params }) => loadFont(kernel, caller, params.fontId),
    handle: async ({ resource }) => presentFont(kernel, resource),
  });
  http.bind('updateFont', {
    resource: ({ caller, params }) => loadFont(kernel, caller, params.fontId),
    handle: ({ resource, body }) => updateFont(kernel, resource, body),
  });
  http.bind('deleteFont', {
    resource: ({ caller, params }) => loadFont(kernel, caller, params.fontId),
    handle: ({ resource }) => deleteFont(kernel, resource),
  });
}
