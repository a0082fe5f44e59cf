/** The ledger of minutes: charges, balance and the list of entries. */
export { charge, grant, remainingMs, settleStreams } from './billing.js';
