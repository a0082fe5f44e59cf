/** Sign-in to the console by e-mail and password. */
export { pruneSessions } from './store.js';
