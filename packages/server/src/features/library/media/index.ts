/** Pictures, videos and sounds that a workspace has uploaded. */
export { expireMedia } from './expiry.js';
export {
  createMedia,
  deleteMedia,
  findMedia,
  listMedia,
  loadMedia,
  type MediaUpload,
  presentMedia,
  requireUploadFolder,
  updateMedia,
} from './media.js';
export { type ClipConverter, openClipConverter, workOnMedia } from './media-jobs.js';
export { failRecording, publishRecording, reserveRecording } from './recordings.js';
