import { sql } from 'kysely';
import type pg from 'pg';
import { fromKysely, type JobWithMetadata, PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type {
  Database,
  Job,
  Lifecycle,
  Queue,
  QueueOptions,
  QueueState,
  RunningJob,
  Tracing,
  Tx,
} from '../contract.js';
import type { DatabaseConnection } from '../database/database.js';
import { type CarriedContext, carriedContext, inContext, readCarried } from '../observability/call-context.js';
import { type JobMetrics, measureJobs } from './queue-metrics.js';
import { advanceClock, drawTurn, type Turn } from './queue-turns.js';

/*
 * A job's states (the column `boss.job.state`):
 *
 *   created ──fetch──▶ active ──handler returned──▶ completed
 *      ▲                 │ ├──handler threw, attempts left────▶ retry ──fetch──▶ active
 *      │                 │ ├──no heartbeat for heartbeatSeconds─▶ retry, or failed at the last attempt
 *      └──we close───────┘ └──handler threw at the last attempt─▶ failed
 *
 * `retry_count` goes up when a job leaves `active` unfinished, so (id, retry_count) names one claim. A process that was cut off from the
 * database may come back after its job went to another; it settles only the claim it holds.
 */

/** Field of a job's data that carries the context of the request that made it; no job has one of its own by this name. */
const CARRIED = '$context';

type Carrying<T> = T & { [CARRIED]?: CarriedContext };

/** How one claim of a job ended; `released` means that the process was told to stop. */
type JobOutcome = 'completed' | 'failed' | 'released';

/** What pg-boss runs its statements on. */
type BossDatabase = ReturnType<typeof fromKysely>;

/** Schema of pg-boss's tables. */
const SCHEMA = 'boss';

/** The supervising pass that finds dead workers runs this often, in one process of all. With a heartbeat of 10 s: replaced within 16 s. */
const SUPERVISE_SECONDS = 5;

/** How long a free worker waits before it looks again. */
const POLL_MS = 500;

/** pg-boss's upper limit; liveness is judged by heartbeats, not by duration. */
const LONGEST_JOB_SECONDS = 24 * 3600;

/** Failed and completed jobs are kept for a week for whoever wants to look. */
const KEEP_SECONDS = 7 * 24 * 3600;

/** Makes pg-boss's tables. The caller keeps other processes from doing it at the same time. */
export async function installQueue(connection: DatabaseConnection): Promise<void> {
  const boss = new PgBoss({ db: poolAdapter(connection.pool), schema: SCHEMA, supervise: false, schedule: false });
  let failure: Error | undefined;
  boss.on('error', (error) => {
    failure = error;
  });
  await boss.start();
  await boss.stop({ graceful: false });
  if (failure !== undefined) throw failure;
}

/**
 * Opens the queue on tables that exist already ({@link installQueue}). Closes with the lifecycle: no new jobs are taken, running handlers
 * see their signal and are awaited; what they leave unfinished goes back without costing an attempt.
 */
export async function openQueue(options: {
  connection: DatabaseConnection;
  log: Logger;
  lifecycle: Lifecycle;
  metrics: Registry;
  tracing: Tracing;
}): Promise<Queue> {
  const { connection, log, lifecycle, tracing } = options;
  const measures = measureJobs(options.metrics);
  const boss = new PgBoss({
    db: poolAdapter(connection.pool),
    schema: SCHEMA,
    migrate: false,
    schedule: false,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
  });
  // Mostly a database that is away for a moment; every pass tries again by itself.
  boss.on('error', (error) => log.warn({ err: error }, 'queue maintenance failed'));
  boss.on('warning', (warning) => log.warn({ data: warning.data }, warning.message));
  await boss.start();
  const loops: Promise<void>[] = [];
  const running = new Set<RunningJob>();
  lifecycle.onClose('queue', async () => {
    await Promise.all(loops);
    await boss.stop({ graceful: false });
  });
  return {
    define: (name, queueOptions) => define(boss, name, queueOptions),
    enqueue: (tx, name, data, jobOptions) => enqueue(boss, tx, { name, data, ...jobOptions }),
    depth: (name) => depth(connection.db, name),
    running: () => [...running],
    overview: () => overview(connection.db),
    work: async <T extends object>(
      name: string,
      work: { concurrency: number; ready?: () => Promise<boolean> },
      handler: (job: Job<T>) => Promise<void>,
    ) => {
      const heartbeatSeconds = (await boss.getQueue(name))?.heartbeatSeconds ?? 10;
      const heartbeatMs = (heartbeatSeconds * 1000) / 3;
      const worker = {
        ...{ boss, db: connection.db, log, lifecycle, name, heartbeatMs, running, measures, tracing },
        ready: work.ready,
      };
      for (let i = 0; i < work.concurrency; i++) loops.push(workLoop(worker, handler));
    },
  };
}

async function define(boss: PgBoss, name: string, options: QueueOptions): Promise<void> {
  const settings = {
    retryLimit: options.attempts - 1,
    retryDelay: 1,
    heartbeatSeconds: options.heartbeatSeconds,
    expireInSeconds: LONGEST_JOB_SECONDS,
    deleteAfterSeconds: KEEP_SECONDS,
  };
  await boss.createQueue(name, settings);
  await boss.updateQueue(name, settings);
}

async function enqueue(
  boss: PgBoss,
  tx: Tx,
  job: { name: string; data: object; turn?: Turn; delaySeconds?: number },
): Promise<string> {
  const turn = job.turn === undefined ? 0 : await drawTurn(tx, job.name, job.turn);
  const carried = carriedContext();
  const data = carried === undefined ? job.data : { ...job.data, [CARRIED]: carried };
  const id = await boss.send(job.name, data, {
    // Without the plugins: pg-boss's own column names must come back as they are.
    db: fromKysely(tx.withoutPlugins()),
    // Higher priorities go first there.
    priority: -turn,
    ...(job.delaySeconds === undefined ? {} : { startAfter: job.delaySeconds }),
  });
  if (id === null) throw new Error(`The queue ${job.name} did not take a job.`);
  return id;
}

async function depth(db: Database, name: string): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) from boss.job where name = ${name} and state < 'active' and start_after <= now()`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

async function overview(db: Database): Promise<QueueState[]> {
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

interface Worker {
  readonly boss: PgBoss;
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
}

/** One job after the other until the lifecycle closes. */
async function workLoop<T extends object>(worker: Worker, handler: (job: Job<T>) => Promise<void>): Promise<void> {
  const { boss, lifecycle, log, name } = worker;
  while (!lifecycle.signal.aborted) {
    try {
      const isReady = worker.ready === undefined || (await worker.ready());
      const [claim] = isReady ? await boss.fetch<Carrying<T>>(name, { includeMetadata: true }) : [];
      if (claim === undefined) {
        await pause(POLL_MS, lifecycle.signal);
        continue;
      }
      if (claim.priority < 0) await advanceClock(worker.db, name, -claim.priority);
      await runCarried(worker, claim, handler);
    } catch (error) {
      log.warn({ err: error, queue: name }, 'the queue cannot be reached');
      await pause(POLL_MS, lifecycle.signal);
    }
  }
}

/** Runs a claim as part of the request that made the job: its log lines carry that request's id, its spans are children of its span. */
async function runCarried<T extends object>(
  worker: Worker,
  claim: JobWithMetadata<Carrying<T>>,
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
  claim: JobWithMetadata<T>,
  handler: (job: Job<T>) => Promise<void>,
): Promise<JobOutcome> {
  const { boss, lifecycle, log, name } = worker;
  const lost = new AbortController();
  const heartbeat = setInterval(() => {
    settle(worker, claim, (db) => boss.touch(name, claim.id, { db })).then(
      (held) => {
        if (!held) lost.abort(new Error(`Job ${claim.id} was given to another process.`));
      },
      (error: unknown) => log.warn({ err: error, queue: name, job: claim.id }, 'heartbeat failed'),
    );
  }, worker.heartbeatMs);
  const signal = AbortSignal.any([lifecycle.signal, lost.signal]);
  try {
    await handler({ id: claim.id, data: claim.data, signal, attempt: claim.retryCount + 1 });
    clearInterval(heartbeat);
    await settle(worker, claim, (db) => boss.complete(name, claim.id, {}, { db }));
    return 'completed';
  } catch (error) {
    clearInterval(heartbeat);
    if (lifecycle.signal.aborted) {
      await settle(worker, claim, (db) => release(db, name, claim.id));
      return 'released';
    }
    log.error({ err: error, queue: name, job: claim.id, attempt: claim.retryCount + 1 }, 'a job failed');
    await settle(worker, claim, (db) => boss.fail(name, claim.id, { message: String(error) }, { db }));
    return 'failed';
  }
}

/** Runs `action` if the claim is still ours, under a lock on the job. @returns false when it is not. */
async function settle(
  worker: Worker,
  claim: { id: string; retryCount: number },
  action: (db: BossDatabase) => Promise<unknown>,
): Promise<boolean> {
  return worker.db.transaction().execute(async (tx) => {
    const { rows } = await sql`
      select 1 from boss.job where name = ${worker.name} and id = ${claim.id}
      and state = 'active' and retry_count = ${claim.retryCount} for update`.execute(tx);
    if (rows.length === 0) return false;
    await action(fromKysely(tx.withoutPlugins()));
    return true;
  });
}

/** Gives a job back as if it had never been taken. */
async function release(db: BossDatabase, name: string, id: string): Promise<void> {
  await db.executeSql(
    `update ${SCHEMA}.job set state = 'created', started_on = null, heartbeat_on = null where name = $1 and id = $2`,
    [name, id],
  );
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });
}

/** pg-boss on the pool of the house, so that a process has one set of connections. */
function poolAdapter(pool: pg.Pool): BossDatabase {
  return { executeSql: (text, values) => pool.query(text, values as unknown[]) };
}
