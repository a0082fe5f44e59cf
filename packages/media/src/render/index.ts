/** From shots to a finished video, on all processors. */
export { availableCpus } from './cpus.js';
export { type FramePainter, openFramePainter } from './drawing/frame-painter.js';
export { openSlidePainter, SlideError, type SlidePainter, type SlideRequest } from './drawing/slide-painter.js';
export { type LipSyncSheet, lipSyncOf, watchPeaks } from './lip-sync.js';
export { keepPacks } from './pack-keeper.js';
export { RenderError } from './segments/drawing-pool.js';
export { keepThreads, type ThreadKeeper } from './segments/drawing-threads.js';
export { openSegmentCache } from './segments/segment-cache.js';
export { formatSegment, parseSegment } from './segments/segment-format.js';
export {
  framesToDraw,
  type LazyShot,
  type RenderedSegment,
  renderSegments,
  type SegmentCache,
  type SegmentOptions,
} from './segments/segments.js';
export { type JoinJob, joinVideo, openSound, type RenderedVideo, renderVideo, type VideoJob } from './video.js';
