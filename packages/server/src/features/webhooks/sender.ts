import { WEBHOOK_HEADERS } from '@figurehead/contract/endpoints';
import { WEBHOOK_DEADLINE_MS } from '@figurehead/contract/limits';
import { FetchError, type Kernel } from '../../kernel/contract.js';
import { createNotificationListener } from '../../kernel/jobs/notification-listener.js';
import { Bell } from '../../kernel/waiting.js';
import { failureNotice } from './notice.js';
import { signatureHeaders, standardHeaders } from './signature.js';
import * as store from './store.js';

/**
 * Time after its deadline at which a delivery that is still `sending` counts as abandoned. Covers recording the outcome
 * while PostgreSQL restarts, which takes about two seconds; it is also the pause of a webhook whose sender was killed.
 */
const LEASE_MARGIN_MS = 10_000;
/**
 * Maximum concurrent deliveries of one process, each to another webhook. They wait on the network and cost only memory.
 */
const CONCURRENCY = 32;
/** Of these, places for slow receivers and callbacks; the others are reserved for fast webhooks. */
const SLOW_PLACES = 24;
/** Notifications are lost with their connection; then deliveries are delayed by up to this interval. */
const POLL_MS = 2_000;
/** Maximum bytes of an answer's body that are read and stored. */
const EXCERPT_BYTES = 2_048;
/** Pauses between attempts to record an outcome (never to send again), milliseconds. */
const RECORD_PAUSES_MS = [100, 500, 1_000, 2_000, 5_000, 10_000];

/** Times that tests shorten. */
export interface SenderTimes {
  /** The receiver's time for its whole answer. Default: {@link WEBHOOK_DEADLINE_MS}. */
  readonly deadlineMs?: number;
  /** Time after which a delivery in the state `sending` counts as abandoned. Default: deadline plus a margin. */
  readonly leaseMs?: number;
  /** Maximum interval between two reads of the database when no notification arrives. Default: 2 s. */
  readonly pollMs?: number;
}

/**
 * Sends webhook deliveries and callbacks, each at most once, one at a time per webhook, in the order of their events.
 * Callbacks of a workspace have their own order. Runs in the api
 * role, in any number of processes. Starts immediately; stops with the lifecycle, after running deliveries have ended
 * (at most the deadline).
 *
 * A process that dies between the commit of `sending` and the record of the outcome leaves a row that becomes
 * `unknown`. It is not resent, because it may have arrived. It is not counted either, because the specification counts
 * failed deliveries: ten crashes of this server must not disable a webhook whose receiver always answered.
 */
export function startDeliverySender(kernel: Kernel, times: SenderTimes = {}): void {
  const { deadlineMs = WEBHOOK_DEADLINE_MS, pollMs = POLL_MS } = times;
  const { config, transaction, log, lifecycle } = kernel;
  const leaseMs = times.leaseMs ?? deadlineMs + LEASE_MARGIN_MS;
  const underWay = new Set<Promise<void>>();
  let slow = 0;
  const alarm = new Bell();
  const listener = createNotificationListener({
    url: config.databaseUrl,
    channel: store.DELIVERIES_CHANNEL,
    application: 'webhooks',
    onNotify: () => alarm.ring(),
  });
  const sweep = sweeper(kernel, pollMs);

  const headersOf = (delivery: store.DeliveryRow, webhook: store.WebhookRow | undefined) =>
    requestHeaders(delivery, webhook?.secret ?? null, kernel.clock.now());

  async function round(): Promise<void> {
    await listener
      .ensure()
      .catch((error: unknown) => log.warn({ err: error }, 'the webhook sender cannot listen; it polls'));
    await sweep();
    while (!lifecycle.signal.aborted && underWay.size < CONCURRENCY) {
      const quickOnly = slow >= SLOW_PLACES;
      const claim =
        (await store.claimDelivery(transaction, { leaseMs, quickOnly }, headersOf)) ??
        (quickOnly ? undefined : await store.claimCallback(transaction, { leaseMs }, headersOf));
      if (!claim) return;
      // The close began during the claim.
      if (lifecycle.signal.aborted) return store.releaseDelivery(transaction, claim);
      const weight = store.isSlow(claim) ? 1 : 0;
      slow += weight;
      const delivery = deliver(claim)
        .catch((error: unknown) =>
          log.error({ err: error, deliveryId: claim.delivery.id }, 'webhook delivery not recorded'),
        )
        .finally(() => {
          underWay.delete(delivery);
          slow -= weight;
          alarm.ring();
        });
      underWay.add(delivery);
    }
  }

  async function deliver(claim: store.ClaimedDelivery): Promise<void> {
    const outcome = await post(claim.delivery, kernel, deadlineMs);
    const after = await persist(log, () => store.recordOutcome(transaction, claim, outcome));
    const { delivery } = claim;
    log.info(
      { deliveryId: delivery.id, status: outcome.status, error: outcome.error, ms: outcome.durationMs },
      'webhook delivery',
    );
    const webhook = after ?? claim.webhook;
    if (outcome.status === 'delivered' || delivery.callback || webhook === undefined) return;
    const notice = failureNotice({ delivery, outcome, webhook });
    if (notice) await kernel.mailer.send({ workspaceId: delivery.workspaceId, ...notice });
  }

  async function run(): Promise<void> {
    while (!lifecycle.signal.aborted) {
      try {
        await round();
      } catch (error) {
        log.warn({ err: error }, 'the webhook sender could not read deliveries; it will retry');
      }
      await alarm.heard(pollMs);
    }
  }

  lifecycle.signal.addEventListener('abort', () => alarm.ring(), { once: true });
  const running = run();
  lifecycle.onClose('webhook sender', async () => {
    alarm.ring();
    await running;
    await Promise.all(underWay);
    await listener.close();
  });
}

