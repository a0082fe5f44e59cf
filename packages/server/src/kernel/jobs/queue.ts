import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { AdminQueue } from '@figurehead/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Database, Job, Lifecycle, NewJob, Queue, RunningJob, Tracing, Tx } from '../contract.js';
import { isDatabaseAway } from '../database/away.js';
import type { DatabaseConnection } from '../database/database.js';
import { type CarriedContext, carriedContext, inContext, readCarried } from '../observability/call-context.js';
import { pause } from '../waiting.js';
import { createNotificationListener } from './notification-listener.js';
import { type JobMetrics, measureJobs } from './queue-metrics.js';
import { advanceClock, drawTurns } from './queue-turns.js';
import { runPeriodically } from './repeat.js';
import { KEEP_SECONDS } from './tables.js';
import { holdClaim } from './watch.js';

/*
 * Every step is one statement, on the caller's transaction or with the claim in its `where` clause (docs/decisions/0010).
 *
 * A job's states (the column `boss.job.state`):
 *
 *   created ──fetch──▶ active ──handler returned──▶ completed (tried until the database answers)
 *      ▲                 │ ├──handler threw, attempts left────▶ retry ──fetch──▶ active
 *      │                 │ ├──no heartbeat for heartbeatSeconds─▶ retry, also after the last attempt
 *      └──we close───────┘ └──handler threw at the last attempt─▶ failed, but retry without a database
 *
 * The last attempt only cleans up (definitions.ts). It is repeated until it has: otherwise what the job makes would be unfinished forever.
 *
 * `retry_count` increases when an unfinished job is taken again, so (id, retry_count) identifies one claim. A process
 * that was disconnected from the database may return after another process took its job; it can update the job only
 * with its own claim.
 */

/** Field of a job's data with the context of the request that created it; no job uses this name otherwise. */
const CARRIED = '$context';

type Carrying<T> = T & { [CARRIED]?: CarriedContext };

/**
 * How one claim of a job ended; `released` means that the process had to stop, `lost` that another process has the job now
 * or gets it when it has had no heartbeat for long enough.
 */
type JobOutcome = 'completed' | 'failed' | 'released' | 'lost';

/**
 * Interval of the pass that finds dead workers, in every process that takes jobs. With a heartbeat of 10 s, dead
 * workers are replaced within 16 s.
 */
const SUPERVISE_MS = 5000;

/** Polling interval of an idle worker: for jobs with a later start, and for those whose notification was lost with its connection. */
const POLL_MS = 500;

/** PostgreSQL channel on which commits of new jobs notify the workers, with the queue's name. */
const JOBS_CHANNEL = 'figurehead_jobs';

/**
 * Opens the queue on tables that exist already ({@link installQueue}). Closes with the lifecycle: no new jobs are taken, running handlers
 * receive their signal and are awaited; unfinished jobs return to the queue without using an attempt.
 */
export async function openQueue(options: {
  connection: DatabaseConnection;
  /** Database URL for the connection that receives notifications, opened by the first `work`. */
  url: string | undefined;
  log: Logger;
  lifecycle: Lifecycle;
  metrics: Registry;
  tracing: Tracing;
}): Promise<Queue> {
  const { connection, log, lifecycle, tracing } = options;
  const { db } = connection;
  const measures = measureJobs(options.metrics);
  // Usually the database is unavailable for a moment; every pass retries.
  const pass = { name: 'queue supervision', everyMs: SUPERVISE_MS, failure: 'queue maintenance failed' };
  runPeriodically({ lifecycle, log }, pass, () => supervise(db));
  const loops: Promise<void>[] = [];
  const running = new Set<RunningJob>();
  const arrivals = new EventEmitter().setMaxListeners(0);
  const listener = createNotificationListener({
    url: options.url,
    channel: JOBS_CHANNEL,
    application: 'jobs',
    onNotify: (name) => arrivals.emit(name),
  });
  lifecycle.onClose('queue', async () => {
    await Promise.all(loops);
    await listener.close();
  });
  return {
    enqueue: async (tx, name, data, options) => (await enqueue(tx, name, [{ data, ...options }]))[0] ?? '',
    enqueueAll: enqueue,
    depth: (name) => depth(db, name),
    running: () => [...running],
    overview: () => overview(db),
    work: async <T extends object>(
      name: string,
      work: { concurrency: number; ready?: () => Promise<boolean> },
      handler: (job: Job<T>) => Promise<void>,
    ) => {
      const worker = {
        ...{ db, log, lifecycle, name, heartbeatMs: await heartbeatInterval(db, name), running, measures, tracing },
        ready: work.ready,
        listen: listener.ensure,
        arrivals,
      };
      for (let i = 0; i < work.concurrency; i++) loops.push(workLoop(worker, handler));
    },
  };
}

