/** Rendering: requests, rows and outcomes. The engine is passed in as a {@link RenderPipeline}. */
export { type FrozenVideo, type RenderContext, type RenderPipeline, RenderProblem } from './contract.js';
export {
  decideRender,
  expireRenders,
  findWaiting,
  listWaiting,
  pruneRenders,
  type RenderRow,
} from './records/index.js';
export { enqueueRenders, RENDER_QUEUE } from './requests/index.js';
