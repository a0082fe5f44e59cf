/** Hosts of live streams: registration, liveness and allocation. */
export {
  allocateHost,
  BEAT_MS,
  beatHost,
  type ChosenHost,
  deadHosts,
  drainHost,
  isHostPresent,
  listHosts,
  mendHostCounts,
  registerHost,
  removeHost,
} from './hosts.js';
