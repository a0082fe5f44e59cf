/** Live streams as other features see them: hosts, open streams, and rows that expire. */
export { CLIENT_TOKENS } from './client-tokens/store.js';
export { drainHost, isHostPresent, listHosts } from './hosts.js';
export { CLOSED_STREAMS, openStreamsIn } from './store.js';
