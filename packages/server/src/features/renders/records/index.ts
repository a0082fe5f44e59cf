/** The rows of renders and spans, and the transactions that end a render. */
export { expireRenders, pruneRenders } from './expiry.js';
export { attemptPrefix, decideRender, failRender, finishRender, type RenderClaim } from './outcomes.js';
export * as spans from './spread-store.js';
export * as renders from './store.js';
export { findWaiting, listWaiting, type RenderRow } from './store.js';
