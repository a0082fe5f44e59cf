/** Tokens for web pages: made, verified, revoked; what they allow and what is used of it. */
export { type ClientTokens, claimStream, createClientTokens, narrow } from './client-tokens.js';
export { serveEmbed } from './embed.js';
export { deleteExpired, listTokenEnds, type TokenEnd } from './store.js';
