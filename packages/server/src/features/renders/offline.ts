/** What commands without a server use of rendering: the door for a program that must start quickly, without database and API. */
export { RenderProblem } from './contract.js';
export { openMediaSources } from './media/index.js';
export { explained } from './problems.js';
