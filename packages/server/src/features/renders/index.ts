/** Rendering: requests, the worker's job, outcomes. The engine comes in as a {@link RenderPipeline}. */
export {
  type FrozenVideo,
  type RenderContext,
  type RenderedFiles,
  type RenderedSpan,
  type RenderPipeline,
  RenderProblem,
  type RenderProgress,
  type SlideSpan,
} from './contract.js';
export { chooseEncoder } from './encoder-choice.js';
export { expireRenders, pruneRenders } from './expiry.js';
export { workOnRenders } from './jobs.js';
export { startSweep } from './leftovers.js';
export { type MediaSources, openMediaSources } from './media-sources.js';
export { decideRender } from './outcomes.js';
export { createPipeline } from './pipeline.js';
export { createPreviews, type Previews } from './preview.js';
export { PreviewPool } from './preview-pool.js';
export { defineRenderQueue, enqueueRender, RENDER_QUEUE } from './requests.js';
export { bindRenders } from './routes.js';
export { shareSegments } from './shared-segments.js';
export { findWaiting, listWaiting, type RenderRow } from './store.js';