/** Three statements for any number of jobs. @returns their ids, in the same order. */
async function enqueue(tx: Tx, name: string, jobs: readonly NewJob[]): Promise<string[]> {
  if (jobs.length === 0) return [];
  const current = carriedContext();
  const turns = await drawTurns(tx, name, jobs);
  const rows = jobs.map(({ data, delaySeconds, carried = current }, index) => ({
    id: randomUUID(),
    data: carried === undefined ? data : { ...data, [CARRIED]: carried },
    // Higher priorities go first.
    priority: -(turns[index] ?? 0),
    delay: delaySeconds ?? 0,
  }));
  const { numAffectedRows } = await sql`
    insert into boss.job (id, name, data, priority, start_after, keep_until, created_on, expire_seconds, deletion_seconds, retry_limit,
      retry_delay, retry_backoff, retry_delay_max, policy, dead_letter, heartbeat_seconds)
    select j.id, q.name, j.data, j.priority, now() + j.delay * interval '1 s',
      now() + (j.delay + q.retention_seconds) * interval '1 s', clock_timestamp(), q.expire_seconds, q.deletion_seconds, q.retry_limit,
      q.retry_delay, q.retry_backoff, q.retry_delay_max, q.policy, q.dead_letter, q.heartbeat_seconds
    from boss.queue q, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as j (id uuid, data jsonb, priority integer, delay double precision)
    where q.name = ${name}`.execute(tx);
  if (numAffectedRows !== BigInt(rows.length)) throw new Error(`There is no queue "${name}".`);
  await sql`select pg_notify(${JOBS_CHANNEL}, ${name})`.execute(tx);
  return rows.map(({ id }) => id);
}

