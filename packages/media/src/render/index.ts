/** From shots to a finished video, on all processors. */
export { availableCpus } from './cpus.js';
export { type FramePainter, openFramePainter } from './frame-painter.js';
export { openSegmentCache } from './segment-cache.js';
export { type RenderedSegment, renderSegments, type SegmentCache, type SegmentOptions } from './segments.js';
export { RenderError } from './thread-pool.js';
export { type RenderedVideo, renderVideo, type VideoJob } from './video.js';
