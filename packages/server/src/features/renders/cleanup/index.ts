/** Removal of a render's intermediate data. */
export { removeWork, startSweep, sweepLeftovers, workPrefix } from './ended-renders.js';
