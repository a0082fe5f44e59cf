/** The parts of rendering that need no database: problems of a document, for commands without a server too. */

export { RenderProblem } from './contract.js';
export { sourceOf } from './media-check.js';
export { explained } from './problems.js';
