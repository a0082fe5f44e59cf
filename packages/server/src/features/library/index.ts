/** The library: folders, uploaded media, fonts, resumable uploads. */
export { type Reply as DisposableReply, runDisposable } from './disposable.js';
export { expireMedia } from './expiry.js';
export { countUploadFolders, requireOwnFolder } from './folders.js';
export { fontFilesOf } from './font-files.js';
export { workOnMedia } from './media-jobs.js';
export { bindLibrary } from './routes.js';
export { createTurnstile } from './turnstile.js';
