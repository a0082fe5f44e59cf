/** The parts of rendering that need no database: problems of a document, for commands without a server too. */

export { RenderProblem } from './contract.js';
export { operatorsIdentity } from './credentials/certificate.js';
export { type Verified, verifyFile } from './credentials/verify.js';
export { explained } from './problems.js';
