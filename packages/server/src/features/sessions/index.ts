/** Sign-in to the console by e-mail and password. */
export { SIGN_IN_FAILURES } from './failure-store.js';
export { endSessionsOf } from './sessions.js';
export { pruneSessions } from './store.js';
