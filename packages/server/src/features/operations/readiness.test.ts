import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApi, type TestApi } from '../../../../../tests/support/api.js';
import { createReadiness } from './readiness.js';

const POOL = 3;

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ FIGUREHEAD_DATABASE_CONNECTIONS: String(POOL) });
});
afterAll(() => api.close());

it('a process with only busy connections is not ready and refuses calls as overloaded, until one is free', async () => {
  const { kernel } = api.test;
  const caller = await api.caller();
  // Without stream hosts, which are declared dead when their heartbeats cannot be written either.
  const ready = createReadiness(kernel, async () => true);
  expect(await ready()).toMatchObject({ ready: true });

  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let holding = 0;
  const held = Array.from({ length: POOL }, () =>
    kernel.transaction(async () => {
      holding += 1;
      await released;
    }),
  );
  await expect.poll(() => holding).toBe(POOL);
  const [during, refused] = await Promise.all([ready(), caller.call('GET', '/videos')]);
  expect(during).toMatchObject({ ready: false, database: false });
  expect(refused).toMatchObject({ status: 429, body: { retryAfter: 1 }, headers: { 'retry-after': '1' } });

  release();
  await Promise.all(held);
  expect(await ready()).toMatchObject({ ready: true, database: true });
  expect((await caller.call('GET', '/videos')).status).toBe(200);
});

it('callers at the same time share one look, and the next one looks again', async () => {
  let looks = 0;
  const ready = createReadiness(api.test.kernel, async () => {
    looks += 1;
    return true;
  });
  const found = await Promise.all(Array.from({ length: 50 }, ready));
  expect([found.every((one) => one.ready), looks]).toEqual([true, 1]);
  await ready();
  expect(looks).toBe(2);
});
