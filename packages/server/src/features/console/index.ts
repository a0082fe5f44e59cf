/** Serves the files of the web application. */
export { serveConsole } from './console.js';
