/** The worker's side of a render. */
export { createCredentials } from '../credentials/credentials.js';
export { workOnRenders } from './job.js';
export { startSweep } from './sweep.js';
