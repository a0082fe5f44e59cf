import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApi, type TestApi } from '../../../../../tests/support/api.js';
import { registerHost } from '../hosts/index.js';

const POOL = 3;

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ FIGUREHEAD_DATABASE_CONNECTIONS: String(POOL) });
});
afterAll(() => api.close());

it('while every connection is busy a process is not ready and refuses calls as overloaded; then it serves again', async () => {
  const { kernel } = api.test;
  const caller = await api.caller();
  const host = { id: 'h', url: 'http://127.0.0.1:9', capacity: 1, engines: ['cpu'], version: '0' } as const;
  await registerHost(kernel, host);
  const ready = async () => (await api.http.app.inject('/readyz')).json();
  expect(await ready()).toMatchObject({ status: 'ready' });

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
  expect(during).toMatchObject({ status: 'not ready', database: false });
  expect(refused).toMatchObject({ status: 429, body: { retryAfter: 1 }, headers: { 'retry-after': '1' } });

  release();
  await Promise.all(held);
  // It was given up meanwhile: its heartbeats could not be written either.
  await registerHost(kernel, host);
  expect(await ready()).toMatchObject({ status: 'ready', database: true });
  expect((await caller.call('GET', '/videos')).status).toBe(200);
});
