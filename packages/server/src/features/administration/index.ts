/** What the operator of an installation sees and sets in the console: workspaces, plans, hosts, workers, queues. */

export { bindAdministration } from './routes.js';
export { startWorkerHeartbeats } from './worker-heartbeats.js';
