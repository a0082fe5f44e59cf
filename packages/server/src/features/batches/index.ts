/** Personalization batches: many videos of one template. */
import type { Kernel } from '../../kernel/contract.js';
import type { Http } from '../../kernel/http/contract.js';
import { loadLiveVideo } from '../videos/index.js';
import { renderTemplate } from './batches.js';

export { notifyFinishedBatch } from './batches.js';

/** Serves `POST /videos/renderTemplate/{videoId}`. */
export function bindBatches(http: Http, kernel: Kernel): void {
  http.bind('renderTemplate', {
    resource: ({ caller, params }) => loadLiveVideo(kernel, caller, params.videoId),
    handle: async ({ caller, resource, body }) => ({
      accepted: true,
      ...(await renderTemplate(kernel, caller, { template: resource, input: body })),
    }),
  });
}
