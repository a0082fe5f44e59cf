/** Client tokens for web pages: creation, verification, revocation, limits and usage. */
export { listTokenEnds, type TokenEnd } from './store.js';
