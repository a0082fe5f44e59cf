/** Hosts of live streams: registration, liveness and allocation. */
export { allocateHost, BEAT_MS, deadHosts, isHostPresent, mendHostCounts } from './hosts.js';
export { beatHost, type ChosenHost, drainHost, listHosts, registerHost, removeHost } from './store.js';
