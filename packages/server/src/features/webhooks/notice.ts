import { WEBHOOK_MAX_FAILURES } from '@figurehead/contract/limits';
import type { Mail } from '../../kernel/contract.js';
import type { DeliveryOutcome, DeliveryRow, WebhookRow } from './store.js';

/**
 * The notice to `techEmail` on a failed delivery (interface.md 2.4, 6.4).
 * @param options.webhook the subscription after the failure.
 * @returns undefined when the subscription has no address.
 */
export function failureNotice(options: {
  delivery: DeliveryRow;
  outcome: DeliveryOutcome;
  webhook: WebhookRow;
}): Mail | undefined {
  const { delivery, outcome, webhook } = options;
  if (!webhook.techEmail) return undefined;
  const consequence = webhook.enabled
    ? `${webhook.failedDeliveries} of ${WEBHOOK_MAX_FAILURES} failed deliveries; at ${WEBHOOK_MAX_FAILURES} the webhook is disabled.`
    : `After ${webhook.failedDeliveries} failed deliveries the webhook is now disabled. Waiting deliveries were dropped. Subscribe again with POST /webhook, or on the API page of the console.`;
  return {
    to: webhook.techEmail,
    subject: webhook.enabled ? `Webhook delivery failed (${delivery.event})` : 'Webhook disabled',
    text: [
      `A webhook delivery failed and will not be repeated.`,
      '',
      `Event:       ${delivery.event}`,
      `Video:       ${delivery.videoId ?? 'none, this was a test'}`,
      `Delivery-ID: ${delivery.id}`,
      `Receiver:    ${delivery.url}`,
      `Reason:      ${outcome.error}`,
      '',
      consequence,
      '',
      `You can read lost events from GET /videos, filtered by status.`,
      '',
    ].join('\n'),
  };
}