async function depth(db: Database, name: string): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) from boss.job where name = ${name} and state < 'active' and start_after <= now()`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

async function overview(db: Database): Promise<AdminQueue[]> {
  const { rows } = await sql<{ name: string; waiting: string; running: string; oldest: string | null }>`
    select q.name, count(j.id) filter (where j.state < 'active' and j.start_after <= now()) as waiting,
      count(j.id) filter (where j.state = 'active') as running,
      extract(epoch from now() - min(j.start_after) filter (where j.state < 'active' and j.start_after <= now())) as oldest
    from boss.queue q left join boss.job j on j.name = q.name and j.state <= 'active'
    group by q.name order by q.name`.execute(db);
  return rows.map(({ name, waiting, running, oldest }) => ({
    name,
    waiting: Number(waiting),
    running: Number(running),
    oldestWaitingSeconds: oldest === null ? null : Number(oldest),
  }));
}

/** Milliseconds between a job's heartbeats: a third of the time after which its worker counts as dead. */
async function heartbeatInterval(db: Database, name: string): Promise<number> {
  const { rows } = await sql<{ heartbeatSeconds: number }>`
    select heartbeat_seconds from boss.queue where name = ${name}`.execute(db);
  return ((rows[0]?.heartbeatSeconds ?? 10) * 1000) / 3;
}

/** Gives the jobs of dead workers another attempt and deletes old ones. Several processes at once do the same as one. */
async function supervise(db: Database): Promise<void> {
  await sql`
    update boss.job set ${failure('the job had no heartbeat', sql`true`)}
    where state = 'active' and (heartbeat_on + heartbeat_seconds * interval '1 s' < now()
      or started_on + expire_seconds * interval '1 s' < now())`.execute(db);
  await sql`delete from boss.job where completed_on < now() - ${KEEP_SECONDS} * interval '1 s'`.execute(db);
}

interface Worker {
  readonly db: Database;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly name: string;
  readonly heartbeatMs: number;
  /** Jobs whose handlers run in this process. */
  readonly running: Set<RunningJob>;
  readonly measures: JobMetrics;
  readonly tracing: Tracing;
  readonly ready: (() => Promise<boolean>) | undefined;
  /** Connects for notifications when there is no connection. */
  readonly listen: () => Promise<void>;
  /** Emits the name of a queue with new jobs. */
  readonly arrivals: EventEmitter;
}

/** A job that this process has taken. */
interface Claim<T> {
  readonly id: string;
  readonly data: T;
  readonly priority: number;
  readonly retryCount: number;
  readonly startAfter: Date;
}

/**
 * Takes the next job. The inner query runs once and passes over rows that another process is taking.
 * @returns undefined when no job is due.
 */
export async function claimJob<T extends object>(db: Database, name: string): Promise<Claim<T> | undefined> {
  const { rows } = await sql<Claim<T>>`
    update boss.job set state = 'active', started_on = now(), heartbeat_on = now(),
      retry_count = case when started_on is null then retry_count else retry_count + 1 end
    where name = ${name} and id = (
      select id from boss.job where name = ${name} and state < 'active' and not blocked and start_after <= now()
      order by priority desc, created_on limit 1 for update skip locked)
    returning id, data, priority, retry_count, start_after`.execute(db);
  return rows[0];
}

/** Runs one job after the other until the lifecycle closes. */
async function workLoop<T extends object>(worker: Worker, handler: (job: Job<T>) => Promise<void>): Promise<void> {
  const { db, lifecycle, log, name, arrivals } = worker;
  while (!lifecycle.signal.aborted) {
    // From before the worker looks for a job, so that one that is added meanwhile is not missed.
    const arrived = new AbortController();
    const wake = (): void => arrived.abort();
    arrivals.once(name, wake);
    try {
      await worker
        .listen()
        .catch((error: unknown) => log.warn({ err: error, queue: name }, 'a worker cannot listen; it polls'));
      const isReady = worker.ready === undefined || (await worker.ready());
      const claim = isReady ? await claimJob<Carrying<T>>(db, name) : undefined;
      if (claim === undefined) {
        await pause(POLL_MS, AbortSignal.any([lifecycle.signal, arrived.signal]));
        continue;
      }
      await recordTurn(worker, -claim.priority);
      await runCarried(worker, claim, handler);
    } catch (error) {
      log.warn({ err: error, queue: name }, 'the queue cannot be reached');
      await pause(POLL_MS, lifecycle.signal);
    } finally {
      arrivals.off(name, wake);
    }
  }
}

/** A clock that is late only makes the shares of the flows less equal for a while: the job runs anyway. */
async function recordTurn({ db, log, name }: Worker, turn: number): Promise<void> {
  if (turn <= 0) return;
  await advanceClock(db, name, turn).catch((error: unknown) =>
    log.warn({ err: error, queue: name }, "the queue's clock could not be advanced"),
  );
}

/**
 * Runs a claim in the context of the request that created the job: its log lines have that request's id, its spans are
 * children of its span.
 */
async function runCarried<T extends object>(
  worker: Worker,
  claim: Claim<Carrying<T>>,
  handler: (job: Job<T>) => Promise<void>,
): Promise<void> {
  const { [CARRIED]: carried, ...data } = claim.data;
  const attributes = { 'figurehead.job': claim.id, 'figurehead.attempt': claim.retryCount + 1 };
  const ended = worker.measures.started(worker.name, (Date.now() - claim.startAfter.getTime()) / 1000);
  const job: RunningJob = { queue: worker.name, data, startedAt: new Date() };
  worker.running.add(job);
  let outcome: JobOutcome = 'failed';
  try {
    outcome = await inContext(readCarried(carried), () =>
      worker.tracing.span({ name: `job ${worker.name}`, kind: 'consumer', attributes }, () =>
        runClaim(worker, { ...claim, data: data as unknown as T }, handler),
      ),
    );
  } finally {
    worker.running.delete(job);
    ended(outcome);
  }
}

async function runClaim<T extends object>(
  worker: Worker,
  claim: Claim<T>,
  handler: (job: Job<T>) => Promise<void>,
): Promise<JobOutcome> {
  const { lifecycle, name } = worker;
  const attempt = claim.retryCount + 1;
  const log = worker.log.child({ queue: name, job: claim.id, attempt });
  const held = holdClaim({
    outer: lifecycle.signal,
    everyMs: worker.heartbeatMs,
    renew: () => settle(worker, claim, sql`heartbeat_on = now()`),
    onError: (error) => log.warn({ err: error }, 'heartbeat failed'),
  });
  try {
    await handler({ id: claim.id, data: claim.data, signal: held.signal, attempt });
  } catch (error) {
    await held.stop();
    if (lifecycle.signal.aborted) {
      // As if it had never been taken.
      await settle(worker, claim, sql`state = 'created', started_on = null, heartbeat_on = null`);
      return 'released';
    }
    log.error({ err: error }, 'a job failed');
    await settle(worker, claim, failure(String(error), isDatabaseAway(error) ? sql`true` : undefined));
    return 'failed';
  }
  try {
    return (await complete(worker, claim, log)) ? 'completed' : 'lost';
  } finally {
    await held.stop();
  }
}

/**
 * Completes a job whose handler has succeeded. While the database does not answer, it tries again, so that the work is not
 * done twice; the claim's heartbeats must continue meanwhile. A last attempt is made when the process stops: a job that
 * is still active after it is given to another process.
 * @returns false when this process no longer holds the claim.
 */
async function complete(worker: Worker, claim: { id: string; retryCount: number }, log: Logger): Promise<boolean> {
  const { signal } = worker.lifecycle;
  for (;;) {
    const isLast = signal.aborted;
    try {
      return await settle(worker, claim, sql`state = 'completed', completed_on = now()`);
    } catch (error) {
      log.warn({ err: error }, 'a job has succeeded and could not be completed');
      if (isLast) return false;
      await pause(POLL_MS, signal);
    }
  }
}

/** The job gets another attempt when it has one left, or when `again` holds. */
function failure(message: string, again = sql`retry_count < retry_limit`): RawBuilder<unknown> {
  return sql`
    state = case when ${again} then 'retry' else 'failed' end::boss.job_state,
    completed_on = case when ${again} then null else now() end,
    start_after = case when ${again} then now() + retry_delay * interval '1 s' else start_after end,
    heartbeat_on = null, output = ${JSON.stringify({ message })}::jsonb`;
}

/** Updates the job if this process still holds the claim. @returns false otherwise. */
async function settle(
  worker: Worker,
  claim: { id: string; retryCount: number },
  changes: RawBuilder<unknown>,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update boss.job set ${changes}
    where name = ${worker.name} and id = ${claim.id} and state = 'active' and retry_count = ${claim.retryCount}`.execute(
    worker.db,
  );
  return numAffectedRows === 1n;
}
