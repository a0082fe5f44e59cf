/** Health, metrics, retention and the API's documentation. */
export { measurePipeline, measureQueues } from './measures.js';
export { startRetention } from './retention.js';
export { serveRole } from './role-server.js';
