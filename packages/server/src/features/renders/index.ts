/** Rendering: requests, the worker's job, outcomes. The engine is passed in as a {@link RenderPipeline}. */
export { startSweep } from './cleanup/index.js';
export { type FrozenVideo, type RenderContext, type RenderPipeline, RenderProblem } from './contract.js';
export { chooseEncoder, createPipeline, shareSegments, type WarmUp, warmUp } from './engine/index.js';
export { workOnRenders } from './job/index.js';
export { mediaSourcesOf, openMediaSources } from './media/index.js';
export { createPreviews, PreviewPool, type Previews } from './preview/index.js';
export { reasonOf } from './problems.js';
export {
  decideRender,
  expireRenders,
  findWaiting,
  listWaiting,
  pruneRenders,
  type RenderRow,
} from './records/index.js';
export { enqueueRenders, RENDER_QUEUE } from './requests/index.js';
export { bindRenders } from './routes.js';
