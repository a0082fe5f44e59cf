/** Media that documents name. */
export { type MediaKind, mediaOf, mediaProblems } from './media-check.js';
export { openMediaSources } from './media-sources.js';
