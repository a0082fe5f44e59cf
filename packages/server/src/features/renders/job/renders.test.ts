import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, scriptedPipeline, type TestApi, type TestCaller } from '../../../../../../tests/support/api.js';
import { download } from '../../../../../../tests/support/files.js';
import { notifyFinishedBatch } from '../../batches/index.js';
import { createReview } from '../../moderation/index.js';
import { type FrozenVideo, type RenderContext, RenderProblem } from '../index.js';
import { finishRender } from '../records/outcomes.js';
import { claimRender } from '../records/store.js';
import { workOnRenders } from './index.js';

type Act = (video: FrozenVideo, context: RenderContext) => Promise<{ durationSeconds: number }>;

const slide = (id: number) => ({ id, speech: `Slide ${id}.` });

describe('rendering', () => {
  let api: TestApi;
  let act: Act = async () => ({ durationSeconds: 2 });
  const usual = act;

  beforeAll(async () => {
    const pipeline = scriptedPipeline((video, context) => act(video, context));
    api = await openTestApi({ FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1' }, pipeline);
    const { kernel } = api.test;
    await workOnRenders(kernel, {
      pipeline,
      review: createReview(),
      onEnded: ({ videoId }) => notifyFinishedBatch(kernel, videoId),
    });
  });
  afterAll(() => api.close());
  afterEach(() => {
    act = usual;
  });

  async function subscribed(settings: Parameters<TestApi['caller']>[0] = {}): Promise<TestCaller> {
    const caller = await api.caller(settings);
    // The port is closed: these tests check only the stored deliveries.
    await caller.call('POST', '/webhook', { url: 'http://127.0.0.1:9/' });
    return caller;
  }

  async function draft(caller: TestCaller, fields: object = {}): Promise<string> {
    const { body } = await caller.call('POST', '/videos', { name: 'Hello', slides: [slide(1)], ...fields });
    return body._id;
  }

  async function until(caller: TestCaller, id: string, ...statuses: string[]) {
    for (;;) {
      const { body } = await caller.call('GET', `/videos/${id}`);
      if (statuses.includes(body.status)) return body;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function events(caller: TestCaller) {
    const { rows } = await sql<{ body: Buffer }>`
      select body from deliveries where workspace_id = ${caller.workspace._id} order by created_at`.execute(
      api.test.kernel.db,
    );
    return rows.map((row) => JSON.parse(row.body.toString('utf8')));
  }

  // Proves: 3.1.1, 4.6.4, D.plans.3, D.videos.14, D.videos.19, D.videos.20
  it('goes from draft over queued and rendering to ready, with links only at the end and one event', async () => {
    const caller = await subscribed({ minutes: 10 });
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    act = async (_video, { onProgress }) => {
      onProgress({ progress: 0.4, stage: 'encoding' });
      await gate;
      return { durationSeconds: 30.2 };
    };
    const id = await draft(caller);
    expect((await caller.call('GET', `/videos/${id}`)).body).not.toHaveProperty('url');
    expect((await caller.call('POST', `/videos/render/${id}`)).body).toEqual({ accepted: true });
    expect((await caller.call('POST', `/videos/render/${id}`)).body).toEqual({ accepted: true });
    const rendering = await until(caller, id, 'rendering');
    expect(rendering).not.toHaveProperty('url');
    expect((await caller.call('POST', `/videos/render/${id}`)).body).toEqual({ accepted: true });
    await expect
      .poll(async () => (await caller.call('GET', `/videos/${id}`)).body)
      .toMatchObject({ progress: 0.4, stage: 'encoding' });
    release();
    const ready = await until(caller, id, 'ready');
    expect(ready).toMatchObject({
      duration: 30.2,
      url: expect.stringContaining('/media/'),
      thumbnail: expect.any(String),
      subtitlesUrl: expect.any(String),
    });
    expect(ready).not.toHaveProperty('progress');
    const told = await events(caller);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      event: 'video_ready',
      error: null,
      video: { _id: id, status: 'ready', duration: 30.2 },
    });
    expect(told[0].video).not.toHaveProperty('slides');
    expect((await caller.call('GET', '/apiConfig')).body.minutes).toBe(9.5);
    expect((await caller.call('GET', '/workspace/ledger')).body).toMatchObject({
      total: 1,
      entries: [{ kind: 'video', subjectId: id, minutes: -0.5 }],
    });
  });

  // Proves: 2.1.4, D.videos.21
  it('serves the file whole, in part and by HEAD, and only with a valid signature', async () => {
    const caller = await api.caller();
    const id = await draft(caller);
    await caller.call('POST', `/videos/render/${id}`);
    const { url } = await until(caller, id, 'ready');
    const path = url.slice(url.indexOf('/media/'));
    const get = (headers = {}, method: 'GET' | 'HEAD' = 'GET', at = path) =>
      api.http.app.inject({ method, url: at, headers });
    const whole = await get();
    expect([whole.statusCode, whole.body, whole.headers['content-type']]).toEqual([
      200,
      'video.mp4 of Hello',
      'video/mp4',
    ]);
    expect(whole.headers).toMatchObject({
      'accept-ranges': 'bytes',
      'content-disposition': expect.stringContaining('Hello.mp4'),
    });
    const part = await get({ range: 'bytes=6-8' });
    expect([part.statusCode, part.body, part.headers['content-range']]).toEqual([206, 'mp4', 'bytes 6-8/18']);
    expect((await get({ range: 'bytes=-5' })).body).toBe('Hello');
    const beyond = await get({ range: 'bytes=99-' });
    expect([beyond.statusCode, beyond.headers['content-range']]).toEqual([416, 'bytes */18']);
    const head = await get({}, 'HEAD');
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', '18']);
    expect((await get({}, 'GET', path.replace('signature=', 'signature=x'))).statusCode).toBe(403);
    expect((await get({}, 'GET', path.replace(/expires=\d+/, 'expires=1'))).statusCode).toBe(403);
    expect((await get({ 'if-none-match': String(whole.headers.etag) })).statusCode).toBe(304);
  });

  // Proves: 3.1.2, D.videos.17, D.videos.18
  it('ends in error with a summary and one video_error, and draft again after a change', async () => {
    const caller = await subscribed();
    act = async () => {
      throw new RenderProblem([
        { field: 'slides[0].voice', message: 'there is no such voice' },
        { field: 'slides[1]', message: 'nothing to say' },
      ]);
    };
    const id = await draft(caller);
    await caller.call('POST', `/videos/render/${id}`);
    const failed = await until(caller, id, 'error');
    expect(failed.error).toBe('slides[0].voice: there is no such voice (and 1 more)');
    expect(await events(caller)).toMatchObject([
      { event: 'video_error', error: failed.error, video: { status: 'error' } },
    ]);
    const changed = await caller.call('PATCH', `/videos/${id}`, { slides: [slide(2)] });
    expect(changed.body.status).toBe('draft');
    expect(changed.body).not.toHaveProperty('error');
  });

  it('reveals no internals when the engine fails', async () => {
    const caller = await api.caller();
    act = async () => {
      throw new Error('segfault at 0x0');
    };
    const id = await draft(caller);
    await caller.call('POST', `/videos/render/${id}`);
    expect((await until(caller, id, 'error')).error).not.toContain('segfault');
  });

  it('reports a full disk, and retries after a temporary failure', async () => {
    const caller = await api.caller();
    act = async () => {
      throw new Error('no room', { cause: Object.assign(new Error('write failed'), { code: 'ENOSPC' }) });
    };
    const full = await draft(caller);
    await caller.call('POST', `/videos/render/${full}`);
    expect((await until(caller, full, 'error')).error).toContain('the disk of the server is full');
    let tries = 0;
    act = async () => {
      tries += 1;
      if (tries === 1) throw new Error('the database went away');
      return { durationSeconds: 1 };
    };
    const id = await draft(caller);
    await caller.call('POST', `/videos/render/${id}`);
    await until(caller, id, 'ready');
    expect(tries).toBe(2);
  });

  // Proves: D.plans.6
  it('refuses to render without minutes, unless overage is allowed', async () => {
    const broke = await subscribed({ minutes: 0 });
    const id = await draft(broke);
    expect((await broke.call('POST', `/videos/render/${id}`)).status).toBe(200);
    expect((await until(broke, id, 'error')).error).toContain('no minutes left');
    expect(await events(broke)).toMatchObject([{ event: 'video_error' }]);
    const trusted = await api.caller({ minutes: 0, allowOverlimit: true });
    const other = await draft(trusted);
    await trusted.call('POST', `/videos/render/${other}`);
    await until(trusted, other, 'ready');
  });

  // Proves: D.videos.25
  it('cancels: the engine stops, the video is a draft, no event is sent', async () => {
    const caller = await subscribed();
    let stopped: unknown;
    act = (_video, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped = signal.reason;
          reject(signal.reason);
        });
      });
    const id = await draft(caller);
    await caller.call('POST', `/videos/render/${id}`);
    await until(caller, id, 'rendering');
    expect((await caller.call('DELETE', `/videos/render/${id}`)).body).toEqual({ cancelled: true });
    expect((await caller.call('GET', `/videos/${id}`)).body.status).toBe('draft');
    await expect.poll(() => stopped).toBeInstanceOf(Error);
    expect((await caller.call('DELETE', `/videos/render/${id}`)).body).toEqual({ cancelled: false });
    expect(await events(caller)).toEqual([]);
  });

  // Proves: D.plans.3
  it('lets only the latest claimant finish, and charges once', async () => {
    const { kernel } = api.test;
    const caller = await subscribed({ minutes: 10 });
    act = (_video, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const id = await draft(caller);
    await caller.call('POST', `/videos/render/${id}`);
    await until(caller, id, 'rendering');
    const { rows } = await sql<{
      id: string;
      attempt: number;
    }>`select id, attempt from renders where video_id = ${id}`.execute(kernel.db);
    const first = rows[0];
    // Another worker takes over, as when the queue has not received a heartbeat from the first.
    const second = await kernel.transaction((tx) => claimRender(tx, first?.id ?? '', new Date()));
    const result = { videoKey: 'a/b', thumbnailKey: 'a/c', subtitlesKey: 'a/d', durationSeconds: 60, words: [] };
    const claim = { id: first?.id ?? '', videoId: id, workspaceId: caller.workspace._id };
    expect(await finishRender(kernel, { ...claim, attempt: first?.attempt ?? 0 }, result, false)).toBe(false);
    expect(await finishRender(kernel, { ...claim, attempt: second?.attempt ?? 0 }, result, false)).toBe(true);
    expect(await finishRender(kernel, { ...claim, attempt: second?.attempt ?? 0 }, result, false)).toBe(false);
    expect(await events(caller)).toHaveLength(1);
    expect((await caller.call('GET', '/workspace')).body.minutes).toBe(9);
  });

  // Proves: 8.4.3, D.videos.10
  it('renders only the first three slides on the effective plan Free, all on others', async () => {
    const counts = new Map<string, number>();
    act = async (video) => {
      counts.set(video.videoId, video.slides.length);
      return { durationSeconds: 1 };
    };
    const slides = [1, 2, 3, 4, 5].map(slide);
    const cases = [
      [{ plan: 'Enterprise', status: 'free' }, 3],
      [{ plan: 'Creator', status: 'trial' }, 5],
      [{ plan: 'Team', status: 'cancelled' }, 5],
      [{ plan: 'Corporate', status: 'active' }, 5],
    ] as const;
    for (const [settings, expected] of cases) {
      const caller = await api.caller(settings);
      const id = await draft(caller, { slides });
      await caller.call('POST', `/videos/render/${id}`);
      const ready = await until(caller, id, 'ready');
      expect(ready.slides).toHaveLength(5);
      expect(counts.get(id)).toBe(expected);
    }
  });

  // Proves: 3.1.3, D.videos.15
  it('holds videos back for a reviewer without an event; approval makes them ready, rejection an error', async () => {
    const caller = await subscribed({ moderation: 'flagged' });
    const harmless = await draft(caller);
    await caller.call('POST', `/videos/render/${harmless}`);
    await until(caller, harmless, 'ready');
    const ids = [
      await draft(caller, { slides: [{ id: 1, speech: 'How to make a BOMB.' }] }),
      await draft(caller, { name: 'Bombs' }),
    ];
    for (const id of ids) {
      await caller.call('POST', `/videos/render/${id}`);
      expect(await until(caller, id, 'moderation')).not.toHaveProperty('url');
    }
    expect(await events(caller)).toHaveLength(1);
    const { approveVideo, listCases, rejectVideo } = await import('../../moderation/index.js');
    const waiting = await listCases(api.test.kernel, caller.workspace._id, { page: 1, limit: 10 });
    expect(waiting).toMatchObject({ total: 2, cases: [{ videoId: ids[0], words: ['bomb'] }, { videoId: ids[1] }] });
    expect(await approveVideo(api.test.kernel, ids[0] ?? '')).toBe(true);
    expect(await approveVideo(api.test.kernel, ids[0] ?? '')).toBe(false);
    expect(await rejectVideo(api.test.kernel, ids[1] ?? '', 'Not here.')).toBe(true);
    expect(await until(caller, ids[0] ?? '', 'ready')).toHaveProperty('url');
    expect(await until(caller, ids[1] ?? '', 'error')).toMatchObject({ error: 'Not here.' });
    expect(await events(caller)).toMatchObject([
      { event: 'video_ready' },
      { event: 'video_ready', video: { _id: ids[0] } },
    ]);
  });

  // Proves: D.webhook.15
  it('calls each callbackUrl of a render once, also of a request while it is under way; a copy has none', async () => {
    const caller = await api.caller();
    const { kernel } = api.test;
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    act = async () => {
      await gate;
      return { durationSeconds: 2 };
    };
    const id = await draft(caller);
    const ask = (port: number) =>
      caller.call('POST', `/videos/render/${id}`, { callbackUrl: `http://127.0.0.1:${port}/` });
    expect((await Promise.all([ask(1), ask(2), ask(2)])).map(({ status }) => status)).toEqual([200, 200, 200]);
    await until(caller, id, 'rendering');
    for (let port = 1; port <= 10; port += 1) expect((await ask(port)).body).toEqual({ accepted: true });
    const beyond = await ask(11);
    expect(beyond.status).toBe(400);
    expect(beyond.body.errors).toMatchObject([{ field: 'callbackUrl' }]);
    release();
    const ready = await until(caller, id, 'ready');
    expect(JSON.stringify(ready)).not.toContain('127.0.0.1:1/');
    const { rows } = await sql<{ url: string; callback: boolean }>`
      select url, callback from deliveries where workspace_id = ${caller.workspace._id} order by url`.execute(
      kernel.db,
    );
    const urls = Array.from({ length: 10 }, (_, index) => `http://127.0.0.1:${index + 1}/`);
    expect(rows).toEqual(urls.toSorted().map((url) => ({ url, callback: true })));
    const copy = (await caller.call('POST', '/videos/copy', { videoId: id })).body._id;
    await caller.call('POST', `/videos/render/${copy}`);
    await until(caller, copy, 'ready');
    expect(await events(caller)).toHaveLength(10);
    const log = await (await api.caller()).call('GET', '/webhook/deliveries');
    expect(log.body.total).toBe(0);
  });

  it('calls the callbackUrl of a batch for each row, with the ids of the batch', async () => {
    const caller = await api.caller();
    const id = await draft(caller, { type: 'template', slides: [{ id: 1, speech: 'Hello {{name}}.' }] });
    const templateData = [{ name: 'Ann' }, { name: 'Ben' }];
    const { body } = await caller.call('POST', `/videos/renderTemplate/${id}`, {
      templateData,
      callbackUrl: 'http://127.0.0.1:9/',
    });
    await expect.poll(async () => (await events(caller)).length).toBe(2);
    const told = (await events(caller)).sort((a, b) => a.batchRowId - b.batchRowId);
    expect(told).toMatchObject(
      [0, 1].map((batchRowId) => ({ event: 'video_ready', requestId: body.requestId, batchRowId })),
    );
  });

  // Proves: 6.2.3, D.videos.28, D.videos.31, D.videos.32, D.videos.40
  it('renders a batch: values inserted, ids of rows, one failing row, one notice', async () => {
    const caller = await subscribed();
    act = async (video) => {
      expect(video.fitTextBox).toBe(true);
      return { durationSeconds: 1 };
    };
    const template = await draft(caller, {
      type: 'template',
      name: 'For {{name}}',
      slides: [
        {
          id: 1,
          speech: 'Hello {{ name }}, you are number {{number}}.',
          canvas: {
            objects: [
              { type: 'textbox', text: '{{name}}!' },
              { type: 'image', id: 'logo', src: 'https://a.example/x.png' },
            ],
            background: '#ffffff',
            version: '5',
          },
        },
      ],
    });
    const rows = [
      { name: 'Ada', number: 1, logo: 'https://a.example/ada.png' },
      { name: 'Bob' },
      { name: 'Cy', number: 3, logo: 'no address' },
    ];
    const answer = await caller.call('POST', `/videos/renderTemplate/${template}`, {
      templateData: rows,
      fitTextBox: true,
      tags: ['x'],
      emailNotification: true,
    });
    expect(answer.body).toEqual({ accepted: true, requestId: expect.stringMatching(/^.{16}$/) });
    const { body: list } = await caller.call('GET', '/videos?tags=x');
    expect(list.total).toBe(3);
    const videos = [...list.videos].reverse();
    expect(videos.map((video: { name: string; batchRowId: number }) => [video.name, video.batchRowId])).toEqual([
      ['For Ada', 0],
      ['For Bob', 1],
      ['For Cy', 2],
    ]);
    const ada = await until(caller, videos[0]._id, 'ready');
    expect(ada.slides[0]).toMatchObject({
      speech: 'Hello Ada, you are number 1.',
      canvas: { objects: [{ text: 'Ada!' }, { src: 'https://a.example/ada.png' }] },
    });
    expect((await until(caller, videos[1]._id, 'error')).error).toContain('{{number}} is missing');
    expect((await until(caller, videos[2]._id, 'error')).error).toContain('"logo" must be the URL');
    const told = await events(caller);
    expect(told.map(({ event, requestId, batchRowId }) => [event, requestId, batchRowId]).sort()).toEqual(
      [
        ['video_error', answer.body.requestId, 1],
        ['video_error', answer.body.requestId, 2],
        ['video_ready', answer.body.requestId, 0],
      ].sort(),
    );
    // The workspace of a token has no members here, so there is no e-mail.
    const single = await caller.call('POST', `/videos/renderTemplate/${template}`, {
      templateData: [rows[0]],
      fitTextBox: true,
    });
    expect((await until(caller, single.body.videoId, 'ready')).batchRowId).toBe(0);
  });

  // Proves: 4.6.5
  it('names the videos of a batch after their rows, and shows the batch with its videos to its own workspace', async () => {
    const caller = await api.caller();
    act = async (video) => {
      if (video.name.endsWith('Bob')) throw new RenderProblem([{ field: 'slides[0].voice', message: 'unknown' }]);
      return { durationSeconds: 1 };
    };
    const template = await draft(caller, { name: 'Greeting', type: 'template', slides: [{ id: 1, speech: 'Hi.' }] });
    const templateData = [{ name: 'Anna', city: 'Rome' }, { name: 'Bob' }, { name: '' }, { name: { first: 'Cy' } }, {}];
    const { body: made } = await caller.call('POST', `/videos/renderTemplate/${template}`, { templateData });
    const { body: other } = await caller.call('POST', `/videos/renderTemplate/${template}`, {
      templateData: [{ name: 'Anna', city: 'Rome' }],
      nameKey: 'city',
    });
    const path = `/batches/${made.requestId}`;
    const ended = async () => {
      const { ready = 0, error = 0 } = (await caller.call('GET', path)).body.counts;
      return ready + error;
    };
    await expect.poll(ended).toBe(5);
    const { body: batch } = await caller.call('GET', path);
    const names = ['Greeting – Anna', 'Greeting – Bob', 'Greeting', 'Greeting', 'Greeting'];
    expect(batch).toMatchObject({
      requestId: made.requestId,
      templateId: template,
      name: 'Greeting',
      rows: 5,
      counts: { ready: 4, error: 1 },
      videos: names.map((name, batchRowId) => ({ name, batchRowId, requestId: made.requestId })),
    });
    const { body: list } = await caller.call('GET', '/batches');
    expect(list).toMatchObject({
      total: 2,
      page: 1,
      batches: [{ requestId: other.requestId }, { requestId: made.requestId }],
    });
    expect((await caller.call('GET', `/batches/${other.requestId}`)).body.videos[0].name).toBe('Greeting – Rome');
    await caller.call('DELETE', `/videos/${batch.videos[1]._id}`);
    expect((await caller.call('GET', path)).body).toMatchObject({ rows: 5, counts: { ready: 4 } });
    const stranger = await api.caller();
    expect((await stranger.call('GET', path)).status).toBe(403);
    expect((await stranger.call('GET', '/batches')).body.total).toBe(0);
    expect((await caller.call('GET', '/batches/AAAAAAAAAAAAAAAA')).status).toBe(404);
  });

  // Proves: D.videos.39
  it('notifies the owners once when a batch is done, and renders a single video of another workspace first', async () => {
    const caller = await api.caller();
    const { addMember } = await import('../../workspaces/index.js');
    await addMember(api.test.kernel, {
      workspaceId: caller.workspace._id,
      email: 'batch@example.org',
      role: 'owner',
      password: 'correct horse',
    });
    const order: string[] = [];
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    act = async (video) => {
      order.push(video.name);
      await gate;
      return { durationSeconds: 1 };
    };
    const template = await draft(caller, { name: 'row {{n}}', type: 'template' });
    const templateData = [{ n: 0 }, { n: 1 }, { n: 2 }];
    const { body } = await caller.call('POST', `/videos/renderTemplate/${template}`, {
      templateData,
      emailNotification: true,
      tags: ['batch'],
    });
    await expect.poll(() => order).toEqual(['row 0']);
    const other = await api.caller();
    const single = await draft(other, { name: 'single' });
    await other.call('POST', `/videos/render/${single}`);
    release();
    await until(other, single, 'ready');
    await expect.poll(async () => (await caller.call('GET', '/videos?tags=batch&status=ready')).body.total).toBe(3);
    expect(order).toEqual(['row 0', 'single', 'row 1', 'row 2']);
    const mails = () =>
      sql<{
        subject: string;
        body: string;
      }>`select subject, body from mail_outbox where recipient = 'batch@example.org'`.execute(api.test.kernel.db);
    await expect
      .poll(async () => (await mails()).rows)
      .toEqual([
        {
          subject: '3 personalized videos are finished',
          body: expect.stringMatching(new RegExp(`: 3 ready\\.[^]*/batches/${body.requestId}$`)),
        },
      ]);
  });

  // Proves: 4.6.5, 8.4.1, D.videos.29, D.videos.30
  it('refuses an empty batch, a non-array and more than 200 rows, and creates nothing for a batch over the quota', async () => {
    const caller = await api.caller({ plan: 'Free', status: 'free' });
    const template = await draft(caller, { type: 'template' });
    for (const templateData of [[], { a: 1 }, Array.from({ length: 201 }, () => ({})), [1]]) {
      expect((await caller.call('POST', `/videos/renderTemplate/${template}`, { templateData })).status).toBe(400);
    }
    const answer = await caller.call('POST', `/videos/renderTemplate/${template}`, {
      templateData: Array.from({ length: 50 }, () => ({})),
    });
    expect(answer.status).toBe(429);
    expect(answer.body).toEqual({
      message: expect.stringMatching(/^1 videos created in the last 8 hours, the limit of the Free plan\. /),
    });
    expect((await caller.call('GET', '/videos')).body.total).toBe(1);
  });

  // Proves: D.calls.14, D.videos.3
  it('shows a deleted video as deleted, hides it in lists and removes its files', async () => {
    const caller = await api.caller();
    const id = await draft(caller);
    await caller.call('POST', `/videos/render/${id}`);
    const { url } = await until(caller, id, 'ready');
    expect((await caller.call('DELETE', `/videos/${id}`)).body).toMatchObject({ _id: id, deleted: true });
    const read = await caller.call('GET', `/videos/${id}`);
    expect([read.status, read.body.deleted, read.body.url]).toEqual([200, true, undefined]);
    expect((await caller.call('GET', '/videos')).body.total).toBe(0);
    expect((await caller.call('GET', '/videos?deleted=true')).body.total).toBe(1);
    expect((await caller.call('PATCH', `/videos/${id}`, { name: 'x' })).status).toBe(404);
    expect((await caller.call('POST', `/videos/render/${id}`)).status).toBe(404);
    expect((await download(api.http, url)).status).toBe(404);
  });
});
