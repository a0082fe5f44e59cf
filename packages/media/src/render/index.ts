/** From shots to a finished video, on all processors. */
export { availableCpus } from './cpus.js';
export { type FramePainter, openFramePainter } from './frame-painter.js';
export { type LipSyncSheet, lipSyncOf, watchPeaks } from './lip-sync.js';
export { keepPacks } from './pack-keeper.js';
export { openSegmentCache } from './segment-cache.js';
export { formatSegment, parseSegment } from './segment-format.js';
export {
  framesToDraw,
  type LazyShot,
  type RenderedSegment,
  renderSegments,
  type SegmentCache,
  type SegmentOptions,
} from './segments.js';
export { openSlidePainter, SlideError, type SlidePainter, type SlideRequest } from './slide-painter.js';
export { keepThreads, type ThreadKeeper } from './thread-keeper.js';
export { RenderError } from './thread-pool.js';
export { type JoinJob, joinVideo, openSound, type RenderedVideo, renderVideo, type VideoJob } from './video.js';
