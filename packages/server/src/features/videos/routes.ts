import type { Kernel } from '../../kernel/contract.js';
import type { Http } from '../../kernel/http/contract.js';
import { createVideoChanges } from './changes.js';
import { presentVideo } from './document.js';
import {
  copyVideo,
  createVideo,
  listVideos,
  loadLiveVideo,
  loadVideo,
  requireUniqueSlides,
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
  http.bind('copyVideo', {
    handle: async ({ caller, body }) => copyVideo(kernel, caller, await loadLiveVideo(kernel, caller, body.videoId)),
  });
}
