/** Media of documents, for commands without a server too. */
export {
  isMediumRefusal,
  MediumRefused,
  mediaSourcesOf,
  openMediaSources,
} from './media-sources.js';
