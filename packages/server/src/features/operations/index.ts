/** Health, metrics, retention and the API's documentation. */
export { measurePipeline, measureQueues } from './measures.js';
export { serveOperations } from './operations.js';
export { bindOutbox } from './outbox.js';
export { startRetention } from './retention.js';
export { serveRole } from './role-server.js';
