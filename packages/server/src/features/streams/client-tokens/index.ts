/** Client tokens for web pages: creation, verification, revocation, limits and usage. */
export { type ClientTokens, claimStream, createClientTokens, narrow } from './client-tokens.js';
export { serveEmbed } from './embed.js';
export { listTokenEnds, type TokenEnd } from './store.js';
