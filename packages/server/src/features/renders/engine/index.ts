/** The engine for renders. */
export { chooseEncoder } from './encoder-choice.js';
export { createPipeline } from './pipeline.js';
export { shareSegments, trimSegments } from './shared-segments.js';
export { type WarmUp, warmUp } from './warm-up.js';
