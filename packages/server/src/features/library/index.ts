/** The library: folders, uploaded media, fonts, resumable uploads. */
export { countUploadFolders, requireOwnFolder } from './folders/index.js';
export { fontFilesOf } from './fonts/index.js';
export { createInspector, type Inspector } from './inspection/index.js';
export {
  type ClipConverter,
  deleteMedia,
  expireMedia,
  failRecording,
  findMedia,
  loadMedia,
  openClipConverter,
  publishRecording,
  reserveRecording,
  workOnMedia,
} from './media/index.js';
