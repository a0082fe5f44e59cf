/** API tokens: created, shown once, stored as hashes, revoked. */
export { bindTokens } from './routes.js';
export { createToken, createTokenReader, revokeToken, revokeTokensOf } from './tokens.js';
