import type { DELIVERY_STATES, WebhookEvent } from '@figurehead/contract';
import { type Generated, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Database, Transact, Tx } from '../../kernel/contract.js';
import { type Page, type PageQuery, readPage } from '../../kernel/database/page.js';

// deliveries.status
//
//   pending ──claim──▶ sending ──2xx──▶ delivered
//      │                  ├──anything else──▶ failed      (counter + 1, notice; at 10 the webhook is disabled)
//      │                  └──lease ran out──▶ unknown     (the sender died; never sent again)
//      └──webhook disabled or unsubscribed──▶ dropped     (lost)
//
// Nothing leads back to `pending`: that is what makes a delivery happen at most once. The only step out of an end state is
// unknown → delivered | failed, when a sender that was only thought dead still reports what it saw.

/** Where a delivery stands. */
export type DeliveryStatus = (typeof DELIVERY_STATES)[number];

interface WebhooksTable {
  workspaceId: string;
  subscriptionId: Generated<string>;
  url: string;
  enabled: Generated<boolean>;
  failedDeliveries: Generated<number>;
  secret: string | null;
  techEmail: string | null;
  /** When a delivery was last taken for sending: the webhook served longest ago is next. */
  lastClaimedAt: Date | null;
  /** How long its receiver took last, ms; null before its first delivery. */
  lastDurationMs: number | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
}

interface DeliveriesTable {
  id: Generated<string>;
  workspaceId: string;
  event: WebhookEvent;
  videoId: string | null;
  status: Generated<DeliveryStatus>;
  body: Buffer;
  resendOf: string | null;
  url: string;
  requestHeaders: Generated<Record<string, string>>;
  responseStatus: number | null;
  responseExcerpt: string | null;
  error: string | null;
  durationMs: number | null;
  createdAt: Generated<Date>;
  sentAt: Date | null;
  leaseUntil: Date | null;
  finishedAt: Date | null;
}

type Tables = {
  webhooks: WebhooksTable;
  deliveries: DeliveriesTable;
};

/** A subscription as stored. */
export type WebhookRow = Selectable<WebhooksTable>;
/** A delivery as stored. */
export type DeliveryRow = Selectable<DeliveriesTable>;

/** What a sender holds after a claim. */
export interface Claim {
  readonly delivery: DeliveryRow;
  readonly webhook: WebhookRow;
}