/** Marks deliveries of dead senders as unknown, at most once per half polling interval, so that timing jitter does not skip a poll. */
function sweeper({ db, log }: Kernel, pollMs: number): () => Promise<void> {
  let sweepAt = 0;
  return async () => {
    if (performance.now() < sweepAt) return;
    sweepAt = performance.now() + pollMs / 2;
    const abandoned = await store.abandonExpired(db);
    if (abandoned > 0)
      log.warn({ abandoned }, 'webhook deliveries were left by a sender that died; their outcome is unknown');
  };
}

/** The headers of a delivery: the signature only when a secret is set (interface.md 6.1). */
function requestHeaders(
  delivery: store.DeliveryRow,
  secret: string | null,
  timestampMs: number,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Figurehead-Webhooks',
    [WEBHOOK_HEADERS.id]: delivery.id,
    ...(secret === null ? {} : signaturesOf(delivery, secret, timestampMs)),
  };
}

/** Signature headers of the interface, and those of Standard Webhooks. */
function signaturesOf({ id, body }: store.DeliveryRow, secret: string, timestampMs: number): Record<string, string> {
  return { ...signatureHeaders({ secret, timestampMs, body }), ...standardHeaders({ id, secret, timestampMs, body }) };
}

/** Sends once. Every failure is an outcome. */
async function post(
  delivery: store.DeliveryRow,
  { fetch, config }: Kernel,
  deadlineMs: number,
): Promise<store.DeliveryOutcome> {
  const startMs = performance.now();
  const outcome = (
    result: Pick<store.DeliveryOutcome, 'status' | 'error'> & Partial<store.DeliveryOutcome>,
  ): store.DeliveryOutcome => ({
    responseStatus: null,
    responseExcerpt: null,
    durationMs: Math.round(performance.now() - startMs),
    ...result,
  });
  try {
    const answer = await fetch(delivery.url, {
      method: 'POST',
      headers: delivery.requestHeaders,
      body: delivery.body,
      deadlineMs,
      maxBytes: EXCERPT_BYTES,
      excess: 'cut',
      allowPrivate: config.webhookAllowPrivate,
    });
    const accepted = answer.status >= 200 && answer.status < 300;
    return outcome({
      status: accepted ? 'delivered' : 'failed',
      error: accepted ? null : `The receiver answered ${answer.status}; a 2xx answer was expected.`,
      responseStatus: answer.status,
      responseExcerpt: excerpt(answer.body),
    });
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return outcome({ status: 'failed', error: error.message });
  }
}

/** Text for the log; PostgreSQL's `text` cannot contain NUL. */
function excerpt(body: Buffer): string {
  return body.toString('utf8').replaceAll('\0', '\uFFFD');
}

/** Retries a failed write, because the outcome exists only in this process and PostgreSQL may be restarting. */
async function persist<T>(log: Kernel['log'], write: () => Promise<T>): Promise<T> {
  for (const pauseMs of RECORD_PAUSES_MS) {
    try {
      return await write();
    } catch (error) {
      log.warn({ err: error }, 'the outcome of a webhook delivery could not be recorded; it will be retried');
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return await write();
}
