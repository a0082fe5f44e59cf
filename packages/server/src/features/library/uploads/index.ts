/** Resumable uploads (tus 1.0). */
export { serveUploads } from './upload-routes.js';