/** What came of one POST. `responseStatus` is null when no answer came. */
export interface Outcome {
  readonly status: 'delivered' | 'failed';
  readonly responseStatus: number | null;
  readonly responseExcerpt: string | null;
  /** Why it failed, one sentence; null when delivered. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** PostgreSQL channel on which commits of new deliveries wake the senders. */
export const DELIVERIES_CHANNEL = 'figurehead_deliveries';

const tables = (db: Database): Kysely<Tables> => db.withTables<Tables>();
const tablesIn = (tx: Tx): Transaction<Tables> => tx.withTables<Tables>();
const now = sql<Date>`now()`;

/** The workspace's subscription. */
export function findWebhook(db: Database, workspaceId: string): Promise<WebhookRow | undefined> {
  return tables(db).selectFrom('webhooks').selectAll().where('workspaceId', '=', workspaceId).executeTakeFirst();
}

/**
 * The subscription, if it is enabled, held as it is until the caller's transaction ends: it cannot be disabled between the look
 * and the commit, so no delivery is left waiting for a webhook that no longer takes any.
 */
export function holdEnabledWebhook(tx: Tx, workspaceId: string): Promise<WebhookRow | undefined> {
  return tablesIn(tx)
    .selectFrom('webhooks')
    .selectAll()
    .where('workspaceId', '=', workspaceId)
    .where('enabled', '=', true)
    .forShare()
    .executeTakeFirst();
}

/** Subscribes or subscribes again: enabled, counter 0, the secret stays; `techEmail` stays when undefined. */
export function upsertWebhook(
  db: Database,
  values: { workspaceId: string; url: string; techEmail: string | null | undefined },
): Promise<WebhookRow> {
  const { workspaceId, url, techEmail } = values;
  return tables(db)
    .insertInto('webhooks')
    .values({ workspaceId, url, techEmail: techEmail ?? null })
    .onConflict((conflict) =>
      conflict.column('workspaceId').doUpdateSet({
        subscriptionId: sql<string>`gen_random_uuid()::text`,
        url,
        enabled: true,
        failedDeliveries: 0,
        updatedAt: now,
        ...(techEmail === undefined ? {} : { techEmail }),
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Removes the subscription with its secret, and drops what was waiting. */
export function deleteWebhook(transaction: Transact, workspaceId: string): Promise<void> {
  return transaction(async (tx) => {
    await tablesIn(tx).deleteFrom('webhooks').where('workspaceId', '=', workspaceId).execute();
    await dropPending(tx, workspaceId, 'The webhook was unsubscribed before this was sent.');
  });
}

/** Stores the secret iff the webhook is enabled. */
export async function storeSecret(db: Database, workspaceId: string, secret: string): Promise<void> {
  await tables(db)
    .updateTable('webhooks')
    .set({ secret, updatedAt: now })
    .where('workspaceId', '=', workspaceId)
    .where('enabled', '=', true)
    .execute();
}

/** Writes a pending delivery and wakes the senders when the transaction commits. */
export async function insertDelivery(
  tx: Tx,
  delivery: Pick<DeliveryRow, 'workspaceId' | 'event' | 'videoId' | 'body' | 'resendOf' | 'url'>,
): Promise<DeliveryRow> {
  const row = await tablesIn(tx).insertInto('deliveries').values(delivery).returningAll().executeTakeFirstOrThrow();
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`.execute(tx);
  return row;
}

/** One delivery, whoever owns it. */
export function findDelivery(db: Database, id: string): Promise<DeliveryRow | undefined> {
  return tables(db).selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The workspace's deliveries, newest first; `page` from 1. */
export async function listDeliveries(
  db: Database,
  workspaceId: string,
  query: PageQuery & { state?: DeliveryStatus | undefined },
): Promise<Page<DeliveryRow>> {
  const all = tables(db).selectFrom('deliveries').selectAll().where('workspaceId', '=', workspaceId);
  const wanted = query.state === undefined ? all : all.where('status', '=', query.state);
  return readPage(wanted.orderBy('createdAt', 'desc').orderBy('id', 'desc'), query);
}

/**
 * Takes the next waiting delivery and commits it as `sending`, with the request that is about to go out. The webhook is locked first
 * and the deliveries are looked at afterwards, by a statement of its own: its snapshot then shows what another sender committed a
 * moment ago. (In one statement a second sender would step over the row that the first has just taken, and take the next one of the
 * same webhook.)
 * @param options.quickOnly passes over webhooks whose receivers are slow ({@link isSlow}).
 * @returns undefined when nothing can be sent now.
 */
export function claimDelivery(
  transaction: Transact,
  { leaseMs, quickOnly = false }: { leaseMs: number; quickOnly?: boolean },
  headersOf: (delivery: DeliveryRow, webhook: WebhookRow) => Record<string, string>,
): Promise<Claim | undefined> {
  return transaction(async (tx) => {
    const webhook = await lockSendableWebhook(tx, quickOnly);
    if (!webhook) return undefined;
    const waiting = await tablesIn(tx)
      .selectFrom('deliveries')
      .selectAll()
      .where('workspaceId', '=', webhook.workspaceId)
      .where('status', 'in', ['pending', 'sending'])
      // `sending` sorts first: if there is one now, the webhook is busy after all.
      .orderBy('status', 'desc')
      .orderBy('createdAt')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (waiting?.status !== 'pending') return undefined;
    const delivery = await tablesIn(tx)
      .updateTable('deliveries')
      .set({
        status: 'sending',
        url: webhook.url,
        requestHeaders: headersOf(waiting, webhook),
        sentAt: now,
        leaseUntil: sql<Date>`now() + ${leaseMs} * interval '1 ms'`,
      })
      .where('id', '=', waiting.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await tablesIn(tx)
      .updateTable('webhooks')
      .set({ lastClaimedAt: now })
      .where('workspaceId', '=', webhook.workspaceId)
      .execute();
    return { delivery, webhook };
  });
}

/** A receiver that took longer than this is slow, ms. */
const SLOW_MS = 2_000;

/** Whether a webhook's receiver was slow the last time. */
export function isSlow({ lastDurationMs }: WebhookRow): boolean {
  return (lastDurationMs ?? 0) > SLOW_MS;
}

/**
 * The enabled webhook served longest ago that has something waiting and nothing under way, and that no other transaction holds: each
 * workspace has its turn, however much waits for another.
 */
async function lockSendableWebhook(tx: Tx, quickOnly: boolean): Promise<WebhookRow | undefined> {
  const result = await sql<WebhookRow>`
    select w.* from webhooks w
    where w.enabled
      and exists (select 1 from deliveries d where d.workspace_id = w.workspace_id and d.status = 'pending')
      and not exists (select 1 from deliveries d where d.workspace_id = w.workspace_id and d.status = 'sending')
      and (${!quickOnly} or coalesce(w.last_duration_ms, 0) <= ${SLOW_MS})
    order by w.last_claimed_at nulls first, w.workspace_id
    limit 1
    for update of w skip locked`.execute(tx);
  return result.rows[0];
}

/**
 * Records what came of a delivery, in one transaction with its consequences: a failure raises the counter of the subscription it was
 * sent under, and the failure that makes it `maxFailures` disables the webhook and drops what was waiting.
 * @returns the webhook after a failure that counted; undefined otherwise.
 */
export function recordOutcome(
  transaction: Transact,
  { delivery, webhook }: Claim,
  outcome: Outcome,
  maxFailures: number,
): Promise<WebhookRow | undefined> {
  return transaction(async (tx) => {
    const recorded = await tablesIn(tx)
      .updateTable('deliveries')
      .set({ ...outcome, leaseUntil: null, finishedAt: now })
      .where('id', '=', delivery.id)
      .where('status', 'in', ['sending', 'unknown'])
      .executeTakeFirst();
    // Recorded before: the answer to the first commit was lost with its connection.
    if (recorded.numUpdatedRows === 0n) return undefined;
    await wakeIfWaiting(tx, delivery.workspaceId);
    await tablesIn(tx)
      .updateTable('webhooks')
      .set({ lastDurationMs: outcome.durationMs })
      .where('workspaceId', '=', delivery.workspaceId)
      .execute();
    if (outcome.status === 'delivered') return undefined;
    const after = await tablesIn(tx)
      .updateTable('webhooks')
      .set({
        failedDeliveries: sql<number>`failed_deliveries + 1`,
        enabled: sql<boolean>`failed_deliveries + 1 < ${maxFailures}`,
        updatedAt: now,
      })
      .where('workspaceId', '=', delivery.workspaceId)
      .where('subscriptionId', '=', webhook.subscriptionId)
      .where('enabled', '=', true)
      .returningAll()
      .executeTakeFirst();
    if (after && !after.enabled) {
      await dropPending(tx, delivery.workspaceId, `The webhook was disabled after ${maxFailures} failed deliveries.`);
    }
    return after;
  });
}

/** Ends the deliveries whose sender has died: their outcome is not known. @returns how many. */
export async function abandonExpired(db: Database): Promise<number> {
  const result = await tables(db)
    .updateTable('deliveries')
    .set({
      status: 'unknown',
      error: 'The server stopped while this was on its way; whether it arrived is not known.',
      leaseUntil: null,
      finishedAt: now,
    })
    .where('status', '=', 'sending')
    .where('leaseUntil', '<', now)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

async function dropPending(tx: Tx, workspaceId: string, reason: string): Promise<void> {
  await tablesIn(tx)
    .updateTable('deliveries')
    .set({ status: 'dropped', error: reason, finishedAt: now })
    .where('workspaceId', '=', workspaceId)
    .where('status', '=', 'pending')
    .execute();
}

/** The next delivery of this webhook may be taken by any sender, also by one in another process. */
async function wakeIfWaiting(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, '') where exists
    (select 1 from deliveries where workspace_id = ${workspaceId} and status = 'pending')`.execute(tx);
}
