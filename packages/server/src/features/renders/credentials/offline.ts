/** Content credentials without a database, and without the engine. */

export { commandSigner, operatorsIdentity } from './certificate.js';
export { signFile, signRendered } from './sign.js';
export { type Verified, verifyFile } from './verify.js';
