/** Content credentials of recordings, without the engine. */
export { createCredentials } from './credentials.js';
