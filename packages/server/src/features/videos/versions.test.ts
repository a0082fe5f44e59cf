import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';

describe('earlier versions of a video', () => {
  let api: TestApi;
  let caller: TestCaller;
  beforeAll(async () => {
    api = await openTestApi();
    caller = await api.caller();
  });
  afterAll(() => api.close());

  const create = async () =>
    (await caller.call('POST', '/videos', { name: 'v', slides: [{ id: 1, speech: '0' }] })).body._id as string;
  const write = (id: string, speech: string) => caller.call('PATCH', `/videos/${id}`, { slides: [{ id: 1, speech }] });
  const read = async (id: string) => (await caller.call('GET', `/videos/${id}`)).body;
  const list = async (id: string) => (await caller.call('GET', `/videos/versions/${id}`)).body.versions;
  const keep = async (id: string, body?: object) => (await caller.call('POST', `/videos/versions/${id}`, body)).body;
  const content = async (id: string, versionId: string) =>
    (await caller.call('GET', `/videos/versions/${id}/${versionId}`)).body;
  /** Makes the video and its versions older, as if `minutes` had passed. */
  const pass = async (id: string, minutes: number) => {
    const { db } = api.test.kernel;
    const ago = sql`${minutes} * interval '1 minute'`;
    await sql`update videos set created_at = created_at - ${ago}, updated_at = updated_at - ${ago} where id = ${id}`.execute(
      db,
    );
    await sql`update video_versions set created_at = created_at - ${ago}, kept_at = kept_at - ${ago} where video_id = ${id}`.execute(
      db,
    );
  };

  it('are kept every 10 minutes of work and before the first change after a pause, not with each change', async () => {
    const id = await create();
    for (const text of ['1', '2', '3']) await write(id, text);
    expect(await list(id)).toEqual([]);
    await pass(id, 11);
    await write(id, '4');
    await write(id, '5');
    await pass(id, 6);
    await write(id, '6');
    await pass(id, 5);
    await write(id, '7');
    const versions = await list(id);
    expect(versions).toMatchObject([{ reason: 'editing', slideCount: 1 }, { reason: 'editing' }]);
    const texts = await Promise.all(
      versions.map(async ({ _id }: { _id: string }) => (await content(id, _id)).slides[0].speech),
    );
    expect(texts).toEqual(['6', '3']);
    expect(await caller.call('PATCH', `/videos/${id}`, { tags: ['a'] })).toMatchObject({ status: 200 });
    expect(await list(id)).toEqual(versions);
  });

  it('are kept before the first change of what was rendered', async () => {
    const id = await create();
    await keep(id);
    await caller.call('POST', `/videos/render/${id}`);
    await write(id, '1');
    await write(id, '2');
    const [kept, ...older] = await list(id);
    expect([kept.reason, older]).toEqual(['render', []]);
    expect((await content(id, kept._id)).slides).toEqual([{ id: 1, speech: '0' }]);
  });

  it('are kept on request with a reason and a name, which can be changed, and once for each state of the video', async () => {
    const id = await create();
    const first = await keep(id, { reason: 'brand' });
    expect(first).toMatchObject({ reason: 'brand', slideCount: 1 });
    expect(await keep(id, { versionName: 'Before the fair' })).toMatchObject({ _id: first._id, reason: 'request' });
    const path = `/videos/versions/${id}/${first._id}`;
    expect((await caller.call('PATCH', path, { versionName: 'Fair' })).body.versionName).toBe('Fair');
    expect(await list(id)).toMatchObject([{ _id: first._id, versionName: 'Fair' }]);
    for (const [method, at] of [
      ['GET', path],
      ['PATCH', path],
      ['POST', `${path}/restore`],
    ] as const) {
      const body = method === 'PATCH' ? { versionName: 'x' } : undefined;
      expect((await caller.call(method, at.replace(first._id, '0'.repeat(24)), body)).status).toBe(404);
      expect((await caller.call(method, at.replace(id, await create()), body)).status).toBe(404);
    }
  });

  it('can be restored, and the version that is replaced is kept', async () => {
    const id = await create();
    const { _id } = await keep(id);
    await caller.call('PATCH', `/videos/${id}`, { name: 'w', data: { format: '1_1' }, slides: [], tags: ['kept'] });
    const restored = await caller.call('POST', `/videos/versions/${id}/${_id}/restore`);
    expect(restored.body).toMatchObject({ name: 'v', data: {}, slides: [{ id: 1, speech: '0' }], tags: ['kept'] });
    expect(restored.headers['etag']).toBe((await caller.call('GET', `/videos/${id}`)).headers['etag']);
    const [replaced] = await list(id);
    expect(await content(id, replaced._id)).toMatchObject({ reason: 'restore', name: 'w', slides: [] });
    await caller.call('POST', `/videos/versions/${id}/${replaced._id}/restore`);
    expect((await read(id)).name).toBe('w');
  });

  it('are 50 at most: the oldest without a name goes first', async () => {
    const id = await create();
    const first = await keep(id, { versionName: 'First' });
    for (let n = 1; n <= 60; n++) {
      await write(id, String(n));
      await keep(id);
    }
    const versions = await list(id);
    expect([versions.length, versions.at(-1)._id]).toEqual([50, first._id]);
    const oldest = await content(id, versions.at(-2)._id);
    expect([(await content(id, versions[0]._id)).slides[0].speech, oldest.slides[0].speech]).toEqual(['60', '12']);
  });

  it('disappear with their video', async () => {
    const id = await create();
    const { _id } = await keep(id);
    await caller.call('DELETE', `/videos/${id}`);
    expect((await caller.call('GET', `/videos/versions/${id}/${_id}`)).status).toBe(404);
  });
});
