import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineQueues, openTestKernel, type TestKernel } from '../../../../../tests/support/kernel.js';
import { createEmptyDatabase } from '../../../../../tests/support/postgres.js';
import { loadConfig } from '../config/config.js';
import { createKernel } from '../create-kernel.js';
import { prepareDatabase } from '../preparation.js';
import { QUEUES } from './definitions.js';

/** Tables of an earlier version. */
const EARLIER_TABLES = new URL('../../../../../tests/support/pg-boss-tables.sql', import.meta.url);

let house: TestKernel;
beforeAll(async () => {
  house = await openTestKernel();
});
afterAll(() => house.close());

/** Resolves when `check` is true; polls, because the state is in the database. */
async function until(check: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function stateOf(id: string): Promise<{ state: string; retryCount: number } | undefined> {
  const { rows } = await sql<{ state: string; retryCount: number }>`
    select state, retry_count from boss.job where id = ${id}`.execute(house.kernel.db);
  return rows[0];
}

describe('the queue', () => {
  test('runs a job only if the transaction that added it commits', async () => {
    const { kernel } = house;
    await defineQueues(kernel.config.databaseUrl, { commits: { heartbeatSeconds: 10, attempts: 3 } });
    await defineQueues(kernel.config.databaseUrl, { commits: { heartbeatSeconds: 10, attempts: 3 } });
    const rolledBack = kernel.transaction(async (tx) => {
      await kernel.queue.enqueue(tx, 'commits', { number: 1 });
      throw new Error('never mind');
    });
    await expect(rolledBack).rejects.toThrow('never mind');
    expect(await kernel.queue.depth('commits')).toBe(0);
    const id = await kernel.transaction((tx) => kernel.queue.enqueue(tx, 'commits', { numberKey: { inner_key: 2 } }));
    expect(await kernel.queue.depth('commits')).toBe(1);
    const seen: unknown[] = [];
    await kernel.queue.work('commits', { concurrency: 1 }, async (job) => {
      seen.push({ id: job.id, data: job.data, attempt: job.attempt });
    });
    await until(async () => (await stateOf(id))?.state === 'completed');
    expect(seen).toEqual([{ id, data: { numberKey: { inner_key: 2 } }, attempt: 1 }]);
  });

  test('is shared fairly between flows: a late flow is next after much other work, and no flow is overtaken forever', async () => {
    const { kernel } = house;
    await defineQueues(kernel.config.databaseUrl, { turns: { heartbeatSeconds: 10, attempts: 1 } });
    const add = (flow: string, cost: number, count: number) =>
      kernel.transaction(async (tx) => {
        for (let n = 1; n <= count; n++) {
          await kernel.queue.enqueue(tx, 'turns', { name: `${flow}${n}` }, { turn: { flow, cost } });
        }
      });
    await add('many', 2, 4);
    const order: string[] = [];
    await kernel.queue.work<{ name: string }>('turns', { concurrency: 1 }, async (job) => {
      order.push(job.data.name);
      // While the second of many runs, two other flows arrive: one with a little work, one with jobs twice as large.
      if (job.data.name !== 'many2') return;
      await add('few', 1, 1);
      await add('large', 4, 3);
    });
    await until(() => order.length === 8);
    expect(order).toEqual(['many1', 'many2', 'few1', 'large1', 'many3', 'many4', 'large2', 'large3']);
  });

  test('gives many jobs the same turns in one call as one by one', async () => {
    const { kernel } = house;
    const options = { heartbeatSeconds: 10, attempts: 1 };
    await defineQueues(kernel.config.databaseUrl, { together: options, apart: options });
    const jobs = [3, 1, 2, 5].map((cost, n) => ({ data: { n }, turn: { flow: n === 2 ? 'other' : 'first', cost } }));
    for (let round = 0; round < 2; round++) {
      await kernel.transaction((tx) => kernel.queue.enqueueAll(tx, 'together', [...jobs, { data: { n: 4 } }]));
      for (const { data, turn } of jobs)
        await kernel.transaction((tx) => kernel.queue.enqueue(tx, 'apart', data, { turn }));
      await kernel.transaction((tx) => kernel.queue.enqueue(tx, 'apart', { n: 4 }));
    }
    const turnsOf = async (name: string) => {
      const { rows } =
        await sql`select data->>'n' as n, -priority as turn from boss.job where name = ${name} order by 1, 2`.execute(
          kernel.db,
        );
      return rows;
    };
    expect(await turnsOf('together')).toHaveLength(10);
    expect(await turnsOf('together')).toEqual(await turnsOf('apart'));
  });

  test('takes over the tables of an earlier version with their waiting and running jobs', async () => {
    const earlier = await createEmptyDatabase();
    const pool = new pg.Pool({ connectionString: earlier.url, max: 1 });
    await pool.query(await readFile(EARLIER_TABLES, 'utf8'));
    await pool.query(`
      insert into boss.queue (name, policy, retry_limit, retry_delay, retry_backoff, expire_seconds, retention_seconds,
        deletion_seconds, partition, table_name, heartbeat_seconds)
      values ('renders', 'standard', 2, 1, false, 86400, 1209600, 604800, false, 'job_common', 10);
      insert into boss.job (name, data, priority, retry_limit, retry_delay, heartbeat_seconds, state, started_on, heartbeat_on)
      values ('renders', '{"n": 1}', -2, 5, 1, 10, 'created', null, null), ('renders', '{"n": 2}', -1, 5, 1, 10, 'created', null, null),
        ('renders', '{"n": 3}', 0, 5, 1, 10, 'active', now() - interval '1 minute', now() - interval '1 minute');
      insert into boss.job (name, data, state, completed_on) values ('renders', '{}', 'completed', now() - interval '8 days')`);
    await prepareDatabase(earlier.url);
    const env = { ...house.env, DATABASE_URL: earlier.url };
    const upgraded = await createKernel(loadConfig({ env }), 'test');
    await upgraded.transaction((tx) =>
      upgraded.queue.enqueue(tx, 'renders', { n: 4 }, { turn: { flow: 'f', cost: 1 } }),
    );
    const done: unknown[] = [];
    await upgraded.queue.work<{ n: number }>('renders', { concurrency: 1 }, async ({ data, attempt }) => {
      done.push([data.n, attempt]);
    });
    await until(() => done.length === 4);
    // The pass finds the dead worker's job, which is then taken between the others or last.
    expect(done.sort()).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
      [4, 1],
    ]);
    await until(async () => (await pool.query("select from boss.job where data = '{}'")).rowCount === 0);
    expect((await pool.query('select from boss.queue')).rowCount).toBe(Object.keys(QUEUES).length);
    await upgraded.lifecycle.close();
    await pool.end();
    await earlier.close();
  });

  test('accepts jobs of many more transactions than connections at once, in a process that has just started', async () => {
    await defineQueues(house.env['DATABASE_URL'], { cold: { heartbeatSeconds: 10, attempts: 1 } });
    const env = { ...house.env, FIGUREHEAD_DATABASE_CONNECTIONS: '3' };
    const fresh = await createKernel(loadConfig({ env }), 'test');
    await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        fresh.transaction((tx) => fresh.queue.enqueue(tx, 'cold', { n }, { turn: { flow: `${n % 4}`, cost: 1 } })),
      ),
    );
    expect(await fresh.queue.depth('cold')).toBe(30);
    await fresh.lifecycle.close();
  });

  test('refuses a job for an undefined queue', async () => {
    const { kernel } = house;
    const added = kernel.transaction((tx) => kernel.queue.enqueue(tx, 'unknown', {}));
    await expect(added).rejects.toThrow('There is no queue "unknown".');
  });

  test('retries a job that throws, then gives up', async () => {
    const { kernel } = house;
    await defineQueues(kernel.config.databaseUrl, { throws: { heartbeatSeconds: 10, attempts: 2 } });
    const id = await kernel.transaction((tx) => kernel.queue.enqueue(tx, 'throws', {}));
    const attempts: number[] = [];
    await kernel.queue.work('throws', { concurrency: 1 }, async (job) => {
      attempts.push(job.attempt);
      throw new Error('no luck');
    });
    await until(async () => (await stateOf(id))?.state === 'failed');
    expect(attempts).toEqual([1, 2]);
  });

  test('releases a job without counting an attempt when the process stops', async () => {
    const other = await createKernel(loadConfig({ env: house.env }), 'worker');
    await defineQueues(house.env['DATABASE_URL'], { stops: { heartbeatSeconds: 10, attempts: 3 } });
    const id = await other.transaction((tx) => other.queue.enqueue(tx, 'stops', {}));
    let running = false;
    await other.queue.work('stops', { concurrency: 1 }, async (job) => {
      running = true;
      await new Promise((_resolve, reject) =>
        job.signal.addEventListener('abort', () => reject(new Error('stopping'))),
      );
    });
    await until(() => running);
    await other.lifecycle.close();
    expect(await stateOf(id)).toEqual({ state: 'created', retryCount: 0 });
  });

  test('completes a job whose handler has succeeded when the database answers again, without running it again', async () => {
    const { kernel } = house;
    await defineQueues(kernel.config.databaseUrl, { settles: { heartbeatSeconds: 1, attempts: 3 } });
    const endRefusal = await refuseCompletion('settles');
    const id = await kernel.transaction((tx) => kernel.queue.enqueue(tx, 'settles', {}));
    const attempts: number[] = [];
    await kernel.queue.work('settles', { concurrency: 1 }, async (job) => {
      attempts.push(job.attempt);
    });
    await until(() => attempts.length === 1);
    // Longer than a worker without heartbeats would keep the job.
    await new Promise((resolve) => setTimeout(resolve, 7000));
    expect(await stateOf(id)).toEqual({ state: 'active', retryCount: 0 });
    await endRefusal();
    await until(async () => (await stateOf(id))?.state === 'completed');
    expect(attempts).toEqual([1]);
  });

  test('leaves a job active whose handler has succeeded when the process stops before the database answers again', async () => {
    const other = await createKernel(loadConfig({ env: house.env }), 'worker');
    await defineQueues(house.env['DATABASE_URL'], { closes: { heartbeatSeconds: 10, attempts: 3 } });
    const endRefusal = await refuseCompletion('closes');
    const id = await other.transaction((tx) => other.queue.enqueue(tx, 'closes', {}));
    let calls = 0;
    await other.queue.work('closes', { concurrency: 1 }, async () => {
      calls++;
    });
    await until(() => calls > 0);
    await other.lifecycle.close();
    expect([await stateOf(id), calls]).toEqual([{ state: 'active', retryCount: 0 }, 1]);
    await endRefusal();
  });

  test('does not count a job as completed that was given to another process before it could be completed', async () => {
    const { kernel } = house;
    await defineQueues(kernel.config.databaseUrl, { gone: { heartbeatSeconds: 10, attempts: 3 } });
    const id = await kernel.transaction((tx) => kernel.queue.enqueue(tx, 'gone', {}));
    await kernel.queue.work('gone', { concurrency: 1 }, async () => {
      await sql`update boss.job set retry_count = retry_count + 1 where id = ${id}`.execute(kernel.db);
    });
    const counted = async (outcome: string) =>
      (await kernel.metrics.metrics()).includes(`figurehead_jobs_total{queue="gone",outcome="${outcome}"} 1`);
    await until(async () => (await counted('lost')) || (await counted('completed')));
    expect([await counted('lost'), await counted('completed')]).toEqual([true, false]);
  });

  test('sends one heartbeat at a time while the database does not answer', async () => {
    const { kernel } = house;
    await defineQueues(kernel.config.databaseUrl, { stalls: { heartbeatSeconds: 1, attempts: 3 } });
    const id = await kernel.transaction((tx) => kernel.queue.enqueue(tx, 'stalls', {}));
    const started = deferred();
    const ended = deferred();
    await kernel.queue.work('stalls', { concurrency: 1 }, async () => {
      started.resolve();
      await ended.promise;
    });
    await started.promise;
    const waiting = await kernel.transaction(async (tx) => {
      await sql`select from boss.job where id = ${id} for update`.execute(tx);
      // Time for several heartbeats.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const { rows } = await sql`
        select from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%boss.job set heartbeat_on%'`.execute(tx);
      return rows.length;
    });
    expect(waiting).toBe(1);
    ended.resolve();
    await until(async () => (await stateOf(id))?.state === 'completed');
  });

  test("runs a job although the queue's clock could not be advanced", async () => {
    const { kernel } = house;
    await defineQueues(kernel.config.databaseUrl, { clocks: { heartbeatSeconds: 10, attempts: 1 } });
    await sql`create function stop_clock() returns trigger language plpgsql as $$ begin raise 'no clock'; end $$`.execute(
      kernel.db,
    );
    await sql`create trigger stopped before insert on queue_clocks for each row when (new.queue = 'clocks') execute function stop_clock()`.execute(
      kernel.db,
    );
    // The first job of a flow has the turn 0, which advances no clock.
    const turn = { flow: 'f', cost: 1 };
    const jobs = [1, 2].map((n) => ({ data: { n }, turn }));
    await kernel.transaction((tx) => kernel.queue.enqueueAll(tx, 'clocks', jobs));
    const done: unknown[] = [];
    await kernel.queue.work<{ n: number }>('clocks', { concurrency: 1 }, async ({ data, attempt }) => {
      done.push([data.n, attempt]);
    });
    await until(() => done.length === 2);
    await sql`drop trigger stopped on queue_clocks`.execute(kernel.db);
    expect(done).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });

  test('gives the job of a silent process to another process, and the first can no longer complete it', async () => {
    const { kernel } = house;
    await defineQueues(kernel.config.databaseUrl, { silent: { heartbeatSeconds: 10, attempts: 3 } });
    const id = await kernel.transaction((tx) => kernel.queue.enqueue(tx, 'silent', {}));
    const first = deferred();
    const second = deferred();
    const attempts: number[] = [];
    let lost = false;
    let another = false;
    await kernel.queue.work<{ another?: true }>('silent', { concurrency: 2 }, async (job) => {
      if (job.data.another) {
        another = true;
        return;
      }
      attempts.push(job.attempt);
      if (job.attempt > 1) return second.promise;
      job.signal.addEventListener('abort', () => {
        lost = true;
      });
      return first.promise;
    });
    await until(() => attempts.length === 1);
    // As if the process had been cut off: its last heartbeat is old, and the supervising pass finds it.
    await until(async () => {
      await sql`update boss.job set heartbeat_on = now() - interval '1 minute' where id = ${id} and retry_count = 0`.execute(
        kernel.db,
      );
      return attempts.length === 2;
    });
    await until(() => lost);
    first.resolve();
    // Starts in the slot of the first job, after the first process has tried to complete it.
    await kernel.transaction((tx) => kernel.queue.enqueue(tx, 'silent', { another: true }));
    await until(() => another);
    expect((await stateOf(id))?.state).toBe('active');
    second.resolve();
    await until(async () => (await stateOf(id))?.state === 'completed');
    expect(attempts).toEqual([1, 2]);
  });
});

