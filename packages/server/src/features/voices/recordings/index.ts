/** Recorded speech of single slides. */
export { createRecordings, type Recordings } from './recordings.js';
