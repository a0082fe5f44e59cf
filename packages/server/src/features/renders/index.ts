/** Rendering: requests, the worker's job, outcomes. The engine comes in as a {@link RenderPipeline}. */
export {
  type FrozenVideo,
  type RenderContext,
  type RenderedFiles,
  type RenderPipeline,
  RenderProblem,
  type RenderProgress,
} from './contract.js';
export { workOnRenders } from './jobs.js';
export { openMediaSources } from './media-sources.js';
export { decideRender } from './outcomes.js';
export { createPipeline } from './pipeline.js';
export { defineRenderQueue, enqueueRender, RENDER_QUEUE } from './requests.js';
export { bindRenders } from './routes.js';
export { findWaiting, listWaiting, type RenderRow } from './store.js';
