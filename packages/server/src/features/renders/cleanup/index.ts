/** Removal of a render's intermediate data. */
export { removeWork, sweepLeftovers, workPrefix } from './ended-renders.js';
