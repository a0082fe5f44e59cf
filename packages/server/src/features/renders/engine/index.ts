/** The engine as renders use it. */
export { chooseEncoder } from './encoder-choice.js';
export { createPipeline } from './pipeline.js';
export { explained } from './render-problems.js';
export { shareSegments, trimSegments } from './shared-segments.js';
