/** API tokens: created, shown once, stored as hashes, revoked. */
export { createToken, createTokenReader, revokeToken, revokeTokensOf } from './tokens.js';
