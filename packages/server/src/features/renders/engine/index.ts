/** The engine as renders use it. */
export { chooseEncoder } from './encoder-choice.js';
export { createPipeline } from './pipeline.js';
export { shareSegments, trimSegments } from './shared-segments.js';
