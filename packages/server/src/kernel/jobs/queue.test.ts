import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestKernel, type TestKernel } from '../../../../../tests/support/kernel.js';
import { loadConfig } from '../../config.js';
import { createKernel } from '../create-kernel.js';

let house: TestKernel;
beforeAll(async () => {
  house = await openTestKernel();
});
afterAll(() => house.close());

/** Resolves when `check` is true; polls because the fact lies in the database. */
async function until(check: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function stateOf(id: string): Promise<{ state: string; retryCount: number } | undefined> {
  const { rows } = await sql<{ state: string; retryCount: number }>`
    select state, retry_count from boss.job where id = ${id}`.execute(house.kernel.db);
  return rows[0];
}

describe('the queue', () => {
  test('runs a job exactly if the transaction that added it commits', async () => {
    const { kernel } = house;
    await kernel.queue.define('commits', { heartbeatSeconds: 10, attempts: 3 });
    await kernel.queue.define('commits', { heartbeatSeconds: 10, attempts: 3 });
    const rolledBack = kernel.db.transaction().execute(async (tx) => {
      await kernel.queue.enqueue(tx, 'commits', { number: 1 });
      throw new Error('never mind');
    });
    await expect(rolledBack).rejects.toThrow('never mind');
    expect(await kernel.queue.depth('commits')).toBe(0);
    const id = await kernel.db
      .transaction()
      .execute((tx) => kernel.queue.enqueue(tx, 'commits', { numberKey: { inner_key: 2 } }));
    expect(await kernel.queue.depth('commits')).toBe(1);
    const seen: unknown[] = [];
    await kernel.queue.work('commits', { concurrency: 1 }, async (job) => {
      seen.push({ id: job.id, data: job.data, attempt: job.attempt });
    });
    await until(async () => (await stateOf(id))?.state === 'completed');
    expect(seen).toEqual([{ id, data: { numberKey: { inner_key: 2 } }, attempt: 1 }]);
  });

  test('shares itself fairly between flows: whoever comes late to much work is next, and nobody is overtaken for ever', async () => {
    const { kernel } = house;
    await kernel.queue.define('turns', { heartbeatSeconds: 10, attempts: 1 });
    const add = (flow: string, cost: number, count: number) =>
      kernel.db.transaction().execute(async (tx) => {
        for (let n = 1; n <= count; n++) {
          await kernel.queue.enqueue(tx, 'turns', { name: `${flow}${n}` }, { turn: { flow, cost } });
        }
      });
    await add('many', 2, 4);
    const order: string[] = [];
    await kernel.queue.work<{ name: string }>('turns', { concurrency: 1 }, async (job) => {
      order.push(job.data.name);
      // While the second of many runs, two others come: one with a little, one with twice as large jobs.
      if (job.data.name !== 'many2') return;
      await add('few', 1, 1);
      await add('large', 4, 3);
    });
    await until(() => order.length === 8);
    expect(order).toEqual(['many1', 'many2', 'few1', 'large1', 'many3', 'many4', 'large2', 'large3']);
  });

  test('tries a job that throws again, then gives it up', async () => {
    const { kernel } = house;
    await kernel.queue.define('throws', { heartbeatSeconds: 10, attempts: 2 });
    const id = await kernel.db.transaction().execute((tx) => kernel.queue.enqueue(tx, 'throws', {}));
    const attempts: number[] = [];
    await kernel.queue.work('throws', { concurrency: 1 }, async (job) => {
      attempts.push(job.attempt);
      throw new Error('no luck');
    });
    await until(async () => (await stateOf(id))?.state === 'failed');
    expect(attempts).toEqual([1, 2]);
  });

  test('gives a job back without costing an attempt when the process is told to stop', async () => {
    const other = await createKernel(loadConfig({ env: house.env }), 'worker');
    await other.queue.define('stops', { heartbeatSeconds: 10, attempts: 3 });
    const id = await other.db.transaction().execute((tx) => other.queue.enqueue(tx, 'stops', {}));
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

  test('gives the job of a silent process to another, and the first can no longer settle it', async () => {
    const { kernel } = house;
    await kernel.queue.define('silent', { heartbeatSeconds: 10, attempts: 3 });
    const id = await kernel.db.transaction().execute((tx) => kernel.queue.enqueue(tx, 'silent', {}));
    const first = deferred();
    const second = deferred();
    const attempts: number[] = [];
    let lost = false;
    await kernel.queue.work('silent', { concurrency: 2 }, async (job) => {
      attempts.push(job.attempt);
      if (job.attempt > 1) return second.promise;
      job.signal.addEventListener('abort', () => {
        lost = true;
      });
      return first.promise;
    });
    await until(() => attempts.length === 1);
    const since = Date.now();
    // As if the process had been cut off: its last heartbeat is long ago, and the supervising pass finds that.
    await until(async () => {
      await sql`update boss.job set heartbeat_on = now() - interval '1 minute' where id = ${id} and retry_count = 0`.execute(
        kernel.db,
      );
      return attempts.length === 2;
    });
    expect(Date.now() - since).toBeLessThan(20_000);
    await until(() => lost);
    first.resolve();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await stateOf(id))?.state).toBe('active');
    second.resolve();
    await until(async () => (await stateOf(id))?.state === 'completed');
    expect(attempts).toEqual([1, 2]);
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
