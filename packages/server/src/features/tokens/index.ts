/** API tokens: made, shown once, kept as hashes, revoked. */
export { bindTokens } from './routes.js';
export { callerByToken, createToken, revokeToken, revokeTokensOf } from './tokens.js';
