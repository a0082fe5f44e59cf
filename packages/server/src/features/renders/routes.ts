import type { VideoData } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import type { Http } from '../../kernel/http/contract.js';
import { aiLabelOf } from '../brands/index.js';
import { loadLiveVideo, loadVideo, presentVideo } from '../videos/index.js';
import { requireCallbackUrl } from '../webhooks/index.js';
import type { RenderPipeline } from './contract.js';
import { foreignVoices } from './foreign-voices.js';
import { readLipSync } from './lip-sync.js';
import type { Previews } from './preview/index.js';
import { cancelRender, createRenderRequests, deleteVideo, freeze, labelled, renderedPart } from './requests/index.js';

/** Serves rendering: request, cancel, dry run, single frames; and deletion, which cancels rendering. */
export function bindRenders(
  http: Http,
  kernel: Kernel,
  { pipeline, previews }: { pipeline: Pick<RenderPipeline, 'validate'>; previews: Pick<Previews, 'paint'> },
): void {
  const requestRender = createRenderRequests(kernel);
  http.bind('renderVideo', {
    resource: ({ caller, params }) => loadLiveVideo(kernel, caller, params.videoId),
    check: ({ body }) => requireCallbackUrl(kernel, body?.callbackUrl),
    handle: async ({ resource, body }) => {
      await requestRender(resource, body?.callbackUrl);
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
      const rendered = renderedPart(freeze(resource, null, false), caller.workspace);
      const [errors, warnings] = await Promise.all([pipeline.validate(rendered), foreignVoices(rendered.slides)]);
      return { valid: errors.length === 0, errors, ...(warnings.length > 0 && { warnings }) };
    },
  });
  http.bind('readLipSync', {
    resource: ({ caller, params }) => loadLiveVideo(kernel, caller, params.videoId),
    handle: ({ resource }) => readLipSync(kernel, resource),
  });
  http.bind('previewSlide', {
    resource: ({ caller, params }) => loadLiveVideo(kernel, caller, params.videoId),
    handle: async ({ caller, params, query, body, resource, signal }) => {
      const slideId = Number(params.slideId);
      // The editor's slide counts as the slide that it was opened for, regardless of its id.
      const slides = resource.slides.map((slide) =>
        slide.id === slideId && body?.slide !== undefined ? { ...body.slide, id: slideId } : slide,
      );
      const workspaceId = caller.workspace.id;
      const own = body?.data ?? (resource.data as VideoData);
      const data = labelled(own, await aiLabelOf(kernel.db, workspaceId));
      return previews.paint({ workspaceId, slides, data, slideId, seconds: query.at ?? 0, signal });
    },
  });
}
