import type { Kernel } from '../../kernel/contract.js';
import type { Caller, Http } from '../../kernel/http/contract.js';
import { createVideoChanges } from './changes.js';
import { presentVideo } from './document.js';
import { listVersions, nameVersion, readVersion } from './versions.js';
import {
  copyVideo,
  createVideo,
  keepVideo,
  listVideos,
  loadLiveVideo,
  loadVideo,
  requireImported,
  requireUniqueSlides,
  restoreVideo,
  updateVideo,
} from './videos.js';

/** Serves video documents. Rendering and deleting belong to the renders feature, because they affect running jobs. */
export function bindVideos(http: Http, kernel: Kernel): void {
  http.bind('listVideos', {
    handle: ({ caller, query }) => listVideos(kernel, caller.workspace.id, query),
  });
  const changes = createVideoChanges(kernel);
  http.bind('watchVideos', {
    handle: ({ caller, signal }) => changes.watch(caller.workspace.id, signal),
  });
  http.bind('createVideo', {
    check: ({ body }) => requireUniqueSlides(body.slides),
    handle: ({ caller, body }) => createVideo(kernel, caller, body),
  });
  http.bind('readVideo', {
    resource: ({ caller, params }) => loadVideo(kernel, caller, params.videoId),
    handle: async ({ resource }) => presentVideo(resource, kernel.objects),
  });
  http.bind('updateVideo', {
    resource: ({ caller, params }) => loadLiveVideo(kernel, caller, params.videoId),
    check: ({ body }) => requireUniqueSlides(body.slides),
    handle: ({ resource, body, headers }) =>
      updateVideo(kernel, resource, { patch: body, ifMatch: headers['if-match'] }),
  });
  bindVersions(http, kernel);
  http.bind('copyVideo', {
    handle: async ({ caller, body }) => copyVideo(kernel, caller, await loadLiveVideo(kernel, caller, body.videoId)),
  });
}

function bindVersions(http: Http, kernel: Kernel): void {
  const resource = ({ caller, params }: { readonly caller: Caller; readonly params: { readonly videoId: string } }) =>
    loadLiveVideo(kernel, caller, params.videoId);
  http.bind('listVideoVersions', {
    resource,
    handle: async ({ params }) => ({ versions: await listVersions(kernel.db, params.videoId) }),
  });
  http.bind('keepVideoVersion', {
    resource,
    check: ({ resource: video }) => requireImported(video),
    handle: ({ params, body = {} }) => keepVideo(kernel, params.videoId, body),
  });
  http.bind('readVideoVersion', {
    resource,
    handle: ({ params }) => readVersion(kernel.db, params.videoId, params.versionId),
  });
  http.bind('nameVideoVersion', {
    resource,
    handle: ({ params, body }) => nameVersion(kernel.db, params, body.versionName),
  });
  http.bind('restoreVideoVersion', {
    resource,
    handle: ({ params, resource: video }) => restoreVideo(kernel, video, params.versionId),
  });
}
