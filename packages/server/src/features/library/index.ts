/** The library: folders, uploaded media, fonts, resumable uploads. */
export { countUploadFolders, requireOwnFolder } from './folders/folders.js';
export { fontFilesOf } from './fonts/font-files.js';
export { createInspector, type Inspector } from './inspection/inspector.js';
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
