import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReview } from '../../packages/server/src/features/moderation/index.js';
import { workOnRenders } from '../../packages/server/src/features/renders/job/index.js';
import { createToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import { call, openTestApi, scriptedPipeline, type TestApi, type TestCaller } from '../support/api.js';
import { upload } from '../support/files.js';
import { signInAs } from '../support/web.js';

const NOBODY = '000000000000000000000000';

describe('videos, as specified', () => {
  let api: TestApi;
  let me: TestCaller;
  beforeAll(async () => {
    const pipeline = scriptedPipeline(async () => ({ durationSeconds: 2 }));
    api = await openTestApi({ FIGUREHEAD_UPLOAD_MAX_MB: '1' }, pipeline);
    await workOnRenders(api.test.kernel, { pipeline, review: createReview() });
    me = await api.caller();
  });
  afterAll(() => api.close());

  const create = async (fields: object = {}, caller = me) =>
    (await caller.call('POST', '/videos', { name: 'x', slides: [{ id: 1, speech: 'Hi.' }], ...fields })).body;
  const read = async (id: string, caller = me) => (await caller.call('GET', `/videos/${id}`)).body;
  const ready = async (fields: object = {}, caller = me) => {
    const { _id } = await create(fields, caller);
    await caller.call('POST', `/videos/render/${_id}`);
    await expect.poll(async () => (await read(_id, caller)).status).toBe('ready');
    return read(_id, caller);
  };

  // Proves: D.videos.17
  it('return to draft when their content changes, and stay ready when only their folder or tags change', async () => {
    const changes: [object, string][] = [
      [{ tags: ['b'] }, 'ready'],
      [{ public: true }, 'ready'],
      [{ folderId: null }, 'ready'],
      [{ slides: [{ id: 1, speech: 'Hi.' }] }, 'ready'],
      [{ slides: [{ id: 1, speech: 'Other.' }] }, 'draft'],
      [{ data: { format: '1_1' } }, 'draft'],
    ];
    for (const [change, status] of changes) {
      const { _id } = await ready();
      const { body } = await me.call('PATCH', `/videos/${_id}`, change);
      expect([JSON.stringify(change), body.status, 'url' in body]).toEqual([
        JSON.stringify(change),
        status,
        status === 'ready',
      ]);
    }
  });

  // Proves: D.videos.17.1
  it('keep their last film as lastRender while they are changed, render again or fail, until the next one is ready', async () => {
    const first = await ready();
    expect(first).not.toHaveProperty('lastRender');
    const { url, thumbnail, subtitlesUrl, srtUrl, duration, ...changed } = (
      await me.call('PATCH', `/videos/${first._id}`, { slides: [{ id: 1, speech: 'Other.' }] })
    ).body;
    expect([changed.status, url, thumbnail, subtitlesUrl, srtUrl]).toEqual(['draft', ...Array(4).fill(undefined)]);
    const { lastRender } = changed;
    const file = (link: string) => new URL(link).pathname;
    expect({ ...lastRender, url: file(lastRender.url) }).toEqual({
      url: file(first.url),
      subtitlesUrl: expect.stringContaining(file(first.subtitlesUrl)),
      srtUrl: expect.stringContaining(file(first.srtUrl)),
      duration: 2,
      renderedAt: first.updatedAt,
    });
    const bytesOf = async (link: string) => {
      const { statusCode, body } = await api.http.app.inject({
        method: 'GET',
        url: link.slice(link.indexOf('/media/')),
      });
      return [statusCode, body];
    };
    expect(await bytesOf(lastRender.url)).toEqual([200, 'video.mp4 of x']);
    const listed = (await me.call('GET', '/videos')).body.videos.find((one: { _id: string }) => one._id === first._id);
    expect(listed.lastRender.renderedAt).toBe(lastRender.renderedAt);

    await sql`update videos set status = 'error', error = 'x' where id = ${first._id}`.execute(api.test.kernel.db);
    expect((await read(first._id)).lastRender.renderedAt).toBe(lastRender.renderedAt);
    await me.call('POST', `/videos/render/${first._id}`);
    await expect.poll(async () => (await read(first._id)).status).toBe('ready');
    const second = await read(first._id);
    expect(second).not.toHaveProperty('lastRender');
    expect(file(second.url)).not.toBe(file(first.url));
    await me.call('PATCH', `/videos/${first._id}`, { name: 'y' });
    expect(file((await read(first._id)).lastRender.url)).toBe(file(second.url));

    const { body: gone } = await me.call('DELETE', `/videos/${first._id}`);
    expect(gone).not.toHaveProperty('lastRender');
    expect((await bytesOf(second.url))[0]).toBe(404);
    expect((await me.call('POST', '/videos/copy', { videoId: (await ready())._id })).body).not.toHaveProperty(
      'lastRender',
    );
  });

  // Proves: D.videos.20, D.videos.21
  it('have expiring links while they are ready and not deleted', async () => {
    const video = await ready();
    for (const link of [video.url, video.thumbnail, video.subtitlesUrl]) {
      const { pathname, searchParams } = new URL(link);
      expect(Number(searchParams.get('expires')) * 1000).toBeGreaterThan(Date.now());
      expect(searchParams.get('signature')).toMatch(/.{20,}/);
      expect((await api.http.app.inject({ method: 'GET', url: pathname })).statusCode).toBe(403);
    }
    const deleted = (await me.call('DELETE', `/videos/${video._id}`)).body;
    for (const link of ['url', 'thumbnail', 'subtitlesUrl']) expect(deleted).not.toHaveProperty(link);
  });

  // Proves: 4.6.7, 6.4.6, D.videos.22
  it('are found by all statuses at once, and the list matches the documents', async () => {
    const lister = await api.caller();
    const [draft, done] = [await create({}, lister), await ready({}, lister)];
    const { body } = await lister.call('GET', '/videos?status=ready,error');
    expect(body).toMatchObject({ total: 1, videos: [{ _id: done._id, status: 'ready', url: expect.any(String) }] });
    expect((await lister.call('GET', '/videos?status=draft')).body.videos[0]._id).toBe(draft._id);
    expect((await lister.call('GET', '/videos?limit=0')).status).toBe(400);
    expect((await lister.call('GET', '/videos?limit=100')).status).toBe(200);
    await lister.call('DELETE', `/videos/${draft._id}`);
    expect((await lister.call('GET', '/videos?deleted=true')).body.videos).toMatchObject([{ deleted: true }]);
  });

  // Proves: D.videos.5, D.videos.6, D.videos.7
  it('accept slides and canvas objects of every Fabric type, and return them unchanged', async () => {
    const kinds = ['text', 'i-text', 'textbox', 'image', 'rect', 'circle', 'avatar', 'video', 'path'];
    const geometry = { left: 1, top: 2.5, width: 3, height: 4, scaleX: 0.5, scaleY: 2, angle: 90, opacity: 0.3 };
    const objects = kinds.map((type, id) => ({
      type,
      id,
      ...geometry,
      fill: '#fff',
      src: 'https://a.example/x.png',
      text: '{{x}}',
      fontSize: 12,
      fontFamily: 'Inter',
      textAlign: 'center',
      animation: { type: 'fade_in', duration: 1 },
      shadow: null,
    }));
    const slide = {
      id: 7,
      speech: 'Hi.',
      language: 'English',
      voice: 'anybody',
      voiceProvider: 'anything',
      voiceType: 'text',
      avatar: { code: 'ava.office' },
      canvas: { objects, background: 'https://a.example/b.jpg', version: '5.3.0' },
      animation: null,
      duration: 2.5,
      hasAvatar: false,
    };
    const video = await create({ slides: [slide] });
    expect(video.slides).toEqual([slide]);
    expect((await read(video._id)).slides).toEqual([slide]);
  });

  // Proves: 7.2.1, 7.5, D.calls.3, D.calls.7, D.videos.8, D.videos.12
  it.each([
    ['name', { name: 7 }],
    ['name', { name: '' }],
    ['tags', { tags: 'a' }],
    ['tags[1]', { tags: ['a', 1] }],
    ['public', { public: 'yes' }],
    ['type', { type: 'film' }],
    ['data', { data: [] }],
    ['data.format', { data: { format: '4_3' } }],
    ['data.resolution', { data: { resolution: '8K' } }],
    ['data.fps', { data: { fps: 24 } }],
    ['data.musicVolume', { data: { musicVolume: 2 } }],
    ['data.subtitlesEnabled', { data: { subtitlesEnabled: 'on' } }],
    ['data.seed', { data: { seed: -1 } }],
    ['slides', { slides: {} }],
    ['slides[0].id', { slides: [{ speech: 'x' }] }],
    ['slides[0].id', { slides: [{ id: 1.5 }] }],
    ['slides[0].avatar.code', { slides: [{ id: 1, avatar: {} }] }],
    ['slides[0].duration', { slides: [{ id: 1, duration: 0 }] }],
    ['slides[0].canvas.objects[0].left', { slides: [{ id: 1, canvas: { objects: [{ type: 'rect', left: '1px' }] } }] }],
    ['slides[0].hasAvatar', { slides: [{ id: 1, hasAvatar: '1' }] }],
  ])('name the invalid field %s', async (field, body) => {
    const answer = await me.call('POST', '/videos', { name: 'x', ...body });
    expect([answer.status, typeof answer.body.message]).toEqual([400, 'string']);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
  });

  // Proves: D.videos.12, D.videos.13
  it.each([
    [{ format: '16_9', resolution: 'HD' }],
    [{ format: '9_16', resolution: 'FullHD', fps: 25 }],
    [{ format: '1_1', resolution: '4K', fps: 30 }],
    [{ resolution: '720p', fps: 50 }],
    [{ resolution: '1080p', fps: 60, seed: 0 }],
    [{ resolution: '2160p', subtitlesEnabled: true, musicUrl: 'https://a.example/m.mp3', musicVolume: 0.5 }],
    [{ anything: { else: [1, 'two', null] }, 'odd key!': true }],
  ])('keep the settings %j', async (data) => {
    expect((await create({ data })).data).toEqual(data);
  });

  // Proves: D.videos.4
  it('are copied as a new draft, which counts as created now', async () => {
    const source = await ready({ tags: ['a'], data: { format: '1_1' }, type: 'template' });
    const { body: copy } = await me.call('POST', '/videos/copy', { videoId: source._id });
    expect(copy).toMatchObject({ status: 'draft', tags: ['a'], data: { format: '1_1' }, type: 'template' });
    expect(copy).not.toHaveProperty('url');
    expect(copy.slides).toEqual(source.slides);
  });

  // Proves: 7.3.1, D.plans.3, D.videos.24
  it('are rendered once for repeated requests, and cost their duration', async () => {
    const rich = await api.caller({ minutes: 1 });
    const { _id } = await create({}, rich);
    const answers = await Promise.all(Array.from({ length: 10 }, () => rich.call('POST', `/videos/render/${_id}`)));
    for (const { status, body } of answers) expect([status, body]).toEqual([200, { accepted: true }]);
    await expect.poll(async () => (await read(_id, rich)).status).toBe('ready');
    const { rows } = await sql`select id from renders where video_id = ${_id}`.execute(api.test.kernel.db);
    expect(rows).toHaveLength(1);
    expect((await rich.call('GET', '/workspace')).body.minutes).toBeCloseTo(1 - 2 / 60, 9);
    expect((await rich.call('GET', '/workspace/ledger')).body.entries).toMatchObject([{ kind: 'video', seconds: 2 }]);
  });

  // Proves: 4.6.5, 8.4.1, D.videos.27, D.videos.30, D.videos.31
  it('of a batch are all created at once with their values, queued, and stored in the template’s folder', async () => {
    const template = await create({ name: 'For {{name}}', slides: [{ id: 1, speech: 'Dear {{name}}' }], tags: ['t'] });
    const rows = Array.from({ length: 200 }, (_, n) => ({ name: `P${n}` }));
    const answer = await me.call('POST', `/videos/renderTemplate/${template._id}`, {
      templateData: rows,
      tags: ['batch-200'],
      public: true,
    });
    expect(answer.body).toEqual({ accepted: true, requestId: expect.stringMatching(/^\S{16}$/) });
    const page = (await me.call('GET', '/videos?tags=batch-200&limit=100&page=2')).body;
    expect(page.total).toBe(200);
    const first = page.videos.at(-1);
    expect(first).toMatchObject({ name: 'For P0', batchRowId: 0, requestId: answer.body.requestId, public: true });
    expect((await read(first._id)).slides[0].speech).toBe('Dear P0');
    expect((await read(template._id)).slides[0].speech).toBe('Dear {{name}}');
    const single = await me.call('POST', `/videos/renderTemplate/${template._id}`, { templateData: [{ name: 'A' }] });
    expect(single.body).toEqual({ accepted: true, requestId: expect.any(String), videoId: expect.any(String) });
    expect((await read(single.body.videoId)).tags).toEqual(['t']);
    for (const videoId of page.videos.slice(0, 3).map(({ _id }: { _id: string }) => _id)) {
      await me.call('DELETE', `/videos/render/${videoId}`);
    }
  });

  // Proves: D.calls.9, D.videos.36
  it('accept only JSON bodies, and multipart for files', async () => {
    const wrong = await me.call('POST', '/videos/from-presentation', { name: 'x' });
    expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining('multipart/form-data')]);
    const none = await upload(api.http, { path: '/videos/from-presentation', token: me.token, fields: { name: 'x' } });
    expect([none.status, none.body['errors']]).toEqual([400, [{ field: 'file', message: 'is required' }]]);
    const text = await upload(api.http, {
      path: '/videos/from-presentation',
      token: me.token,
      file: { name: 'x.pptx', bytes: Buffer.from('no presentation') },
    });
    expect([text.status, typeof text.body.message]).toEqual([400, 'string']);
    const large = await upload(api.http, {
      path: '/media',
      token: me.token,
      file: { name: 'x.bin', bytes: Buffer.alloc(1024 * 1024 + 1) },
    });
    expect([large.status, large.body.message]).toEqual([400, 'The body is larger than the limit of 1 MB.']);
    expect((await me.call('GET', '/videos?status=importing')).body.total).toBe(0);
  });
});

