/** Rendering: requests, rows and outcomes. The engine is passed in as a {@link RenderPipeline}. */
export { type FrozenVideo, type RenderContext, type RenderPipeline, RenderProblem } from './contract.js';
export { expireRenders, pruneRenders } from './records/expiry.js';
export { decideRender } from './records/outcomes.js';
export { findWaiting, listWaiting, type RenderRow } from './records/store.js';
export { enqueueRenders, RENDER_QUEUE } from './requests/index.js';
