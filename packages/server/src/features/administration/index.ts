/** What the operator of an installation sees and sets in the console: workspaces, plans, hosts, workers, queues. */
export { startWorkerBeats } from './beats.js';
export { bindAdministration } from './routes.js';
