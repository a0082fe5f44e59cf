/** The console pages of an administrator: workspaces, plans, hosts, workers, queues. */

export { startWorkerHeartbeats } from './worker-heartbeats.js';
export { setWorkspace } from './workspace-settings.js';
