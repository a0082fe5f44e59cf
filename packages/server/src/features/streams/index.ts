/** Live streams as other features see them: hosts, open streams, and rows that expire. */
export { pruneClientTokens, pruneStreams } from './expiry.js';
export { drainHost, isHostPresent, listHosts } from './hosts/index.js';
export { openStreamsIn } from './store.js';
