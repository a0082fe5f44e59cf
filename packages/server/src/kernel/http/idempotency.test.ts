import { type Route, routes } from '@figurehead/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';
import { createOpenApi } from './openapi/openapi.js';

/** More than the connections of the pool and than one workspace's slots. */
const AT_ONCE = 200;

describe('a POST that creates, with an Idempotency-Key,', () => {
  let api: TestApi;
  let alice: TestCaller;
  let bob: TestCaller;

  beforeAll(async () => {
    api = await openTestApi();
    alice = await api.caller({ plan: 'Enterprise' });
    bob = await api.caller();
  });
  afterAll(() => api.close());

  const post = (caller: TestCaller, path: string, body: unknown, key: string) =>
    caller.call('POST', path, body, { 'idempotency-key': key });
  const total = async (caller: TestCaller, path = '/videos') => (await caller.call('GET', path)).body.total;
  const age = (text: string) => sql`update idempotency_keys set created_at = now() - ${text}::interval`;

  it('answers the same again and creates once', async () => {
    const before = await total(alice);
    const first = await post(alice, '/videos', { name: 'Once' }, 'key-once');
    expect([first.status, first.headers['idempotency-replayed']]).toEqual([200, undefined]);
    const again = await post(alice, '/videos', { name: 'Once' }, '"key-once"');
    expect([again.status, again.headers['idempotency-replayed'], again.text]).toEqual([200, 'true', first.text]);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(await total(alice)).toBe(before + 1);
  });

  it('creates once when the request comes two hundred times at once', async () => {
    const before = await total(alice);
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => post(alice, '/videos', { name: 'Rush' }, 'key-rush')),
    );
    const made = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body._id));
    expect(made.size).toBe(1);
    for (const { status, body, headers } of answers) {
      if (status === 200) continue;
      // Still running, or the server is busy: both say when to retry.
      expect([409, 429]).toContain(status);
      expect([body.retryAfter, headers['retry-after']]).toEqual([expect.any(Number), String(body.retryAfter)]);
    }
    expect(await total(alice)).toBe(before + 1);
  });

  it('is refused with 422 for another body, another path or another file under the same key', async () => {
    await post(alice, '/videos', { name: 'One' }, 'key-other');
    const other = await post(alice, '/videos', { name: 'Two' }, 'key-other');
    expect([other.status, other.body.message]).toEqual([422, expect.stringContaining('another request')]);
    expect((await post(alice, '/folders', { name: 'One' }, 'key-other')).status).toBe(422);
    const form = (bytes: string) =>
      `--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${bytes}\r\n--b--\r\n`;
    const upload = (bytes: string) =>
      alice.call('POST', '/media', form(bytes), {
        'idempotency-key': 'key-file',
        'content-type': 'multipart/form-data; boundary=b',
      });
    await sql`insert into idempotency_keys (workspace_id, key_hash, fingerprint, claim, locked_until)
      select workspace_id, encode(sha256(convert_to(E'\nkey-file', 'UTF8')), 'hex'), 'of another file', claim, now()
      from idempotency_keys limit 1`.execute(api.test.kernel.db);
    expect((await upload('not a picture')).status).toBe(422);
  });

  it('is a different key in another workspace, and after 24 hours', async () => {
    const { body } = await post(alice, '/videos', { name: 'Hers' }, 'key-shared');
    const his = await post(bob, '/videos', { name: 'His' }, 'key-shared');
    expect([his.status, his.body.name]).toEqual([200, 'His']);
    await age('24 hours 1 second').execute(api.test.kernel.db);
    const later = await post(alice, '/videos', { name: 'Hers' }, 'key-shared');
    expect([later.status, later.headers['idempotency-replayed']]).toEqual([200, undefined]);
    expect(later.body._id).not.toBe(body._id);
  });

  it('is refused with 400 when the key is empty, longer than 255 characters or not visible ASCII', async () => {
    for (const key of ['', '""', 'a'.repeat(256), 'two words', 'schlüssel']) {
      const { status, body } = await post(alice, '/videos', { name: 'x' }, key);
      expect([key, status, body.message]).toEqual([key, 400, expect.stringContaining('Idempotency-Key')]);
    }
    expect((await post(alice, '/videos', { name: 'x' }, 'a'.repeat(255))).status).toBe(200);
  });

  it('may be corrected after a refusal: only successful answers are kept', async () => {
    expect((await post(alice, '/videos', { name: 7 }, 'key-refused')).status).toBe(400);
    expect((await post(alice, '/videos', { name: 'Right' }, 'key-refused')).status).toBe(200);
  });

  it('is not repeated when the process died after its commit, and is repeated when it died before', async () => {
    const claim = (key: string, committed: boolean) => sql`
      update idempotency_keys set status = null, answer = null, committed = ${committed}, locked_until = now() - interval '1 s'
      where key_hash = encode(sha256(convert_to(E'\n' || ${key}, 'UTF8')), 'hex')`;
    await post(alice, '/videos', { name: 'Lost' }, 'key-lost');
    const before = await total(alice);
    await claim('key-lost', true).execute(api.test.kernel.db);
    const lost = await post(alice, '/videos', { name: 'Lost' }, 'key-lost');
    expect([lost.status, lost.body.retryAfter]).toEqual([409, undefined]);
    expect(await total(alice)).toBe(before);
    await claim('key-lost', false).execute(api.test.kernel.db);
    expect((await post(alice, '/videos', { name: 'Lost' }, 'key-lost')).status).toBe(200);
    expect(await total(alice)).toBe(before + 1);
  });

  it('stores its answer in the transaction that creates, if the answer is the result of the transaction', async () => {
    // As if the process died right after the commit: the later statement that stores the answer fails.
    await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'the process is gone'; end $$`.execute(
      api.test.kernel.db,
    );
    await sql`create trigger gone before update on idempotency_keys for each row when (old.committed) execute function refuse()`.execute(
      api.test.kernel.db,
    );
    const first = await post(alice, '/videos', { name: 'Crash' }, 'key-crash');
    await sql`drop trigger gone on idempotency_keys`.execute(api.test.kernel.db);
    const again = await post(alice, '/videos', { name: 'Crash' }, 'key-crash');
    expect([again.status, again.text]).toEqual([200, first.text]);
  });

  it('is documented on the routes that accept it; other routes ignore it', async () => {
    const { paths } = createOpenApi({ serverUrl: 'http://localhost', version: '1' }) as {
      paths: Record<string, Record<string, { parameters?: { name: string }[]; responses: object }>>;
    };
    const taking = Object.values<Route>(routes).filter(({ idempotencyKey }) => idempotencyKey);
    expect(taking.map(({ method }) => method)).toEqual(taking.map(() => 'POST'));
    for (const { method, path, idempotencyKey } of Object.values<Route>(routes)) {
      const operation = paths[path]?.[method.toLowerCase()];
      const names = (operation?.parameters ?? []).map(({ name }) => name);
      expect([path, names.includes('Idempotency-Key')]).toEqual([path, idempotencyKey === true]);
      expect([path, '422' in (operation?.responses ?? {})]).toEqual([path, idempotencyKey === true]);
    }
    const { body: folder } = await alice.call('POST', '/folders', { name: 'F' });
    for (const name of ['A', 'B']) {
      const answer = await alice.call('PATCH', `/folders/${folder._id}`, { name }, { 'idempotency-key': 'key-patch' });
      expect([answer.status, answer.body.name]).toEqual([200, name]);
    }
  });

  it('renders once', async () => {
    const { body: video } = await alice.call('POST', '/videos', { name: 'R', slides: [{ id: 1, speech: 'Hello.' }] });
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await post(alice, `/videos/render/${video._id}`, {}, 'key-render'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { rows } = await sql`select 1 from renders where video_id = ${video._id}`.execute(api.test.kernel.db);
    expect(rows).toHaveLength(1);
  });

  /** Renders at once, each with a key: the first waits for its video, which is deleted meanwhile, and the others for the first. */
  async function renderTogether(prefix: string, during: () => Promise<void> = async () => undefined) {
    const { db, transaction } = api.test.kernel;
    const videos: string[] = [];
    for (let n = 0; n < 5; n++) {
      const { body } = await alice.call('POST', '/videos', { name: 'R', slides: [{ id: 1, speech: 'Hello.' }] });
      videos.push(body._id);
    }
    const keys = videos.map((_, n) => `${prefix}-${n}`);
    const render = (n: number) => post(alice, `/videos/render/${videos[n]}`, {}, keys[n]!);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let deleted = (): void => undefined;
    const isDeleted = new Promise<void>((resolve) => {
      deleted = resolve;
    });
    const deletion = transaction(async (tx) => {
      await sql`update videos set deleted = true where id = ${videos[0]}`.execute(tx);
      deleted();
      await released;
    });
    await isDeleted;
    const count = async (query: ReturnType<typeof sql>) => (await query.execute(db)).rows.length;
    const first = render(0);
    await expect
      .poll(() =>
        count(sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%from "videos"%'`),
      )
      .toBe(1);
    const others = [1, 2, 3, 4].map(render);
    await expect
      .poll(() => count(sql`select from idempotency_keys where not committed and locked_until > now()`))
      .toBe(5);
    // A process that dies now blocks its keys for this long.
    expect(await count(sql`select from idempotency_keys where locked_until > now() + interval '10 s'`)).toBe(0);
    // From their keys to their group.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await during();
    release();
    await deletion;
    return { videos, keys, render, answers: await Promise.all([first, ...others]) };
  }

  it('renders each video with its own key when many are requested at once and the first is refused', async () => {
    const { answers, render } = await renderTogether('key-together');
    expect(answers.map(({ status }) => status)).toEqual([404, 200, 200, 200, 200]);
    for (const n of [1, 2, 3, 4]) {
      const again = await render(n);
      expect([again.status, again.headers['idempotency-replayed'], again.text]).toEqual([
        200,
        'true',
        answers[n]!.text,
      ]);
    }
  });

  it('commits each key in the transaction of its own render when many are requested at once', async () => {
    const { db } = api.test.kernel;
    // As if the process died right after the commit.
    const { keys, videos } = await renderTogether('key-same', async () => {
      await sql`create trigger gone before update on idempotency_keys for each row when (old.committed) execute function refuse()`.execute(
        db,
      );
    });
    await sql`drop trigger gone on idempotency_keys`.execute(db);
    const { rows } = await sql`
      select k.committed, k.xmin::text = r.xmin::text as is_together
      from unnest(${keys.slice(1)}::text[], ${videos.slice(1)}::text[]) as w (key, video)
        join renders r on r.video_id = w.video
        join idempotency_keys k on k.key_hash = encode(sha256(convert_to(E'\n' || w.key, 'UTF8')), 'hex')`.execute(db);
    expect(rows).toEqual(keys.slice(1).map(() => ({ committed: true, isTogether: true })));
  });
});
