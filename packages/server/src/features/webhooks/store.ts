import type { CallbackBody, DELIVERY_STATES } from '@figurehead/contract';
import { WEBHOOK_MAX_FAILURES } from '@figurehead/contract/limits';
import { type Generated, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Database, Kernel, Transact, Tx } from '../../kernel/contract.js';
import { type Page, type PageQuery, readPage } from '../../kernel/database/page.js';
import type { ExpiringRows } from '../../kernel/database/prune.js';

// deliveries.status
//
//   pending ──claim──▶ sending ──2xx──▶ delivered
//      │                  ├──anything else──▶ failed      (counter + 1, notice; at 10 the webhook is disabled; not for callbacks)
//      │                  └──lease ran out──▶ unknown     (the sender died; never sent again)
//      └──webhook disabled or unsubscribed──▶ dropped     (lost)
//
// Nothing leads back to `pending`: this makes a delivery happen at most once. The only transition from an end state is
// unknown → delivered | failed, when a sender that was wrongly declared dead reports its outcome.

/** State of a delivery. */
export type DeliveryStatus = (typeof DELIVERY_STATES)[number];

interface WebhooksTable {
  workspaceId: string;
  subscriptionId: Generated<string>;
  url: string;
  enabled: Generated<boolean>;
  failedDeliveries: Generated<number>;
  secret: string | null;
  techEmail: string | null;
  /** Time of the webhook's last claimed delivery: the least recently served webhook is next. */
  lastClaimedAt: Date | null;
  /** Duration of the receiver's last answer, ms; null before its first delivery. */
  lastDurationMs: number | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
}

