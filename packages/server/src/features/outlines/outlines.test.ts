import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';

describe('outlines', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openTestApi();
  });
  afterAll(() => api.close());

  const make = async (me: TestCaller, fields: Record<string, unknown> = {}) =>
    (
      await me.call('POST', '/outline', {
        title: 'Bees',
        source: 'Bees live in hives. Bees make honey. Honey keeps for years.',
        ...fields,
      })
    ).body;

  // Proves: D.outline.1
  it('are created, read, listed, changed and deleted', async () => {
    const me = await api.caller();
    const outline = await make(me, { status: 'script', writer: 'model', workspaceId: 'x' });
    expect(outline).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      title: 'Bees',
      prompt: null,
      source: expect.any(String),
      language: null,
      chapters: [],
      status: 'draft',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await me.call('GET', `/outline/${outline._id}`)).body).toEqual(outline);
    expect((await me.call('GET', '/outline')).body).toEqual({ outlines: [outline], page: 1, limit: 25, total: 1 });
    const chapters = [{ id: 'a', title: 'A', summary: '', script: 'Hello.' }];
    const { body: changed } = await me.call('PATCH', `/outline/${outline._id}`, { language: 'German', chapters });
    expect(changed).toMatchObject({ language: 'German', chapters, status: 'script', title: 'Bees' });
    const twice = await me.call('PATCH', `/outline/${outline._id}`, { chapters: [...chapters, ...chapters] });
    expect(twice).toMatchObject({ status: 400, body: { errors: [{ field: 'chapters[1].id' }] } });
    expect((await me.call('DELETE', `/outline/${outline._id}`)).body).toEqual({ _id: outline._id, deleted: true });
    expect((await me.call('GET', `/outline/${outline._id}`)).status).toBe(404);
    expect((await me.call('POST', '/outline', {})).status).toBe(400);
  });

  // Proves: D.outline.2, D.outline.3, D.outline.5
  it('get exactly the requested number of chapters, then scripts, labelled as extracted', async () => {
    const me = await api.caller();
    const { _id } = await make(me);
    const early = await me.call('POST', `/outline/${_id}/generate-script`);
    expect([early.status, early.body.message]).toEqual([400, expect.stringContaining('chapters before scripts')]);
    expect(early.headers['x-ratelimit-remaining-min']).toBe('5');
    expect((await me.call('POST', `/outline/${_id}/generate-chapters`, { count: 21 })).status).toBe(400);

    const { body: written } = await me.call('POST', `/outline/${_id}/generate-chapters`, { count: 4 });
    expect(written).toMatchObject({ status: 'chapters', writer: 'extracted' });
    expect(written.chapters).toHaveLength(4);
    expect(new Set(written.chapters.map(({ id }: { id: string }) => id)).size).toBe(4);

    expect((await me.call('POST', `/outline/${_id}/generate-script`, { chapterId: 7 })).status).toBe(400);
    expect((await me.call('POST', `/outline/${_id}/generate-script`, { chapterId: 'nobody' })).status).toBe(400);
    const { body: one } = await me.call('POST', `/outline/${_id}/generate-script`, {
      chapterId: written.chapters[1].id,
    });
    expect(one.chapters.map(({ script }: { script?: string }) => typeof script)).toEqual([
      'undefined',
      'string',
      'undefined',
      'undefined',
    ]);
    expect(one.status).toBe('chapters');
    const { body: all } = await me.call('POST', `/outline/${_id}/generate-script`);
    expect(all.status).toBe('script');
    for (const { script } of all.chapters) expect(script.length).toBeGreaterThan(5);
  });

  it('scripts that are written concurrently do not overwrite each other', async () => {
    const me = await api.caller();
    const { _id } = await make(me);
    const { body } = await me.call('POST', `/outline/${_id}/generate-chapters`, { count: 4 });
    await Promise.all(
      body.chapters.map(({ id }: { id: string }) =>
        me.call('POST', `/outline/${_id}/generate-script`, { chapterId: id }),
      ),
    );
    expect((await me.call('GET', `/outline/${_id}`)).body.status).toBe('script');
  });

  // Proves: 4.6.10, 8.1.4
  it('API callers have five requests a minute, shown on every answer', async () => {
    const me = await api.caller();
    const { _id } = await make(me);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => me.call('POST', `/outline/${_id}/generate-chapters`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(45);
    expect(refused[0]?.headers).toMatchObject({
      'x-ratelimit-limit-min': '5',
      'x-ratelimit-limit-hour': '60',
      'x-ratelimit-remaining-hour': '55',
    });
  });

  // Proves: D.outline.4
  it('become draft videos with one slide per chapter', async () => {
    const me = await api.caller();
    const { _id } = await make(me, { language: 'English' });
    expect((await me.call('POST', `/outline/${_id}/video`)).status).toBe(400);
    const { body: outline } = await me.call('POST', `/outline/${_id}/generate-chapters`, { count: 3 });
    await me.call('POST', `/outline/${_id}/generate-script`);
    const { status, body: video } = await me.call('POST', `/outline/${_id}/video`, {
      name: 'Film',
      avatar: 'marcus',
      voice: 'rms',
      voiceProvider: 'flite',
    });
    expect(status).toBe(200);
    expect(video).toMatchObject({ name: 'Film', status: 'draft', type: 'video' });
    expect(video.slides).toHaveLength(3);
    expect(video.slides[0]).toMatchObject({
      id: 1,
      language: 'English',
      voice: 'rms',
      avatar: { code: 'marcus' },
      speech: expect.stringMatching(/\w+\./),
    });
    expect(video.slides[0].canvas.objects[0]).toMatchObject({ type: 'textbox', text: outline.chapters[0].title });
    const long = 'This is a long sentence that is repeated many times. '.repeat(900);
    await me.call('PATCH', `/outline/${_id}`, { chapters: [{ id: 'a', title: 'A', summary: 'S', script: long }] });
    const { body: split } = await me.call('POST', `/outline/${_id}/video`);
    expect(split.slides).toHaveLength(3);
    expect(split.slides.map(({ speech }: { speech: string }) => speech).join(' ')).toBe(long.trim());
  });

  // Proves: 5.4
  it('of another workspace are 403 on every path', async () => {
    const [me, other] = [await api.caller(), await api.caller()];
    const { _id } = await make(other, { title: 'Secret' });
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/generate-chapters'],
      ['POST', '/generate-script'],
      ['POST', '/video'],
    ] as const) {
      const answer = await me.call(method, `/outline/${_id}${path}`, method === 'PATCH' ? {} : undefined);
      expect([answer.status, answer.text.includes('Secret')], `${method} ${path}`).toEqual([403, false]);
    }
  });
});
