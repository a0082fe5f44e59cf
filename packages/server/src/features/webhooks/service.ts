import type { ApiConfig, CallbackBody, Delivery, VideoSummary, Webhook, WebhookBody } from '@figurehead/contract';
import type { Config } from '../../kernel/config/config.js';
import type { Kernel, Tx } from '../../kernel/contract.js';
import { ApiError, invalidFields, requireOwn } from '../../kernel/errors.js';
import { isPrivateHost } from '../../kernel/network/fetch.js';
import { isBareAddress } from '../../kernel/network/mail.js';
import { secretFingerprint } from './signature.js';
import * as store from './store.js';

/** The end of a render, as reported to the subscriber (interface.md 6.2). */
export interface VideoOutcome extends WebhookBody {
  readonly workspaceId: string;
}

/**
 * Adds an event in the transaction that caused it: the delivery exists only if the transaction commits. Its bytes are
 * fixed here. Without an enabled webhook there is no delivery, also not later; callbacks need none.
 */
export async function enqueueDelivery(
  tx: Tx,
  outcome: VideoOutcome,
  callbackUrls: readonly string[] = [],
): Promise<void> {
  await enqueueCallbacks(tx, outcome, callbackUrls);
  const webhook = await store.holdEnabledWebhook(tx, outcome.workspaceId);
  if (!webhook) return;
  const { workspaceId, ...message } = outcome;
  await store.insertDelivery(tx, {
    workspaceId,
    event: message.event,
    videoId: message.video._id,
    body: encodeBody(message),
    resendOf: null,
    url: webhook.url,
    callback: false,
  });
}

/** Adds one delivery for each `callbackUrl` of a request that ends in this transaction. */
export async function enqueueCallbacks(
  tx: Tx,
  { workspaceId, ...message }: CallbackBody & { readonly workspaceId: string },
  urls: readonly string[],
): Promise<void> {
  const { event, video } = message;
  for (const url of urls) {
    const body = encodeBody(message);
    await store.insertDelivery(tx, {
      workspaceId,
      event,
      videoId: video._id,
      body,
      resendOf: null,
      url,
      callback: true,
    });
  }
}

/** Throws 400 for a `callbackUrl` that a webhook could not have either. */
export function requireCallbackUrl({ config }: { config: Config }, url: string | undefined): void {
  const problem = url === undefined ? undefined : checkWebhookUrl(url, config.webhookAllowPrivate);
  if (problem !== undefined) throw invalidFields([{ field: 'callbackUrl', message: problem }]);
}

/** A workspace's webhook and its log. Every function takes the caller's workspace. */
export interface Webhooks {
  /**
   * Creates or replaces the subscription; an absent `techEmail` is kept, null removes it. Throws 400 for an invalid
   * address.
   */
  subscribe(workspaceId: string, input: { url: string; techEmail?: string | null }): Promise<Webhook>;
  /** Idempotent. Deletes the secret and drops waiting deliveries. */
  unsubscribe(workspaceId: string): Promise<void>;
  /** Stores the secret only if a webhook is enabled, without reporting whether it did (interface.md 4.5). */
  setSecret(workspaceId: string, secret: string): Promise<void>;
  /** The webhook part of `GET /apiConfig`. */
  describe(workspaceId: string): Promise<ApiConfig['webhook']>;
  list(
    workspaceId: string,
    range: { page: number; limit: number; state?: Delivery['state'] },
  ): Promise<{ deliveries: Delivery[]; total: number }>;
  /** A delivery of the workspace. Throws 404 and 403. */
  find(workspaceId: string, deliveryId: string): Promise<store.DeliveryRow>;
  /** Delivers a sample `video_ready`. Throws 400 without an enabled webhook. */
  test(workspaceId: string, userId: string): Promise<Delivery>;
  /**
   * Delivers the bytes of an ended delivery again, as a new one; a callback to its own address. Throws 400 when it is
   * still in progress or no webhook is enabled.
   */
  resend(delivery: store.DeliveryRow): Promise<Delivery>;
}

