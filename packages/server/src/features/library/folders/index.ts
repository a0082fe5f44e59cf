/** Folders of videos and of media. */
export { countUploadFolders, requireOwnFolder } from './folders.js';
