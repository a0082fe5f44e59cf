/** The library: folders, uploaded media, fonts, resumable uploads. */
export { countUploadFolders } from './folders.js';
export { fontFilesOf } from './font-files.js';
export { workOnMedia } from './media-jobs.js';
export { bindLibrary } from './routes.js';