/** Creates {@link Webhooks}. */
export function createWebhooks({ db, transaction, ids, clock, config }: Kernel): Webhooks {
  /** Inserts a delivery that a user requested. */
  function insertAsked(
    workspaceId: string,
    delivery: Pick<store.DeliveryRow, 'event' | 'videoId' | 'body' | 'resendOf'>,
  ): Promise<Delivery> {
    return transaction(async (tx) => {
      const webhook = await store.holdEnabledWebhook(tx, workspaceId);
      if (!webhook)
        throw new ApiError('invalid', { reason: 'No webhook is enabled. Subscribe with POST /webhook first.' });
      return present(await store.insertDelivery(tx, { ...delivery, workspaceId, url: webhook.url, callback: false }));
    });
  }

  return {
    async subscribe(workspaceId, { url, techEmail }) {
      const problem = checkWebhookUrl(url, config.webhookAllowPrivate);
      if (problem) throw invalidFields([{ field: 'url', message: problem }]);
      if (typeof techEmail === 'string' && !isBareAddress(techEmail)) {
        throw invalidFields([{ field: 'techEmail', message: 'must be one e-mail address, like name@host.example' }]);
      }
      return presentWebhook(await store.upsertWebhook(db, { workspaceId, url, techEmail }));
    },

    unsubscribe: (workspaceId) => store.deleteWebhook(transaction, workspaceId),

    async setSecret(workspaceId, secret) {
      if (secret === '') throw invalidFields([{ field: 'secret', message: 'must not be empty' }]);
      await store.storeSecret(db, workspaceId, secret);
    },

    async describe(workspaceId) {
      const row = await store.findWebhook(db, workspaceId);
      if (!row) return null;
      return { ...presentWebhook(row), secretFingerprint: row.secret === null ? null : secretFingerprint(row.secret) };
    },

    async list(workspaceId, query) {
      const { rows, total } = await store.listDeliveries(db, workspaceId, query);
      return { deliveries: rows.map(present), total };
    },

    async find(workspaceId, deliveryId) {
      return requireOwn(await store.findDelivery(db, deliveryId), workspaceId, 'delivery');
    },

    test(workspaceId, userId) {
      const video = sampleVideo({ id: ids.next(), workspaceId, userId, nowMs: clock.now(), publicUrl: config.url });
      const body = encodeBody({ event: 'video_ready', error: null, video });
      return insertAsked(workspaceId, { event: 'video_ready', videoId: null, body, resendOf: null });
    },

    async resend({ id, workspaceId, event, videoId, body, status, url, callback }) {
      if (status === 'pending' || status === 'sending') {
        throw new ApiError('invalid', { reason: 'This delivery is still in progress.' });
      }
      const again = { workspaceId, event, videoId, body, resendOf: id };
      if (!callback) return insertAsked(workspaceId, again);
      return present(await transaction((tx) => store.insertDelivery(tx, { ...again, url, callback })));
    },
  };
}

/** The request body, with members in the order of interface.md 6.2. */
function encodeBody({ event, error, requestId, batchRowId, video }: CallbackBody): Buffer {
  return Buffer.from(JSON.stringify({ event, error, requestId, batchRowId, video }));
}

function presentWebhook(row: store.WebhookRow): Webhook {
  const { url, enabled, failedDeliveries, secret, techEmail } = row;
  return { url, enabled, failedDeliveries, secretSet: secret !== null, techEmail };
}

function present(row: store.DeliveryRow): Delivery {
  return {
    _id: row.id,
    deliveryId: row.id,
    event: row.event,
    callback: row.callback,
    videoId: row.videoId,
    state: row.status,
    url: row.url,
    requestHeaders: row.requestHeaders,
    requestBody: row.body.toString('utf8'),
    responseStatus: row.responseStatus,
    responseBody: row.responseExcerpt,
    error: row.error,
    durationMs: row.durationMs,
    createdAt: row.createdAt.toISOString(),
    sentAt: row.sentAt?.toISOString() ?? null,
  };
}

/** A document of the right shape with an id that no video has and links that do not exist. */
function sampleVideo(of: {
  id: string;
  workspaceId: string;
  userId: string;
  nowMs: number;
  publicUrl: string;
}): VideoSummary {
  const at = new Date(of.nowMs).toISOString();
  return {
    _id: of.id,
    name: 'Webhook test',
    type: 'video',
    status: 'ready',
    public: false,
    deleted: false,
    tags: ['webhook-test'],
    userId: of.userId,
    accountId: of.workspaceId,
    folderId: null,
    data: {},
    duration: 1,
    url: `${of.publicUrl}/webhook-test.mp4`,
    thumbnail: `${of.publicUrl}/webhook-test.jpg`,
    createdAt: at,
    updatedAt: at,
  };
}

/**
 * The problem of a receiver's address, or undefined. Host names are not resolved here: their addresses are checked at
 * every connect.
 */
function checkWebhookUrl(text: string, allowPrivate: boolean): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL, like https://receiver.example/hook';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `must be http or https, not ${url.protocol}`;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (!allowPrivate && isPrivateHost(url))
    return `must not point to ${url.hostname.replace(/^\[|\]$/g, '')}, a private, loopback or reserved address, unless the server has FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE=1`;
  return undefined;
}
