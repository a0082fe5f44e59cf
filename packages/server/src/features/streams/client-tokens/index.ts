/** Client tokens for web pages: creation, verification, revocation, limits and usage. */
export { CLIENT_TOKENS, listTokenEnds, type TokenEnd } from './store.js';
