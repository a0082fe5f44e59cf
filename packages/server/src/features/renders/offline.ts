/** The parts of rendering that need no database: media of a document and problems, for commands without a server too. */
export { RenderProblem } from './contract.js';
export { operatorsIdentity } from './credentials/certificate.js';
export { type Verified, verifyFile } from './credentials/verify.js';
export { mediaSourcesOf, openMediaSources } from './media/index.js';
export { explained, reasonOf } from './problems.js';