interface DeliveriesTable {
  id: Generated<string>;
  workspaceId: string;
  event: CallbackBody['event'];
  /** To a `callbackUrl`: outside of the subscription. */
  callback: Generated<boolean>;
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

/** Deliveries of the log that have ended, for their removal; waiting and running ones stay, however old. */
export const ENDED_DELIVERIES: ExpiringRows = {
  table: 'deliveries',
  column: 'created_at',
  only: sql`status not in ('pending', 'sending')`,
};

type Tables = {
  webhooks: WebhooksTable;
  deliveries: DeliveriesTable;
};

export type WebhookRow = Selectable<WebhooksTable>;
export type DeliveryRow = Selectable<DeliveriesTable>;

/** A claimed delivery, as the sender needs it. */
export interface ClaimedDelivery<W extends WebhookRow | undefined = WebhookRow | undefined> {
  readonly delivery: DeliveryRow;
  /** The workspace's subscription; a callback needs none. */
  readonly webhook: W;
}

/** Result of one POST. `responseStatus` is null without an answer. */
export interface DeliveryOutcome {
  readonly status: 'delivered' | 'failed';
  readonly responseStatus: number | null;
  readonly responseExcerpt: string | null;
  /** Reason of the failure, one sentence; null when delivered. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** The headers of a request, of the delivery and the workspace's subscription. */
type HeadersOf = (delivery: DeliveryRow, webhook: WebhookRow | undefined) => Record<string, string>;

/** PostgreSQL channel on which commits of new deliveries notify the senders. */
export const DELIVERIES_CHANNEL = 'figurehead_deliveries';

const tables = (db: Database): Kysely<Tables> => db.withTables<Tables>();
const tablesIn = (tx: Tx): Transaction<Tables> => tx.withTables<Tables>();
const now = sql<Date>`now()`;

/** The workspace's subscription. */
export function findWebhook(db: Database | Tx, workspaceId: string): Promise<WebhookRow | undefined> {
  return tables(db as Database)
    .selectFrom('webhooks')
    .selectAll()
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirst();
}

/**
 * The subscription, if it is enabled, locked until the caller's transaction ends: it cannot be disabled before the
 * commit, so that no delivery waits for a disabled webhook.
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

/** Creates or replaces a subscription: enabled, counter 0; the secret is kept, and so is `techEmail` when undefined. */
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

/** Removes the subscription with its secret, and drops waiting deliveries. */
export function deleteWebhook(transaction: Transact, workspaceId: string): Promise<void> {
  return transaction(async (tx) => {
    await tablesIn(tx).deleteFrom('webhooks').where('workspaceId', '=', workspaceId).execute();
    await dropPending(tx, workspaceId, 'The webhook was unsubscribed before this was sent.');
  });
}

/** Stores the secret if the webhook is enabled. */
export async function storeSecret(db: Database, workspaceId: string, secret: string): Promise<void> {
  await tables(db)
    .updateTable('webhooks')
    .set({ secret, updatedAt: now })
    .where('workspaceId', '=', workspaceId)
    .where('enabled', '=', true)
    .execute();
}

/** Inserts a pending delivery, and notifies the senders on commit. */
export async function insertDelivery(
  tx: Tx,
  delivery: Pick<DeliveryRow, 'workspaceId' | 'event' | 'videoId' | 'body' | 'resendOf' | 'url' | 'callback'>,
): Promise<DeliveryRow> {
  const row = await tablesIn(tx).insertInto('deliveries').values(delivery).returningAll().executeTakeFirstOrThrow();
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`.execute(tx);
  return row;
}

/** One delivery, of any workspace. */
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
 * Takes the next waiting delivery and commits it as `sending`, with its request. The webhook is locked first and
 * deliveries are read by a second statement, whose snapshot includes what another sender has just committed. (In one
 * statement a second sender would skip the row that the first has just taken, and take the next one of the same
 * webhook.)
 * @param options.quickOnly skips webhooks with slow receivers ({@link isSlow}).
 * @returns undefined when nothing can be sent now.
 */
export async function claimDelivery(
  transaction: Transact,
  options: { leaseMs: number; quickOnly?: boolean },
  headersOf: HeadersOf,
): Promise<ClaimedDelivery<WebhookRow> | undefined> {
  for (;;) {
    const claim = await tryClaim(transaction, options, headersOf);
    // A new snapshot no longer has that webhook.
    if (claim !== 'taken') return claim;
  }
}

/** @returns `taken` when another sender has just taken the delivery of the webhook that was locked. */
function tryClaim(
  transaction: Transact,
  { leaseMs, quickOnly = false }: { leaseMs: number; quickOnly?: boolean },
  headersOf: HeadersOf,
): Promise<ClaimedDelivery<WebhookRow> | 'taken' | undefined> {
  return transaction(async (tx) => {
    const webhook = await lockSendableWebhook(tx, quickOnly);
    if (!webhook) return undefined;
    const waiting = await tablesIn(tx)
      .selectFrom('deliveries')
      .selectAll()
      .where('workspaceId', '=', webhook.workspaceId)
      .where('callback', '=', false)
      // Without parameters, so that PostgreSQL recognises the condition of the index.
      .where(sql<boolean>`status in ('pending', 'sending')`)
      // `sending` sorts first: if there is one, the webhook is busy.
      .orderBy('status', 'desc')
      .orderBy('createdAt')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (waiting?.status !== 'pending') return 'taken';
    const request = { url: webhook.url, requestHeaders: headersOf(waiting, webhook) };
    const delivery = await beginSending(tx, waiting, { ...request, leaseMs });
    await tablesIn(tx)
      .updateTable('webhooks')
      .set({ lastClaimedAt: now })
      .where('workspaceId', '=', webhook.workspaceId)
      .execute();
    return { delivery, webhook };
  });
}

/**
 * As {@link claimDelivery}, for callbacks: the oldest first, one of a workspace at a time. Signed with the secret of the
 * subscription, if there is one.
 */
export function claimCallback(
  transaction: Transact,
  { leaseMs }: { leaseMs: number },
  headersOf: HeadersOf,
): Promise<ClaimedDelivery | undefined> {
  return transaction(async (tx) => {
    // Only the first of a workspace is taken: another sender that skips the locked one must not take the second.
    const { rows } = await sql<DeliveryRow>`
      select d.* from deliveries d
      where d.callback and d.status = 'pending'
        and not exists (select 1 from deliveries o
          where o.workspace_id = d.workspace_id and o.callback and o.status in ('pending', 'sending')
            and (o.status = 'sending' or (o.created_at, o.id) < (d.created_at, d.id)))
      order by d.created_at, d.id
      limit 1
      for update of d skip locked`.execute(tx);
    const [waiting] = rows;
    if (waiting === undefined) return undefined;
    const webhook = await findWebhook(tx, waiting.workspaceId);
    const request = { url: waiting.url, requestHeaders: headersOf(waiting, webhook) };
    return { delivery: await beginSending(tx, waiting, { ...request, leaseMs }), webhook };
  });
}

function beginSending(
  tx: Tx,
  { id }: DeliveryRow,
  { leaseMs, ...request }: { url: string; requestHeaders: Record<string, string>; leaseMs: number },
): Promise<DeliveryRow> {
  return tablesIn(tx)
    .updateTable('deliveries')
    .set({
      ...request,
      status: 'sending',
      sentAt: now,
      leaseUntil: sql<Date>`now() + ${leaseMs} * interval '1 ms'`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Gives back a claim whose request was not sent. */
export async function releaseDelivery(transaction: Transact, { delivery }: ClaimedDelivery): Promise<void> {
  await transaction((tx) =>
    tablesIn(tx)
      .updateTable('deliveries')
      .set({ status: 'pending', sentAt: null, leaseUntil: null })
      .where('id', '=', delivery.id)
      .where('status', '=', 'sending')
      .execute(),
  );
}

/** A receiver that took longer is slow, ms. */
const SLOW_MS = 2_000;

/** Whether a webhook's receiver was slow the last time. The receivers of callbacks are unknown and count as slow. */
export function isSlow({ delivery, webhook }: ClaimedDelivery): boolean {
  return delivery.callback || (webhook?.lastDurationMs ?? 0) > SLOW_MS;
}

/**
 * The least recently served enabled webhook with a waiting delivery, none in progress, and no lock of another
 * transaction, so that workspaces are served in turn.
 */
async function lockSendableWebhook(tx: Tx, quickOnly: boolean): Promise<WebhookRow | undefined> {
  const result = await sql<WebhookRow>`
    select w.* from webhooks w
    where w.enabled
      and exists (select 1 from deliveries d where d.workspace_id = w.workspace_id and d.status = 'pending' and not d.callback)
      and not exists (select 1 from deliveries d where d.workspace_id = w.workspace_id and d.status = 'sending' and not d.callback)
      and (${!quickOnly} or coalesce(w.last_duration_ms, 0) <= ${SLOW_MS})
    order by w.last_claimed_at nulls first, w.workspace_id
    limit 1
    for update of w skip locked`.execute(tx);
  return result.rows[0];
}

/**
 * Records the outcome of a delivery in one transaction with its consequences: a failure increments the counter of its
 * subscription; at {@link WEBHOOK_MAX_FAILURES} the webhook is disabled and waiting deliveries are dropped.
 * @returns the webhook after a failure that counted; undefined otherwise.
 */
export function recordOutcome(
  transaction: Transact,
  { delivery, webhook }: ClaimedDelivery,
  outcome: DeliveryOutcome,
): Promise<WebhookRow | undefined> {
  return transaction(async (tx) => {
    const recorded = await tablesIn(tx)
      .updateTable('deliveries')
      .set({ ...outcome, leaseUntil: null, finishedAt: now })
      .where('id', '=', delivery.id)
      .where('status', 'in', ['sending', 'unknown'])
      .executeTakeFirst();
    // Already recorded: the answer to the first commit was lost with its connection.
    if (recorded.numUpdatedRows === 0n) return undefined;
    await wakeIfWaiting(tx, delivery.workspaceId);
    if (delivery.callback || webhook === undefined) return undefined;
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
        enabled: sql<boolean>`failed_deliveries + 1 < ${WEBHOOK_MAX_FAILURES}`,
        updatedAt: now,
      })
      .where('workspaceId', '=', delivery.workspaceId)
      .where('subscriptionId', '=', webhook.subscriptionId)
      .where('enabled', '=', true)
      .returningAll()
      .executeTakeFirst();
    if (after && !after.enabled) {
      await dropPending(
        tx,
        delivery.workspaceId,
        `The webhook was disabled after ${WEBHOOK_MAX_FAILURES} failed deliveries.`,
      );
    }
    return after;
  });
}

/** Ends the deliveries of dead senders, whose outcome is unknown. @returns their number. */
export async function abandonExpired(db: Database): Promise<number> {
  const result = await tables(db)
    .updateTable('deliveries')
    .set({
      status: 'unknown',
      error: 'The server stopped during this delivery; whether it arrived is unknown.',
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
    .where('callback', '=', false)
    .where('status', '=', 'pending')
    .execute();
}

/** Notifies all processes, because any sender may take this webhook's next delivery. */
async function wakeIfWaiting(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, '') where exists
    (select 1 from deliveries where workspace_id = ${workspaceId} and status = 'pending')`.execute(tx);
}

/** Deliveries of the last hour by status. */
export async function countRecentDeliveries({ db }: Kernel): Promise<{ status: string; count: number }[]> {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*)::integer as count from deliveries
    where created_at > now() - interval '1 hour' group by status`.execute(db);
  return rows;
}

/** Webhooks that failures have disabled. */
export async function countDisabledWebhooks({ db }: Kernel): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from webhooks where not enabled`.execute(db);
  return rows[0]?.count ?? 0;
}
