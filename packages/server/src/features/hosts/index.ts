/** Hosts of live streams: which there are, whether they live, which one takes the next stream. */
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
