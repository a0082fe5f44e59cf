/** Health, metrics and the API's documentation. */
export { serveOperations } from './operations.js';
