import type { AddressInfo } from 'node:net';
import { createClient, type Figurehead } from '@figurehead/sdk';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';

describe('changes of videos', () => {
  let api: TestApi;
  let caller: TestCaller;
  let baseUrl: string;
  let client: Figurehead;
  beforeAll(async () => {
    api = await openTestApi();
    caller = await api.caller();
    await api.http.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = api.http.app.server.address() as AddressInfo;
    baseUrl = `http://127.0.0.1:${port}`;
    client = createClient({ baseUrl, token: caller.token });
  });
  afterAll(() => api.close());

  it('arrive as server-sent events: created, changed, rendered, deleted', async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const events = await client.watchVideos({}, { signal: stop.signal });
    const iterator = events[Symbol.asyncIterator]();
    const next = async () => {
      const { video } = (await iterator.next()).value;
      seen.push(`${video.name} ${video.status}${video.progress === undefined ? '' : ` ${video.progress}`}`);
      return video;
    };
    const { body: video } = await caller.call('POST', '/videos', { name: 'A', slides: [{ id: 1, speech: 'x' }] });
    expect(await next()).not.toHaveProperty('slides');
    await caller.call('PATCH', `/videos/${video._id}`, { name: 'B' });
    await next();
    await caller.call('POST', `/videos/render/${video._id}`);
    await next();
    await sql`update videos set status = 'rendering' where id = ${video._id}`.execute(api.test.kernel.db);
    await next();
    await sql`update renders set progress = 0.5 where video_id = ${video._id}`.execute(api.test.kernel.db);
    await next();
    await caller.call('DELETE', `/videos/${video._id}`);
    expect((await next()).deleted).toBe(true);
    expect(seen.slice(0, 5)).toEqual(['A draft', 'B draft', 'B queued', 'B rendering 0', 'B rendering 0.5']);
    stop.abort();
    await expect(iterator.next()).rejects.toThrow();
  });

  it('are sent only to their own workspace', async () => {
    const stranger = await api.caller();
    const events = (await client.watchVideos())[Symbol.asyncIterator]();
    const first = events.next();
    await stranger.call('POST', '/videos', { name: 'theirs' });
    await caller.call('POST', '/videos', { name: 'mine' });
    expect((await first).value.video.name).toBe('mine');
    await events.return?.();
  });

  it('are no longer sent to a caller whose token was revoked', async () => {
    const other = await api.caller();
    let isOver = false;
    // Answered before the token is revoked.
    const events = await createClient({ baseUrl, token: other.token }).watchVideos();
    const reading = (async () => {
      for await (const _ of events);
      isOver = true;
    })();
    await other.call('POST', '/videos', { name: 'theirs' });
    const { db } = api.test.kernel;
    await sql`update tokens set revoked_at = now() where workspace_id = ${other.workspace._id}`.execute(db);
    const change = () =>
      sql`update videos set updated_at = now() where workspace_id = ${other.workspace._id}`.execute(db);
    await expect.poll(async () => (await change()) && isOver).toBe(true);
    await reading;
  });

  it('are read once for any number of clients', async () => {
    const earlier = (await client.watchVideos())[Symbol.asyncIterator]();
    const created = earlier.next();
    const { body: video } = await caller.call('POST', '/videos', { name: 'before' });
    // Otherwise the thirty may receive the creation.
    await created;
    await earlier.return?.();
    const clients = await Promise.all(
      Array.from({ length: 30 }, async () => (await client.watchVideos())[Symbol.asyncIterator]()),
    );
    const told = clients.map((events) => events.next());
    const reads = vi.spyOn(api.test.kernel, 'read');
    await sql`update videos set name = 'after', updated_at = now() where id = ${video._id}`.execute(api.test.kernel.db);
    for (const { value } of await Promise.all(told))
      expect(value.video).toMatchObject({ _id: video._id, name: 'after' });
    expect(reads.mock.calls.filter(([statement]) => statement.name === 'read-video')).toHaveLength(1);
    reads.mockRestore();
    for (const events of clients) await events.return?.();
  });

  it('are merged into the latest state when they are faster than the reader', async () => {
    const events = (await client.watchVideos())[Symbol.asyncIterator]();
    const { body: video } = await caller.call('POST', '/videos', { name: '0' });
    for (let i = 1; i <= 30; i++) await caller.call('PATCH', `/videos/${video._id}`, { name: String(i) });
    const names: string[] = [];
    while (names.at(-1) !== '30') names.push((await events.next()).value.video.name);
    expect(names).toEqual(names.toSorted((a, b) => Number(a) - Number(b)));
    expect(names.length).toBeLessThanOrEqual(31);
    await events.return?.();
  });

  it('are refused beyond a workspace’s maximum of clients, and end with the server', async () => {
    const server = await openTestApi();
    const { token } = await server.caller();
    await server.http.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.http.app.server.address() as AddressInfo;
    const options = { baseUrl: `http://127.0.0.1:${port}`, token, maxRateLimitWaitSeconds: 0 };
    const crowd = createClient(options);
    const all = await Promise.all(Array.from({ length: 100 }, () => crowd.watchVideos()));
    await expect(crowd.watchVideos()).rejects.toMatchObject({ status: 429 });
    const ends = all.map((events) => events[Symbol.asyncIterator]().next());
    await server.close();
    expect((await Promise.all(ends)).every(({ done }) => done)).toBe(true);
  });
});
