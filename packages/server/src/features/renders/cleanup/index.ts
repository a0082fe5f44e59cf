/** Removing what a render leaves beside its result. */
export { removeWork, startSweep, sweepLeftovers, workPrefix } from './ended-renders.js';
