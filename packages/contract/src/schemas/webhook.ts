import { type Static, Type } from '@sinclair/typebox';
import { PLANS, QUOTA_ENTITIES, WORKSPACE_STATUSES } from '../limits.js';
import { Nullable, Nullish, OneOf, Time } from './common.js';
import { VideoSummary } from './video.js';

/** The two events (§6). */
export const WEBHOOK_EVENTS = ['video_ready', 'video_error'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Body of a delivery (§6.2). */
export const WebhookBody = Type.Object({
  event: OneOf(WEBHOOK_EVENTS),
  error: Nullable(Type.String()),
  requestId: Type.Optional(Type.String()),
  batchRowId: Type.Optional(Type.Integer({ minimum: 0 })),
  video: VideoSummary,
});
export type WebhookBody = Static<typeof WebhookBody>;

/** What a `callbackUrl` may be told: the two events, and the end of an import. */
export const CALLBACK_EVENTS = [...WEBHOOK_EVENTS, 'video_imported'] as const;

/** Body of a call to a `callbackUrl`. */
export const CallbackBody = Type.Object({ ...WebhookBody.properties, event: OneOf(CALLBACK_EVENTS) });
export type CallbackBody = Static<typeof CallbackBody>;

/** Body of POST /webhook. */
export const WebhookInput = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2000 }),
  techEmail: Nullish(Type.String({ minLength: 1, maxLength: 320 })),
});

const subscription = {
  url: Type.String(),
  enabled: Type.Boolean(),
  failedDeliveries: Type.Integer({ minimum: 0 }),
  secretSet: Type.Boolean(),
  techEmail: Nullable(Type.String()),
};

/** A workspace's webhook. */
export const Webhook = Type.Object(subscription);
export type Webhook = Static<typeof Webhook>;

/** Body of PUT /webhook/secret (§4.5). */
export const WebhookSecret = Type.Object({ secret: Type.String({ maxLength: 4096 }) });

/** Answer of DELETE /webhook. */
export const Unsubscribed = Type.Object({ deleted: Type.Literal(true) });

/** Use of one limited entity; `null` is unlimited, or has no window. */
export const QuotaUse = Type.Object({
  entity: OneOf([...QUOTA_ENTITIES, 'uploadFolders']),
  limit: Nullable(Type.Integer()),
  used: Type.Integer(),
  windowSeconds: Nullable(Type.Integer()),
  nextFreeAt: Nullable(Time),
});
export type QuotaUse = Static<typeof QuotaUse>;

/** Answer of GET /apiConfig. Never the secret; the fingerprint is the first 8 hex characters of its SHA-256. */
export const ApiConfig = Type.Object({
  webhook: Nullable(Type.Object({ ...subscription, secretFingerprint: Nullable(Type.String()) })),
  plan: OneOf(PLANS),
  status: OneOf(WORKSPACE_STATUSES),
  minutes: Type.Number(),
  allowOverlimit: Type.Boolean(),
  quotas: Type.Array(QuotaUse),
});
export type ApiConfig = Static<typeof ApiConfig>;

/** Outcome of a delivery: `unknown` after a crash while sending; never retried automatically (§6.4). */
export const DELIVERY_STATES = ['pending', 'sending', 'delivered', 'failed', 'unknown', 'dropped'] as const;

/** One delivery as the log shows it, with the exact bytes sent and the start of the answer. */
export const Delivery = Type.Object(
  {
    _id: Type.String(),
    deliveryId: Type.String(),
    event: OneOf(CALLBACK_EVENTS),
    callback: Type.Boolean({ description: 'Sent to a `callbackUrl`, outside of the subscription and its counter.' }),
    videoId: Nullable(Type.String()),
    state: OneOf(DELIVERY_STATES),
    url: Type.String(),
    requestHeaders: Type.Record(Type.String(), Type.String()),
    requestBody: Type.String(),
    responseStatus: Nullable(Type.Integer()),
    responseBody: Nullable(Type.String()),
    error: Nullable(Type.String()),
    durationMs: Nullable(Type.Number()),
    createdAt: Time,
    sentAt: Nullable(Time),
  },
  { $id: 'Delivery' },
);
export type Delivery = Static<typeof Delivery>;
