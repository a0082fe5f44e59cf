import type { Kernel } from '../../kernel/contract.js';
import type { Http } from '../../kernel/http-contract.js';
import { loadLiveVideo, loadVideo, presentVideo } from '../videos/index.js';
import type { RenderPipeline } from './contract.js';
import { freeze, renderedPart } from './freezing.js';
import { cancelRender, deleteVideo, requestRender } from './requests.js';

/** Serves rendering: request, cancel, dry run; and deletion, which stops what is under way. */
export function bindRenders(http: Http, kernel: Kernel, pipeline: Pick<RenderPipeline, 'validate'>): void {
  http.bind('renderVideo', {
    resource: ({ caller, params }) => loadLiveVideo(kernel, caller, params.videoId),
    handle: async ({ resource }) => {
      await requestRender(kernel, resource.id);
      return { accepted: true };
    },
  });
  http.bind('cancelRender', {
    resource: ({ caller, params }) => loadLiveVideo(kernel, caller, params.videoId),
    handle: async ({ resource }) => ({ cancelled: await cancelRender(kernel, resource.id) }),
  });
  http.bind('deleteVideo', {
    resource: ({ caller, params }) => loadVideo(kernel, caller, params.videoId),
    handle: async ({ caller, resource }) => {
      await deleteVideo(kernel, resource.id);
      return presentVideo(await loadVideo(kernel, caller, resource.id), kernel.objects);
    },
  });
  http.bind('validateVideo', {
    resource: ({ caller, params }) => loadLiveVideo(kernel, caller, params.videoId),
    handle: async ({ caller, resource }) => {
      const errors = await pipeline.validate(renderedPart(freeze(resource, false), caller.workspace));
      return { valid: errors.length === 0, errors };
    },
  });
}
