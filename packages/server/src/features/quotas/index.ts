/** Creation quotas over a rolling window (§8.2) and the cap on upload folders (§8.3). */
export { describeQuotas, recordCreations, requireUploadFolderRoom } from './quotas.js';
export { CREATIONS } from './store.js';
