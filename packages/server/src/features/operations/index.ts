/** Health, metrics and the API's documentation. */
export { serveOperations } from './operations.js';
export { bindOutbox } from './outbox.js';
