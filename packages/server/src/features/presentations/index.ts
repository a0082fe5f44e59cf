/** Presentations become videos: upload, conversion in a worker, slides with the speaker notes as their script. */
export { workOnImports } from './jobs.js';
export { openOffice } from './office/office.js';
export { removeUnshownPages } from './store.js';
