/** From a document, or from shots, to a finished video, on all processors. */
export {
  DocumentError,
  type RenderCaches,
  type RenderedFiles,
  type RenderJob,
  type RenderProgress,
  type RenderResources,
  type ResolvedVoice,
  SlideFailure,
  type VoiceRequest,
} from './contract.js';
export { availableCpus } from './cpus.js';
export { findProblems } from './document-check.js';
export { type FramePainter, openFramePainter } from './drawing/frame-painter.js';
export { openSlidePainter, type SlidePainter, type SlideRequest } from './drawing/slide-painter.js';
export { createPackLoader, createStoredPackLoader } from './pack-loader.js';
export { planDocument, renderDocument } from './render-document.js';
export type { RenderPlan } from './render-plan.js';
export { createThreadCache, type ThreadCache } from './segments/drawing-threads.js';
export { openSegmentCache } from './segments/segment-cache.js';
export { formatSegment, parseSegment } from './segments/segment-format.js';
export { renderSegments, type SegmentCache } from './segments/segments.js';
export type { SlideSpan } from './spans.js';
export { joinSpans, type RenderedSpan, renderSpan, type SharedFiles, shareDocument } from './spread.js';
export { SpeechTurn } from './stages/cached-speech.js';
export { renderVideo, type VideoJob } from './video.js';
