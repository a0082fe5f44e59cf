/** The worker's side of a render. */
export { workOnRenders } from './job.js';
export { startSweep } from './sweep.js';
