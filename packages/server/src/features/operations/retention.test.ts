import { existsSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, scriptedPipeline, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';
import { toneWav, upload } from '../../../../../tests/support/files.js';
import type { Kernel } from '../../kernel/contract.js';
import { watchDisk } from '../../kernel/storage/disk.js';
import { workOnRenders } from '../renders/job/index.js';
import { removeExpired } from './retention.js';

const DAY_MS = 24 * 3600_000;

describe('data older than the configured ages', () => {
  let api: TestApi;
  let me: TestCaller;
  let kernel: Kernel;
  beforeAll(async () => {
    api = await openTestApi();
    me = await api.caller();
    kernel = api.test.kernel;
  });
  afterAll(() => api.close());

  /** One pass as if it ran `days` days later. */
  const passAfter = (days: number, config: Partial<Kernel['config']> = {}) =>
    removeExpired({
      ...kernel,
      config: { ...kernel.config, ...config },
      clock: { ...kernel.clock, now: () => Date.now() + days * DAY_MS },
    });

  async function readyVideo(): Promise<{ id: string; key: string }> {
    const { body } = await me.call('POST', '/videos', { name: 'x', slides: [{ id: 1, duration: 1 }] });
    await me.call('POST', `/videos/render/${body._id}`);
    const key = `${me.workspace._id}/videos/${body._id}/r-1/video.mp4`;
    await kernel.objects.put(key, Buffer.from('film'), 'video/mp4');
    await sql`update renders set state = 'done', finished_at = now() where video_id = ${body._id}`.execute(kernel.db);
    await sql`update videos set status = 'ready', video_key = ${key}, thumbnail_key = ${key}, subtitles_key = ${key}, duration_seconds = 1,
      rendered_at = now() where id = ${body._id}`.execute(kernel.db);
    return { id: body._id, key };
  }

  it('is kept when no age is configured', async () => {
    const { id, key } = await readyVideo();
    const counts = await passAfter(5000, {
      deliveryLogDays: 0,
      streamLogDays: 0,
      mailLogDays: 0,
      audioCacheDays: 0,
      cacheDays: 0,
      logDays: 0,
    });
    expect(counts).toMatchObject({
      renders: 0,
      media: 0,
      deliveries: 0,
      streams: 0,
      render_lines: 0,
      mails: 0,
      audio: 0,
    });
    expect((await me.call('GET', `/videos/${id}`)).body.status).toBe('ready');
    expect(await kernel.objects.info(key)).toBeDefined();
  });

  it('includes the files of finished videos, which become drafts again, without links and without an event', async () => {
    const { id, key } = await readyVideo();
    const [before, sent] = [await passAfter(29, { renderDays: 30 }), await countOf('deliveries')];
    expect([before['renders'], (await me.call('GET', `/videos/${id}`)).body.url]).toEqual([0, expect.any(String)]);
    expect((await passAfter(31, { renderDays: 30 }))['renders']).toBeGreaterThan(0);
    const { body } = await me.call('GET', `/videos/${id}`);
    expect([body.status, body.url, body.thumbnail]).toEqual(['draft', undefined, undefined]);
    expect(await kernel.objects.info(key)).toBeUndefined();
    expect(await countOf('deliveries')).toBe(sent);
    expect((await me.call('POST', `/videos/render/${id}`)).status).toBe(200);
    await me.call('DELETE', `/videos/render/${id}`);
  });

  // Proves: D.videos.17.1
  it('includes the last film of a video that was changed since', async () => {
    const { id, key } = await readyVideo();
    await me.call('PATCH', `/videos/${id}`, { slides: [{ id: 1, duration: 2 }] });
    await passAfter(29, { renderDays: 30 });
    expect((await me.call('GET', `/videos/${id}`)).body.lastRender).toMatchObject({ duration: 1 });
    await me.call('POST', `/videos/render/${id}`);
    await passAfter(31, { renderDays: 30 });
    const { body } = await me.call('GET', `/videos/${id}`);
    expect([body.status, body.lastRender]).toEqual(['queued', undefined]);
    expect(await kernel.objects.info(key)).toBeUndefined();
    await me.call('DELETE', `/videos/render/${id}`);
  });

  it('includes uploads that no video uses', async () => {
    const send = async (name: string) =>
      (await upload(api.http, { path: '/media', token: me.token, file: { name, bytes: toneWav(0.2) } })).body;
    const [shown, unshown] = [await send('shown.wav'), await send('unshown.wav')];
    await sql`update media set status = 'ready', file_key = ${me.workspace._id} || '/media/' || id || '/file.m4a'`.execute(
      kernel.db,
    );
    const { body } = await me.call('GET', `/media/${shown._id}`);
    await me.call('POST', '/videos', { name: 'uses it', data: { musicUrl: body.url } });
    expect((await passAfter(91, { mediaDays: 90 }))['media']).toBe(1);
    expect((await me.call('GET', `/media/${shown._id}`)).status).toBe(200);
    expect((await me.call('GET', `/media/${unshown._id}`)).status).toBe(404);
  });

  it('includes versions of videos after 90 days, and keeps the uploads of those that are there', async () => {
    const sound = await upload(api.http, {
      path: '/media',
      token: me.token,
      file: { name: 'old.wav', bytes: toneWav(0.2) },
    });
    await sql`update media set status = 'ready', file_key = ${me.workspace._id} || '/media/' || id || '/file.m4a'`.execute(
      kernel.db,
    );
    const { body } = await me.call('GET', `/media/${sound.body._id}`);
    const { body: video } = await me.call('POST', '/videos', { name: 'x', data: { musicUrl: body.url } });
    await me.call('POST', `/videos/versions/${video._id}`);
    await me.call('PATCH', `/videos/${video._id}`, { data: {} });
    expect((await passAfter(89, { mediaDays: 10 }))['video_versions']).toBe(0);
    expect((await me.call('GET', `/media/${sound.body._id}`)).status).toBe(200);
    expect((await passAfter(91, { mediaDays: 10 }))['video_versions']).toBe(1);
    expect((await me.call('GET', `/videos/versions/${video._id}`)).body.versions).toEqual([]);
    await passAfter(91, { mediaDays: 10 });
    expect((await me.call('GET', `/media/${sound.body._id}`)).status).toBe(404);
  });

  it('includes logs and caches, but nothing that waits or is in progress', async () => {
    const w = me.workspace._id;
    await sql`insert into deliveries (workspace_id, event, status, body, url) values
      (${w}, 'video_ready', 'delivered', '', 'u'), (${w}, 'video_ready', 'unknown', '', 'u'), (${w}, 'video_ready', 'pending', '', 'u')`.execute(
      kernel.db,
    );
    await sql`insert into mail_outbox (id, recipient, subject, body, status) values ('m', 'a@b', '', '', 'kept')`.execute(
      kernel.db,
    );
    await sql`insert into streams (id, workspace_id, user_id, host_id, state, avatar_code, voice_id, voice_provider, voice, expires_at, closed_at) values
      ('s1', ${w}, 'u', 'h', 'closed', 'a', 'v', 'p', '{}', now(), now()), ('s2', ${w}, 'u', 'h', 'connected', 'a', 'v', 'p', '{}', now(), null)`.execute(
      kernel.db,
    );
    await sql`insert into sign_in_failures values ('', 1, now(), now())`.execute(kernel.db);
    await sql`insert into idempotency_keys (workspace_id, key_hash, fingerprint, claim, locked_until)
      values (${w}, 'k', 'f', gen_random_uuid(), now())`.execute(kernel.db);
    for (const name of ['a.wav', 'a.json'])
      await kernel.objects.put(`${w}/speech/flite-1/${name}`, Buffer.from('x'), 'audio/wav');
    await kernel.objects.put(`${w}/videos/v/speech/1-a.wav`, Buffer.from('x'), 'audio/wav');
    const counts = await passAfter(30.5, {
      deliveryLogDays: 30,
      mailLogDays: 30,
      streamLogDays: 30,
      audioCacheDays: 30,
    });
    expect(counts).toMatchObject({ mails: 1, streams: 1, audio: 1, sign_in_failures: 1, idempotency_keys: 1 });
    expect(counts['deliveries']).toBeGreaterThanOrEqual(2);
    const { rows } = await sql<{ status: string }>`select distinct status from deliveries`.execute(kernel.db);
    expect(rows).toEqual([{ status: 'pending' }]);
    // The text is removed first and the sound a day later, so a reader of the text also finds the sound.
    expect(await kernel.objects.info(`${w}/speech/flite-1/a.json`)).toBeUndefined();
    expect(await kernel.objects.info(`${w}/speech/flite-1/a.wav`)).toBeDefined();
    expect((await passAfter(32, { audioCacheDays: 30 }))['audio']).toBe(1);
    expect(await kernel.objects.info(`${w}/videos/v/speech/1-a.wav`)).toBeDefined();
    const open = await sql<{ id: string }>`select id from streams`.execute(kernel.db);
    expect(open.rows).toEqual([{ id: 's2' }]);
  });

  it('includes unread cache files and logs on this machine', async () => {
    const file = async (path: string, days: number) => {
      const whole = join(kernel.config.dataDir, path);
      await mkdir(dirname(whole), { recursive: true });
      await writeFile(whole, 'x');
      const at = new Date(Date.now() - days * DAY_MS);
      await utimes(whole, at, at);
      return whole;
    };
    const old = [await file('cache/segments/w/old', 20), await file('logs/api-2020-01-01.jsonl', 8)];
    const young = [await file('cache/segments/w/young', 10), await file('logs/api-2020-01-09.jsonl', 6)];
    expect(await passAfter(0)).toMatchObject({ cache_files: 1, log_files: 1 });
    expect([old.map(existsSync), young.map(existsSync)]).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  it('is removed by one process at a time', async () => {
    await kernel.db.connection().execute(async (db) => {
      await sql`select pg_advisory_lock(717002)`.execute(db);
      expect(await passAfter(0)).not.toHaveProperty('deliveries');
      await sql`select pg_advisory_unlock(717002)`.execute(db);
    });
    expect(await passAfter(0)).toHaveProperty('deliveries');
  });

  async function countOf(table: string): Promise<number> {
    const { rows } = await sql<{ count: string }>`select count(*) from ${sql.table(table)}`.execute(kernel.db);
    return Number(rows[0]?.count);
  }
});

describe('a disk that is nearly full', () => {
  let api: TestApi;
  let me: TestCaller;
  let free = 0;
  /** How often the free space was read. */
  let looks = 0;
  const MB = 1024 * 1024;
  beforeAll(async () => {
    api = await openTestApi();
    me = await api.caller({ minutes: 5 });
    const { kernel } = api.test;
    const disk = watchDisk({
      ...{ folder: kernel.config.dataDir, reserveBytes: 100 * MB, clock: { monotonic: () => (now += 2000) } },
      metrics: new (await import('prom-client')).Registry(),
      read: async () => {
        looks += 1;
        return { bavail: free / 4096, bsize: 4096 };
      },
    });
    Object.assign(kernel.disk, disk);
  });
  afterAll(() => api.close());
  let now = 0;

  const send = (bytes: Uint8Array) =>
    upload(api.http, { path: '/media', token: me.token, file: { name: 'a.wav', bytes } });

  it('refuses uploads with a 503 and a reason before anything is written, until there is space again', async () => {
    free = 99 * MB;
    const refused = await send(toneWav(1));
    expect([refused.status, refused.body.message]).toEqual([503, expect.stringContaining('nearly out of disk space')]);
    expect((await me.call('GET', '/media')).body.total).toBe(0);
    // Space for small files only.
    free = 101 * MB;
    expect((await send(toneWav(1))).status).toBe(200);
    expect((await send(Buffer.concat([toneWav(1), Buffer.alloc(2 * MB)]))).status).toBe(503);
    const announced = await api.http.app.inject({
      method: 'POST',
      url: '/api/v1/uploads',
      headers: { authorization: `Bearer ${me.token}`, 'tus-resumable': '1.0.0', 'upload-length': String(5 * MB) },
    });
    expect([announced.statusCode, announced.headers['retry-after']]).toEqual([503, '600']);
    free = 200 * MB;
    expect((await send(toneWav(1))).status).toBe(200);
  });

  it('makes renders wait, and continues automatically', async () => {
    const { kernel } = api.test;
    free = 50 * MB;
    await workOnRenders(kernel, {
      pipeline: scriptedPipeline(async () => ({ durationSeconds: 1 })),
      review: () => ({ held: false, words: [] }),
    });
    const { body } = await me.call('POST', '/videos', { name: 'x', slides: [{ id: 1, duration: 1 }] });
    expect((await me.call('POST', `/videos/render/${body._id}`)).status).toBe(200);
    // The worker checks repeatedly before it takes a job.
    const before = looks;
    await expect.poll(() => looks).toBeGreaterThan(before + 2);
    const status = async () => (await me.call('GET', `/videos/${body._id}`)).body.status;
    expect(await status()).toBe('queued');
    const ready = await api.http.app.inject({ method: 'GET', url: '/readyz' });
    expect(ready.json()).toMatchObject({ disk: false });
    free = 200 * MB;
    await expect.poll(status).toBe('ready');
  });
});
