import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';

describe('a video that several clients change', () => {
  let api: TestApi;
  let caller: TestCaller;
  beforeAll(async () => {
    api = await openTestApi();
    caller = await api.caller();
  });
  afterAll(() => api.close());

  const create = async () =>
    (
      await caller.call('POST', '/videos', {
        name: 'x',
        slides: [{ id: 1, speech: 'Hi.', voice: 'slt', voiceProvider: 'flite' }],
      })
    ).body._id as string;
  const tagOf = async (id: string) => String((await caller.call('GET', `/videos/${id}`)).headers['etag']);
  const change = (id: string, body: object, ifMatch?: string) =>
    caller.call('PATCH', `/videos/${id}`, body, ifMatch === undefined ? {} : { 'If-Match': ifMatch });

  // Proves: D.videos.17.2
  it('has a strong ETag, which a change alters and rendering does not', async () => {
    const id = await create();
    const first = await tagOf(id);
    expect(first).toMatch(/^"[^"]+"$/);
    await caller.call('POST', `/videos/render/${id}`);
    expect(await tagOf(id)).toBe(first);
    const { headers } = await change(id, { tags: ['a'] });
    expect(headers['etag']).not.toBe(first);
    expect(headers['etag']).toBe(await tagOf(id));
  });

  it('is sent under its ETag by every call that answers the document', async () => {
    const id = await create();
    const copy = await caller.call('POST', '/videos/copy', { videoId: id });
    expect(copy.headers['etag']).toBe(await tagOf(copy.body._id));
    const gone = await caller.call('DELETE', `/videos/${copy.body._id}`);
    expect(gone.headers['etag']).toBe(await tagOf(copy.body._id));
  });

  it('keeps its ETag when only the sound of a slide is stored, and not when its text changes with it', async () => {
    const id = await create();
    const first = await tagOf(id);
    const spoken = await caller.call('POST', `/videos/voice/${id}/1`);
    expect([spoken.status, spoken.headers['etag'], await tagOf(id)]).toEqual([200, first, first]);
    const changed = await caller.call('POST', `/videos/voice/${id}/1`, { speech: 'Other.' });
    expect(changed.headers['etag']).not.toBe(first);
    expect(changed.headers['etag']).toBe(await tagOf(id));
  });

  // Proves: D.videos.17.4
  it('is changed when If-Match names its version, alone, in a list or as *, and always without If-Match', async () => {
    const id = await create();
    const first = await tagOf(id);
    expect((await change(id, { name: 'alone' }, first)).status).toBe(200);
    expect((await change(id, { name: 'list' }, `"other" ,  ${await tagOf(id)}`)).status).toBe(200);
    expect((await change(id, { name: 'any' }, '*')).status).toBe(200);
    const compressed = (await tagOf(id)).replace(/"$/, '-gzip"');
    expect((await change(id, { name: 'compressed by a proxy' }, compressed)).status).toBe(200);
    expect((await change(id, { name: 'without' })).status).toBe(200);
  });

  // Proves: D.videos.17.3
  it('is not changed when If-Match names other versions only: 412 with a message that names the present one', async () => {
    const id = await create();
    const first = await tagOf(id);
    await change(id, { name: 'theirs' });
    const now = await tagOf(id);
    for (const header of [first, `${first}, "other"`, `W/${now}`, now.replaceAll('"', ''), '']) {
      const refused = await change(id, { name: 'mine', slides: [] }, header);
      expect([header, refused.status, refused.body.message]).toEqual([header, 412, expect.stringContaining(now)]);
    }
    const { body, headers } = await caller.call('GET', `/videos/${id}`);
    expect([body.name, body.slides.length, headers['etag']]).toEqual(['theirs', 1, now]);
  });

  it('gets the other errors first: an unknown video is 404, a wrong body 400', async () => {
    const id = await create();
    expect((await change('0'.repeat(24), { name: 'x' }, '"other"')).status).toBe(404);
    expect((await change(id, { name: 7, slides: 'none' }, '"other"')).status).toBe(400);
  });

  // Proves: D.videos.17.3
  it('is changed by exactly one of 40 clients that save the same version at once', async () => {
    const id = await create();
    const first = await tagOf(id);
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => change(id, { name: `client ${n}` }, first)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(39);
    expect((await caller.call('GET', `/videos/${id}`)).body.name).toBe(won[0]?.body.name);
    expect(won[0]?.headers['etag']).toBe(await tagOf(id));
  });

  it('can be saved with If-Match by pages of other origins, which may read the ETag', async () => {
    const id = await create();
    const page = { origin: 'https://example.com' };
    const preflight = await api.http.app.inject({
      method: 'OPTIONS',
      url: `/api/v1/videos/${id}`,
      headers: { ...page, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'if-match' },
    });
    expect(preflight.headers['access-control-allow-headers']).toMatch(/If-Match/i);
    const { headers } = await caller.call('GET', `/videos/${id}`, undefined, page);
    expect(headers['access-control-expose-headers']).toMatch(/\bETag\b/);
  });
});
