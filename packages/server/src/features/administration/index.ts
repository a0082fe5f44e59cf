/** The console pages of an administrator: workspaces, plans, hosts, workers, queues. */

export { setWorkspace } from './administration.js';
export { bindAdministration } from './routes.js';
export { startWorkerHeartbeats } from './worker-heartbeats.js';
