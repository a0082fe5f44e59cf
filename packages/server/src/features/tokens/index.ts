/** API tokens: made, shown once, kept as hashes, revoked. */
export { bindTokens } from './routes.js';
export { createToken, createTokenReader, revokeToken, revokeTokensOf } from './tokens.js';
