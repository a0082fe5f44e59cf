import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';

describe('videos', () => {
  let api: TestApi;
  let caller: TestCaller;
  beforeAll(async () => {
    api = await openTestApi();
    caller = await api.caller();
    full.folderId = (await caller.call('POST', '/folders', { name: 'Filed' })).body._id;
  });
  afterAll(() => api.close());

  const full = {
    name: 'Everything',
    type: 'template',
    public: true,
    tags: ['a', 'b'],
    folderId: '',
    data: { format: '9_16', resolution: 'FullHD', subtitlesEnabled: true, fps: 30, seed: 7, mine: { kept: [1, null] } },
    slides: [
      {
        id: 1,
        speech: 'Hi {{name}}',
        language: 'English',
        voice: 'slt',
        voiceProvider: 'flite',
        voiceType: 'text',
        avatar: { code: 'marcus' },
        canvas: {
          objects: [{ type: 'textbox', left: 1.5, text: 'x', strokeDashArray: [1, 2] }],
          background: '#00ff00',
          version: '5.3.0',
        },
        animation: 'fade_in',
        hasAvatar: true,
      },
      { id: 2, speech: null, avatar: null, duration: 3 },
    ],
  };

  // Proves: 2.1.1, 4.6.6, D.videos.1, D.videos.5, D.videos.13
  it('stores a document and returns it as it was sent', async () => {
    const { body: created } = await caller.call('POST', '/videos', full);
    expect(created).toMatchObject({
      ...full,
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      status: 'draft',
      deleted: false,
      accountId: caller.workspace._id,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect((await caller.call('GET', `/videos/${created._id}`)).body).toEqual(created);
    for (const absent of ['url', 'thumbnail', 'error', 'progress', 'stage']) expect(created).not.toHaveProperty(absent);
  });

  // Proves: D.videos.4
  it('copies a document as a separate draft', async () => {
    const { body: source } = await caller.call('POST', '/videos', full);
    const { body: copy } = await caller.call('POST', '/videos/copy', { videoId: source._id });
    expect(copy).toMatchObject({
      name: 'Copy of Everything',
      type: 'template',
      slides: full.slides,
      data: full.data,
      public: false,
    });
    expect(copy._id).not.toBe(source._id);
    expect((await caller.call('POST', '/videos/copy', { videoId: '000000000000000000000000' })).status).toBe(404);
    const stranger = await api.caller();
    expect((await stranger.call('POST', '/videos/copy', { videoId: source._id })).status).toBe(403);
  });

  // Proves: 8.4.2, D.videos.8
  it('refuses more than 100 slides and slides with the same id', async () => {
    const slides = (ids: number[]) => ({ name: 'x', slides: ids.map((id) => ({ id })) });
    const hundred = Array.from({ length: 100 }, (_, id) => id);
    expect((await caller.call('POST', '/videos', slides(hundred))).status).toBe(200);
    expect((await caller.call('POST', '/videos', slides([...hundred, 100]))).body.errors[0].field).toBe('slides');
    const twice = await caller.call('POST', '/videos', slides([1, 2, 1]));
    expect([twice.status, twice.body.errors]).toEqual([
      400,
      [{ field: 'slides[2].id', message: 'must be unique, 1 is used twice' }],
    ]);
  });

  // Proves: D.videos.23
  it('lists newest first, in pages, without slides', async () => {
    const lister = await api.caller();
    const ids: string[] = [];
    for (const name of ['1', '2', '3', '4', '5'])
      ids.unshift((await lister.call('POST', '/videos', { name, slides: [{ id: 1 }] })).body._id);
    const { body } = await lister.call('GET', '/videos?page=2&limit=2');
    expect(body).toMatchObject({ page: 2, limit: 2, total: 5, videos: [{ _id: ids[2] }, { _id: ids[3] }] });
    expect(body.videos[0]).not.toHaveProperty('slides');
    expect((await lister.call('GET', '/videos')).body).toMatchObject({ page: 1, limit: 25 });
    expect((await lister.call('GET', '/videos?page=9')).body).toMatchObject({ videos: [], total: 5 });
  });

  it('lists by name or last change, and of each batch only its first video', async () => {
    const lister = await api.caller();
    const make = async (name: string, type = 'video') =>
      (await lister.call('POST', '/videos', { name, type, slides: [{ id: 1, speech: '{{name}}' }] })).body._id;
    const [birch, alder, cedar] = [await make('birch'), await make('Alder'), await make('cedar', 'template')];
    const list = async (query: string) => (await lister.call('GET', `/videos?${query}`)).body;
    const ids = async (query: string) => (await list(query)).videos.map(({ _id }: { _id: string }) => _id);
    expect(await ids('sort=name')).toEqual([alder, birch, cedar]);
    await lister.call('PATCH', `/videos/${birch}`, { tags: ['changed'] });
    expect((await ids('sort=changed'))[0]).toBe(birch);
    expect(await ids('sort=created')).toEqual([cedar, alder, birch]);
    const rows = [{ name: 'Ada' }, { name: 'Grace' }, { name: 'Joan' }];
    await lister.call('POST', `/videos/renderTemplate/${cedar}`, { templateData: rows });
    expect((await list('type=video')).total).toBe(5);
    const grouped = await list('type=video&grouped=true');
    expect([grouped.total, grouped.videos[0].batchRowId]).toEqual([3, 0]);
    await lister.call('DELETE', `/videos/${grouped.videos[0]._id}`);
    expect((await list('type=video&grouped=true')).videos[0].batchRowId).toBe(1);
    expect((await lister.call('GET', '/videos?sort=size')).status).toBe(400);
  });

  // Proves: 4.6.7, D.videos.22
  it('filters by status, type, tags and folder, and never shows those of others', async () => {
    const lister = await api.caller();
    const make = async (fields: object) => (await lister.call('POST', '/videos', { name: 'x', ...fields })).body._id;
    const plain = await make({});
    const template = await make({ type: 'template', tags: ['red', 'blue'] });
    const { body: folder } = await lister.call('POST', '/folders', { name: 'f' });
    const filed = await make({ folderId: folder._id, tags: ['green'] });
    await lister.call('POST', `/videos/render/${plain}`);
    const list = async (query: string) =>
      (await lister.call('GET', `/videos?${query}`)).body.videos.map((video: { _id: string }) => video._id);
    expect(await list('status=queued,ready')).toEqual([plain]);
    expect(await list('status=draft')).toEqual([filed, template]);
    expect(await list('status=nonsense')).toEqual([]);
    expect(await list('type=template')).toEqual([template]);
    expect(await list('tags=blue,green')).toEqual([filed, template]);
    expect(await list(`folderId=${folder._id}`)).toEqual([filed]);
    expect(await list('')).toHaveLength(3);
  });

  it('finds videos by a part of their name ignoring case and how accents are written, and treats SQL wildcards as letters', async () => {
    const own = await api.caller();
    for (const name of ['Spring Sale', 'Offsite 50% off', 'Cafe\u0301', 'Notes'])
      await own.call('POST', '/videos', { name });
    const found = async (search: string) =>
      (await own.call('GET', `/videos?search=${encodeURIComponent(search)}`)).body.videos.map(
        (video: { name: string }) => video.name,
      );
    expect(await found('sale')).toEqual(['Spring Sale']);
    expect(await found('0%')).toEqual(['Offsite 50% off']);
    expect(await found('%')).toEqual(['Offsite 50% off']);
    expect(await found('_')).toEqual([]);
    expect(await found('Caf\u00e9')).toEqual(['Cafe\u0301']);
    expect(await found('FE\u0301')).toEqual(['Cafe\u0301']);
    expect(await found(' ')).toHaveLength(4);
  });

  it('are stored only in folders of the workspace', async () => {
    const { body: theirs } = await (await api.caller()).call('POST', '/folders', { name: 'theirs' });
    const { body: media } = await caller.call('POST', '/upload-folders', { name: 'of media' });
    const { body: video } = await caller.call('POST', '/videos', { name: 'x' });
    for (const folderId of [theirs._id, media._id, 'f'.repeat(24), 'nonsense']) {
      for (const answer of [
        await caller.call('POST', '/videos', { name: 'x', folderId }),
        await caller.call('PATCH', `/videos/${video._id}`, { folderId }),
      ]) {
        expect([answer.status, answer.body.errors]).toEqual([
          400,
          [{ field: 'folderId', message: 'must be one of this workspace’s folders' }],
        ]);
      }
    }
  });

  // Proves: D.videos.2
  it('changes the sent fields and keeps the rest', async () => {
    const { body: video } = await caller.call('POST', '/videos', full);
    const { body } = await caller.call('PATCH', `/videos/${video._id}`, { name: 'New', folderId: null });
    expect(body).toMatchObject({ name: 'New', folderId: null, tags: full.tags, slides: full.slides });
    expect((await caller.call('PATCH', `/videos/${video._id}`, {})).body).toMatchObject({ name: 'New' });
  });
});
