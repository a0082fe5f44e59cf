/** Rate limits of single endpoints (§8.1). */
export { createLimiter } from './limits.js';
