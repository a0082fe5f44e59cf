import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestApi, type TestApi } from '../../../../../tests/support/api.js';
import { allocateHost, listHosts, mendHostCounts, registerHost } from './hosts.js';

let api: TestApi;
let workspaceId: string;
beforeAll(async () => {
  api = await openTestApi();
  workspaceId = (await api.caller()).workspace._id;
});
afterAll(() => api.close());
beforeEach(async () => {
  await sql`truncate streams, stream_hosts`.execute(api.test.kernel.db);
});

const join = (id: string, capacity: number) =>
  registerHost(api.test.kernel, { id, url: 'http://127.0.0.1:9', capacity, engines: ['cpu'], version: '0' });

/** Opens a stream as the API does. @returns its host, or undefined when all are full. */
async function openStream(id: string): Promise<string | undefined> {
  return api.test.kernel.transaction(async (tx) => {
    const host = await allocateHost(tx, new Set());
    if (host === undefined) return undefined;
    await sql`insert into streams (id, workspace_id, user_id, host_id, avatar_code, voice_id, voice_provider, voice, expires_at)
      values (${id}, ${workspaceId}, 'u', ${host.id}, 'a', 'v', 'p', '{}', now())`.execute(tx);
    return host.id;
  });
}

const close = (id: string) => sql`update streams set state = 'closed' where id = ${id}`.execute(api.test.kernel.db);
const openOf = async () => (await listHosts(api.test.kernel)).map(({ id, open }) => [id, open]).sort();

it('fifty concurrent streams fill the hosts exactly, also while others end', async () => {
  await join('a', 7);
  await join('b', 20);
  await join('c', 3);
  const many = (from: number) => Promise.all(Array.from({ length: 50 }, (_, n) => openStream(`s${from + n}`)));
  const first = await many(0);
  expect(first.filter((host) => host !== undefined)).toHaveLength(30);
  expect(await openOf()).toEqual([
    ['a', 7],
    ['b', 20],
    ['c', 3],
  ]);
  // Every freed place is taken, by one of the concurrent callers or by the next.
  const taken = Array.from(first.keys()).filter((n) => first[n] !== undefined);
  const ends = taken.slice(0, 12).map((n) => close(`s${n}`));
  const second = await many(50);
  await Promise.all(ends);
  const third = await many(100);
  expect([...second, ...third].filter((host) => host !== undefined)).toHaveLength(12);
  const { rows } =
    await sql`select host_id, count(*)::int from streams where state <> 'closed' group by 1 order by 1`.execute(
      api.test.kernel.db,
    );
  expect(rows.map((row) => Object.values(row as object))).toEqual(await openOf());
  expect(await openOf()).toEqual([
    ['a', 7],
    ['b', 20],
    ['c', 3],
  ]);
});

it('a stream waits for the only host with a free place instead of being refused', async () => {
  await join('only', 5);
  const { kernel } = api.test;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let locked = () => {};
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve;
  });
  const slow = kernel.transaction(async (tx) => {
    await allocateHost(tx, new Set());
    locked();
    await held;
  });
  await isLocked;
  const waiting = openStream('patient');
  release();
  await slow;
  expect(await waiting).toBe('only');
});

it('a host that registers again keeps its count, and a wrong count is repaired', async () => {
  await join('h', 2);
  await openStream('one');
  const { kernel } = api.test;
  await sql`delete from stream_hosts`.execute(kernel.db);
  await join('h', 2);
  expect(await openOf()).toEqual([['h', 1]]);
  await sql`update stream_hosts set open = 2`.execute(kernel.db);
  expect(await openStream('refused')).toBeUndefined();
  await mendHostCounts(kernel);
  expect(await openStream('two')).toBe('h');
  await sql`delete from streams where id = 'one'`.execute(kernel.db);
  expect(await openOf()).toEqual([['h', 1]]);
});
