/** Webhooks: subscriptions, the at-most-once sender and its log (interface.md 2.4, 3.2, 4.5, 6). */
export { startDeliverySender } from './sender.js';
export { enqueueCallbacks, enqueueDelivery, requireCallbackUrl, type VideoOutcome } from './service.js';
export { countDisabledWebhooks, countRecentDeliveries, ENDED_DELIVERIES } from './store.js';