test('an attempt whose process dies is repeated, also the last one, which cleans up after the others', async () => {
  const { kernel } = house;
  await defineQueues(kernel.config.databaseUrl, { killed: { heartbeatSeconds: 10, attempts: 2 } });
  const id = await kernel.transaction((tx) => kernel.queue.enqueue(tx, 'killed', {}));
  const attempts: number[] = [];
  await kernel.queue.work('killed', { concurrency: 4 }, async (job) => {
    attempts.push(job.attempt);
    // A killed process does nothing more.
    if (job.attempt < 4) await once(job.signal, 'abort');
  });
  await until(async () => {
    await sql`update boss.job set heartbeat_on = now() - interval '1 minute' where id = ${id} and retry_count < 3`.execute(
      kernel.db,
    );
    return (await stateOf(id))?.state === 'completed';
  });
  expect(attempts).toEqual([1, 2, 3, 4]);
});

/** Jobs of the queue cannot be completed until the returned function was called. */
async function refuseCompletion(queue: string): Promise<() => Promise<void>> {
  const { db } = house.kernel;
  const name = sql.raw(`refuse_${queue}`);
  await sql`create function ${name}() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`.execute(db);
  await sql`create trigger ${name} before update on boss.job for each row
    when (new.name = ${sql.lit(queue)} and new.state = 'completed') execute function ${name}()`.execute(db);
  return async () => {
    await sql`drop trigger ${name} on boss.job`.execute(db);
  };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
