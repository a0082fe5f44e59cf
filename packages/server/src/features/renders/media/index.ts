/** Media in documents. */
export { type MediaKind, mediaOf, mediaProblems } from './media-check.js';
export { mediaSourcesOf, openMediaSources } from './media-sources.js';
