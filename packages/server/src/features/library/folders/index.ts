/** Folders of videos and of media. */
export { bindFolders } from './folder-routes.js';
export { countUploadFolders, requireOwnFolder } from './folders.js';
