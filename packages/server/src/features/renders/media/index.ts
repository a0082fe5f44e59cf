/** Media in documents. */
export { type MediaKind, mediaOf, mediaProblems } from './media-check.js';
export { type MediaSources, openMediaSources } from './media-sources.js';
