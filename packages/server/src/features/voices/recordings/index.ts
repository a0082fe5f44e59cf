/** Recorded speech of single slides. */
export { createRecordings, type Recordings, type RecordingWish } from './recordings.js';