describe('every call', () => {
  let api: TestApi;
  let me: TestCaller;
  beforeAll(async () => {
    api = await openTestApi();
    me = await api.caller();
  });
  afterAll(() => api.close());

  // Proves: 2.1.3, D.names.2, D.names.3
  it('uses ids of 24 hex characters that sort by time, and times in UTC', async () => {
    const made = [];
    for (let n = 0; n < 5; n++) made.push((await me.call('POST', '/videos', { name: `${n}` })).body);
    const ids = made.map(({ _id }) => _id);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect([...ids].sort()).toEqual(ids);
    for (const { createdAt, updatedAt } of made) {
      expect(new Date(createdAt).toISOString()).toBe(createdAt);
      expect(new Date(updatedAt).toISOString()).toBe(updatedAt);
    }
  });

  // Proves: D.calls.10
  it('returns lists with their plural name, page, limit and total', async () => {
    const lists = {
      '/videos': 'videos',
      '/streams': 'streams',
      '/outline': 'outlines',
      '/folders': 'folders',
      '/upload-folders': 'uploadFolders',
      '/media': 'media',
      '/fonts': 'fonts',
      '/webhook/deliveries': 'deliveries',
    };
    for (const [path, plural] of Object.entries(lists)) {
      const { body } = await me.call('GET', path);
      expect(body).toEqual({ [plural]: expect.any(Array), page: 1, limit: 25, total: expect.any(Number) });
    }
  });

  // Proves: D.calls.1
  it('answers 200 with JSON to POST and DELETE as well', async () => {
    for (const [method, path, body] of [
      ['POST', '/videos', { name: 'x' }],
      ['DELETE', '/webhook', undefined],
      ['POST', '/folders', { name: 'x' }],
    ] as const) {
      const answer = await me.call(method, path, body);
      expect([answer.status, answer.headers['content-type']]).toEqual([
        200,
        expect.stringContaining('application/json'),
      ]);
    }
  });

  // Proves: 5.2, 5.3, D.plans.1
  it('refuses a revoked token and one of an Unlimited workspace like an unknown one, to the last header', async () => {
    const { kernel } = api.test;
    const revoked = await createToken(kernel, { workspaceId: me.workspace._id, userId: 'x', name: 'old' });
    const web = await signInAs(api, { workspaceId: me.workspace._id, role: 'owner' });
    await web('DELETE', `/tokens/${revoked._id}`);
    const unlimited = await api.caller({ plan: 'Unlimited' });
    const shapes = new Set<string>();
    for (const token of ['fh_unknown', revoked.token, unlimited.token]) {
      for (const [method, path] of [
        ['GET', '/videos'],
        ['POST', '/videos'],
        ['GET', `/videos/${NOBODY}`],
        ['GET', '/nothing'],
      ] as const) {
        const { status, text, headers } = await call(api.http, {
          method,
          path,
          headers: { authorization: `Bearer ${token}` },
        });
        const { 'x-request-id': id, date: _date, ...rest } = headers;
        expect([status, text, typeof id]).toEqual([401, '', 'string']);
        shapes.add(JSON.stringify(rest));
      }
    }
    expect(shapes.size).toBe(1);
  });

  // Proves: D.calls.14, D.calls.15
  it('answers 404 for deleted resources except videos', async () => {
    const paths = ['/folders', '/upload-folders', '/outline'];
    for (const path of paths) {
      const { body } = await me.call('POST', path, { name: 'x', title: 'x' });
      expect((await me.call('DELETE', `${path}/${body._id}`)).body).toEqual({ _id: body._id, deleted: true });
      for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
        expect((await me.call(method, `${path}/${body._id}`, method === 'PATCH' ? {} : undefined)).status).toBe(404);
      }
    }
    const { body: video } = await me.call('POST', '/videos', { name: 'x' });
    await me.call('DELETE', `/videos/${video._id}`);
    expect((await me.call('GET', `/videos/${video._id}`)).body).toMatchObject({ deleted: true });
    expect((await me.call('DELETE', `/videos/${video._id}`)).status).toBe(200);
  });

  // Proves: 9.1, D.names.4
  it('is served only under /api/v1', async () => {
    const headers = { authorization: `Bearer ${me.token}` };
    for (const url of ['/videos', '/api/videos', '/api/v2/videos']) {
      const answer = await api.http.app.inject({ method: 'GET', url, headers });
      expect(answer.body).not.toContain('"videos"');
    }
    expect((await api.http.app.inject({ method: 'GET', url: '/api/v1/videos', headers })).statusCode).toBe(200);
  });

  // Proves: D.calls.13
  it('reveals no internals after a failure, but names the request', async () => {
    const pipeline = {
      ...scriptedPipeline(async () => ({ durationSeconds: 1 })),
      validate: async () => {
        throw new Error('password of the database: hunter2');
      },
    };
    const broken = await openTestApi({}, pipeline);
    try {
      const caller = await broken.caller();
      const { body: video } = await caller.call('POST', '/videos', { name: 'x' });
      const answer = await caller.call('POST', `/videos/validate/${video._id}`);
      expect([answer.status, answer.body]).toEqual([
        500,
        { message: expect.stringContaining(String(answer.headers['x-request-id'])) },
      ]);
      expect(answer.text).not.toMatch(/hunter2|at |\.js|\.ts/);
    } finally {
      await broken.close();
    }
  });

  // Proves: 4.6.3, D.webhook.5
  it('returns the configuration of webhook and workspace, but never the secret', async () => {
    const { body } = await me.call('GET', '/apiConfig');
    expect(body).toEqual({
      webhook: null,
      plan: 'Team',
      status: 'active',
      minutes: 100,
      allowOverlimit: false,
      quotas: expect.any(Array),
    });
    expect(body.quotas.map(({ entity }: { entity: string }) => entity)).toEqual([
      'videos',
      'folders',
      'media',
      'fonts',
      'uploadFolders',
    ]);
  });
});
