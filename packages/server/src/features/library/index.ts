/** The library: folders, uploaded media, fonts, resumable uploads. */
export { countUploadFolders, requireOwnFolder } from './folders/index.js';
export { fontFilesOf } from './fonts/index.js';
export { createInspector, type Inspector } from './inspection/index.js';
export {
  deleteMedia,
  expireMedia,
  failRecording,
  findMedia,
  loadMedia,
  publishRecording,
  reserveRecording,
  workOnMedia,
} from './media/index.js';
