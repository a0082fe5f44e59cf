/** The web application's files, as a browser asks for them. */
export { serveConsole } from './console.js';
