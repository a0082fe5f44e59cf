import { sql } from 'kysely';
import type pg from 'pg';
import { fromKysely, type JobWithMetadata, PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { Database, Job, Lifecycle, Queue, QueueOptions, Tx } from './contract.js';
import type { DatabaseConnection } from './database.js';

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
}): Promise<Queue> {
  const { connection, log, lifecycle } = options;
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
  lifecycle.onClose('queue', async () => {
    await Promise.all(loops);
    await boss.stop({ graceful: false });
  });
  return {
    define: (name, queueOptions) => define(boss, name, queueOptions),
    enqueue: (tx, name, data, jobOptions) => enqueue(boss, tx, { name, data, ...jobOptions }),
    depth: (name) => depth(connection.db, name),
    work: async <T extends object>(
      name: string,
      work: { concurrency: number },
      handler: (job: Job<T>) => Promise<void>,
    ) => {
      const heartbeatSeconds = (await boss.getQueue(name))?.heartbeatSeconds ?? 10;
      const worker = { boss, db: connection.db, log, lifecycle, name, heartbeatMs: (heartbeatSeconds * 1000) / 3 };
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
  job: { name: string; data: object; priority?: number; delaySeconds?: number },
): Promise<string> {
  const id = await boss.send(job.name, job.data, {
    // Without the plugins: pg-boss's own column names must come back as they are.
    db: fromKysely(tx.withoutPlugins()),
    priority: job.priority ?? 0,
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

interface Worker {
  readonly boss: PgBoss;
  readonly db: Database;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly name: string;
  readonly heartbeatMs: number;
}

/** One job after the other until the lifecycle closes. */
async function workLoop<T extends object>(worker: Worker, handler: (job: Job<T>) => Promise<void>): Promise<void> {
  const { boss, lifecycle, log, name } = worker;
  while (!lifecycle.signal.aborted) {
    try {
      const [claim] = await boss.fetch<T>(name, { includeMetadata: true });
      if (claim === undefined) await pause(POLL_MS, lifecycle.signal);
      else await runClaim(worker, claim, handler);
    } catch (error) {
      log.warn({ err: error, queue: name }, 'the queue cannot be reached');
      await pause(POLL_MS, lifecycle.signal);
    }
  }
}

async function runClaim<T extends object>(
  worker: Worker,
  claim: JobWithMetadata<T>,
  handler: (job: Job<T>) => Promise<void>,
): Promise<void> {
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
  } catch (error) {
    clearInterval(heartbeat);
    if (lifecycle.signal.aborted) {
      await settle(worker, claim, (db) => release(db, name, claim.id));
      return;
    }
    log.error({ err: error, queue: name, job: claim.id, attempt: claim.retryCount + 1 }, 'a job failed');
    await settle(worker, claim, (db) => boss.fail(name, claim.id, { message: String(error) }, { db }));
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
