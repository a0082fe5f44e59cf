/** Videos and templates: documents, lists and their API representation. */
export { type BatchCounts, countBatchVideos, countVideos, endedBatchOf, type StatusCount, videosIn } from './counts.js';
export { MEDIA_LINK_SECONDS, presentSummary, presentVideo } from './document.js';
export { FILMED_VIDEOS, isRenderOf, isVideoDeleted, noVideoContains } from './references.js';
export { lockVideo, lockVideos, queueVideos, updateVideo as writeVideo, type VideoRow } from './store.js';
export { VERSION_DAYS, VERSIONS } from './versions.js';
export {
  createVideo,
  insertVideos,
  listBatchVideos,
  loadLiveVideo,
  loadVideo,
  objectPrefix,
  readOwnerOf,
  requireImported,
  type StoredVideo,
  storeSpeech,
} from './videos.js';
