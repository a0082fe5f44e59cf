/** The parts of rendering for commands without a server, which must start quickly, without database and API. */
export { RenderProblem } from './contract.js';
export { openMediaSources } from './media/index.js';
export { explained } from './problems.js';
