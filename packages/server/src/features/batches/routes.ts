import type { Kernel } from '../../kernel/contract.js';
import type { Http } from '../../kernel/http/contract.js';
import { loadLiveVideo, requireImported } from '../videos/index.js';
import { requireCallbackUrl } from '../webhooks/index.js';
import { describeBatch, listBatches, loadBatch, renderTemplate } from './batches.js';

/** Serves `POST /videos/renderTemplate/{videoId}` and the resulting batches. */
export function bindBatches(http: Http, kernel: Kernel): void {
  http.bind('renderTemplate', {
    resource: ({ caller, params }) => loadLiveVideo(kernel, caller, params.videoId),
    check: ({ resource, body }) => {
      requireImported(resource);
      requireCallbackUrl(kernel, body.callbackUrl);
    },
    handle: async ({ caller, resource, body }) => ({
      accepted: true,
      ...(await renderTemplate(kernel, caller, { template: resource, input: body })),
    }),
  });
  http.bind('listBatches', {
    handle: ({ caller, query }) => listBatches(kernel, caller.workspace.id, query),
  });
  http.bind('readBatch', {
    resource: ({ caller, params }) => loadBatch(kernel, caller, params.requestId),
    handle: ({ resource }) => describeBatch(kernel, resource),
  });
}
