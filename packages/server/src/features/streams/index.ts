/** Live streams as other features see them: hosts, open streams, and rows that expire. */
export { CLIENT_TOKENS } from './client-tokens/index.js';
export { drainHost, isHostPresent, listHosts } from './hosts/index.js';
export { CLOSED_STREAMS, openStreamsIn } from './store.js';
