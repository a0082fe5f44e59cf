/** Personalization batches: many videos of one template. */
export { notifyFinishedBatch } from './batches.js';
