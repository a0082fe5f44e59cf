/** Webhooks: subscriptions, the at-most-once sender and its log (interface.md 2.4, 3.2, 4.5, 6). */
export { countDisabledWebhooks, countRecentDeliveries } from './counts.js';
export { startDeliverySender } from './sender.js';
export { enqueueCallbacks, enqueueDelivery, requireCallbackUrl, type VideoOutcome } from './service.js';
export { ENDED_DELIVERIES } from './store.js';
