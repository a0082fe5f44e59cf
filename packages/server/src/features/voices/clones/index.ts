/** Voices that are cloned from a recording, with the consent of its speaker. */

export { recordingOf } from './clone-recording.js';
export { type Clones, createClones } from './clones.js';
