import { Type } from '@sinclair/typebox';
import { routesOf } from '../route.js';
import { Accepted, ListOf, OneOf, Paging } from '../schemas/common.js';
import {
  ApiConfig,
  DELIVERY_STATES,
  Delivery,
  Unsubscribed,
  Webhook,
  WebhookInput,
  WebhookSecret,
} from '../schemas/webhook.js';

/** Routes of the webhook and of the workspace's API configuration (§4.5, §6). */
export const webhookRoutes = routesOf('Webhook', {
  subscribe: {
    summary: 'Subscribe, or enable the webhook again; the failure counter starts at 0',
    body: WebhookInput,
    response: Webhook,
  },
  unsubscribe: { summary: 'Unsubscribe and delete the secret', response: Unsubscribed },
  setWebhookSecret: {
    summary: 'Set the signing secret; discarded silently unless a webhook is enabled',
    body: WebhookSecret,
    response: Accepted,
  },
  readApiConfig: {
    summary: 'Read webhook, plan, minutes and quotas of the workspace',
    response: ApiConfig,
  },
  listDeliveries: {
    summary: 'List deliveries, newest first',
    query: Type.Object({ ...Paging, state: Type.Optional(OneOf(DELIVERY_STATES)) }),
    response: ListOf('deliveries', Delivery),
  },
  testWebhook: {
    summary: 'Deliver a sample video_ready event; it counts like any other delivery',
    idempotencyKey: true,
    response: Delivery,
  },
  resendDelivery: {
    summary: 'Send the same body again, as a new delivery',
    idempotencyKey: true,
    response: Delivery,
  },
});
