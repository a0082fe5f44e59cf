/** Single frames of slides, on demand. */
export { createPreviews, type Previews } from './preview.js';
export { PreviewPool } from './preview-pool.js';
