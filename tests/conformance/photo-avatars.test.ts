import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { decodeFrames, loadPack } from '@figurehead/media';
import { readArchive } from '@figurehead/presenter';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workOnAvatars } from '../../packages/server/src/features/avatars/index.js';
import { createReview } from '../../packages/server/src/features/moderation/index.js';
import { workOnRenders } from '../../packages/server/src/features/renders/job/index.js';
import { createPackStore } from '../../packages/server/src/features/streams/host/host.js';
import { addMember, createWorkspace } from '../../packages/server/src/features/workspaces/index.js';
import { createToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import { createApi } from '../../packages/server/src/roles/api.js';
import { createEngine, type Engine } from '../../packages/server/src/roles/engine.js';
import { call } from '../support/api.js';
import { download } from '../support/files.js';
import { openTestKernel, type TestKernel } from '../support/kernel.js';

const AVA = fileURLToPath(new URL('../../presenters/packs/ava/base.webp', import.meta.url));

/** A photograph of a person in front of a wall. */
const photograph = () => sharp(AVA).flatten({ background: '#9fb0b8' }).jpeg({ quality: 88 }).toBuffer();

const CANVAS = { objects: [{ type: 'avatar', left: 160, top: 0, width: 320, height: 360 }], background: '#ffffff' };

const dataUrl = (bytes: Buffer, type = 'jpeg') => ({
  name: `portrait.${type}`,
  data: `data:image/${type};base64,${bytes.toString('base64')}`,
});

describe('photo avatars', () => {
  let test: TestKernel;
  let engine: Engine;
  let http: ReturnType<typeof createApi>;
  let owner: Awaited<ReturnType<typeof member>>;
  let stranger: Awaited<ReturnType<typeof member>>;
  let portrait: Buffer;

  async function member(name: string) {
    const { _id } = await createWorkspace(test.kernel, { name, plan: 'Enterprise', status: 'active', minutes: 10 });
    const { token } = await createToken(test.kernel, { workspaceId: _id, userId: _id, name });
    const headers = { authorization: `Bearer ${token}` };
    return {
      id: _id,
      call: (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
        call(http, { method, path, headers, ...(body === undefined ? {} : { body }) }),
    };
  }

  beforeAll(async () => {
    test = await openTestKernel();
    const { kernel } = test;
    engine = createEngine(kernel);
    http = createApi(kernel, engine);
    await http.app.ready();
    await workOnAvatars(kernel);
    await workOnRenders(kernel, { pipeline: engine.pipeline, review: createReview() });
    [owner, stranger] = [await member('Owner'), await member('Stranger')];
    portrait = await photograph();
  });
  afterAll(() => test.close());

  const create = (bytes: Buffer, more: object = {}) =>
    owner.call('POST', '/avatars', { name: 'Anna', gender: 'female', image: dataUrl(bytes), ...more });

  async function settled(id: string) {
    await expect
      .poll(async () => (await owner.call('GET', `/avatars/${id}`)).body.status, { interval: 200 })
      .not.toBe('processing');
    return (await owner.call('GET', `/avatars/${id}`)).body;
  }

  async function ended(id: string) {
    await owner.call('POST', `/videos/render/${id}`);
    await expect
      .poll(async () => (await owner.call('GET', `/videos/${id}`)).body.status, { interval: 200 })
      .toMatch(/ready|error/);
    return (await owner.call('GET', `/videos/${id}`)).body;
  }

  const objectsOf = async (id: string) => {
    const keys: string[] = [];
    for await (const { key } of test.kernel.objects.list(`${owner.id}/avatars/${id}/`)) keys.push(key);
    return keys.map((key) => key.split('/').at(-1)).sort();
  };

  it('are created from a portrait, stored with the consent, shown in videos and streams, and removed when deleted', async () => {
    const { status, body: made } = await create(portrait, { consent: 'I agree. Anna' });
    expect(status).toBe(200);
    expect(made).toMatchObject({
      type: 'photo',
      name: 'Anna',
      status: 'processing',
      thumbnail: '',
      realtime: false,
      consent: { statement: 'I agree. Anna', givenBy: 'API token of Owner' },
    });
    const slides = [
      { id: 1, speech: 'Hi.', voice: 'slt', voiceProvider: 'flite', avatar: { code: made.id }, canvas: CANVAS },
      { id: 2, speech: 'Hi.', voice: 'slt', voiceProvider: 'flite', avatar: { code: 'leo.closeup' }, canvas: CANVAS },
    ];
    const { body: video } = await owner.call('POST', '/videos', { name: 'v', slides, data: { resolution: '720p' } });
    expect((await owner.call('POST', `/videos/validate/${video._id}`)).body.errors).toMatchObject([
      { message: 'The avatar "Anna" is still being created. Try again in a moment.' },
    ]);

    const ready = await settled(made.id);
    expect(ready).toMatchObject({ status: 'ready', realtime: true, background: 'removed' });
    expect(ready).not.toHaveProperty('error');
    for (const [link, type] of [
      [ready.thumbnail, 'image/webp'],
      [ready.canvas, 'image/webp'],
      [ready.preview, 'video/mp4'],
    ]) {
      expect(await download(http, link)).toMatchObject({ status: 200, type });
    }
    const canvas = await sharp((await download(http, ready.canvas)).bytes).stats();
    expect(canvas.isOpaque).toBe(false);
    // The portrait itself is not kept.
    expect(await objectsOf(made.id)).toEqual(['bust.webp', 'canvas.webp', 'pack.tar', 'preview.mp4', 'thumbnail.webp']);

    // The person did not agree that pages get the pictures.
    const { status: refused, body: why } = await owner.call('POST', '/streams', {
      ...{ avatarCode: made.id, voiceId: 'slt', voiceProvider: 'flite', drawing: 'viewer' },
    });
    expect([refused, why.errors[0].message]).toEqual([400, expect.stringContaining('viewers may not draw')]);
    expect(await engine.avatars.viewerPackLink(owner.id, made.id, 'half')).toBeUndefined();

    expect((await owner.call('GET', '/avatars')).body.map(({ code }: { code: string }) => code)).toContain(made.id);
    expect((await stranger.call('GET', '/avatars')).body.map(({ code }: { code: string }) => code)).not.toContain(
      made.id,
    );
    expect((await stranger.call('GET', `/avatars/${made.id}`)).status).toBe(403);
    expect((await stranger.call('DELETE', `/avatars/${made.id}`)).status).toBe(403);
    await expect(engine.avatars.resolve(stranger.id, made.id)).rejects.toThrow(`There is no avatar "${made.id}".`);

    // As on a machine that has never seen it.
    const cache = join(test.kernel.config.dataDir, 'cache', 'avatars');
    await rm(cache, { recursive: true, force: true });
    const rendered = await ended(video._id);
    expect(rendered).toMatchObject({ status: 'ready' });
    const film = await download(http, rendered.url);
    expect(film.status).toBe(200);
    // Both slides show a person in the avatar's place: the photo avatar, and a presenter's close-up.
    const file = join(test.kernel.config.dataDir, 'film.mp4');
    await writeFile(file, film.bytes);
    const reddest: number[] = [];
    for await (const { v, uvStride, height } of decodeFrames(file)) {
      const middle = Array.from({ length: height / 2 }, (_, row) => v[row * uvStride + 320] ?? 0);
      reddest.push(Math.max(...middle));
    }
    expect(reddest.length).toBeGreaterThan(20);
    expect(Math.min(...reddest)).toBeGreaterThan(138);
    expect(await readdir(cache)).toHaveLength(1);

    const packs = createPackStore(engine.avatars, loadPack);
    expect(await packs.find(owner.id, made.id)).toMatchObject({ name: made.id, width: 1440, height: 1080 });

    expect((await owner.call('DELETE', `/avatars/${made.id}`)).body).toEqual({ _id: made.id, deleted: true });
    expect((await owner.call('GET', `/avatars/${made.id}`)).status).toBe(404);
    expect(await objectsOf(made.id)).toEqual([]);
    expect(await readdir(cache)).toEqual([]);
    expect(await ended(video._id)).toMatchObject({
      status: 'error',
      error: expect.stringContaining(`There is no avatar "${made.id}"`),
    });
  });

  it('keep the background of the picture on request', async () => {
    const { body: made } = await create(portrait, { background: 'original' });
    const ready = await settled(made.id);
    expect(ready).toMatchObject({ status: 'ready', background: 'original' });
    expect((await sharp((await download(http, ready.canvas)).bytes).stats()).isOpaque).toBe(true);
    const other = await create(portrait, { background: 'blurred' });
    expect([other.status, other.body.errors[0].field]).toEqual([400, 'background']);
  });

  it('are drawn by viewers only if the person agreed to that too, by a link that expires', async () => {
    const { body: made } = await create(portrait, { consent: 'I agree. Anna', drawnByViewers: true });
    expect(made.consent.statement).toMatch(/^I agree\. Anna Pages .* agreed to this too\.$/u);
    expect(await settled(made.id)).toMatchObject({ status: 'ready', drawnByViewers: true });
    const [link, same] = await Promise.all(
      ['half', 'half'].map(() => engine.avatars.viewerPackLink(owner.id, made.id, 'half')),
    );
    expect(same).toBe(link);
    expect(await engine.avatars.viewerPackLink(stranger.id, made.id, 'half')).toBeUndefined();
    const { status, bytes } = await download(http, link ?? '');
    expect([status, readArchive(gunzipSync(bytes), 'pack').look]).toMatchObject([200, expect.anything()]);
    expect((await owner.call('DELETE', `/avatars/${made.id}`)).status).toBe(200);
    expect(await objectsOf(made.id)).toEqual([]);
    expect(
      (await readdir(join(test.kernel.config.dataDir, 'portraits'))).filter((name) => name.includes('pack')),
    ).toEqual([]);
  });

  it('end in an error that says why, when the portrait shows no person', async () => {
    const wall = await sharp({ create: { width: 400, height: 400, channels: 3, background: '#9fb0b8' } })
      .png()
      .toBuffer();
    const { body } = await create(wall);
    expect(await settled(body.id)).toMatchObject({
      status: 'error',
      error: 'There is no face in the picture.',
      thumbnail: '',
      consent: { statement: expect.stringContaining('its sender states') },
    });
    expect(await objectsOf(body.id)).toEqual([]);
  });

  it('are refused immediately for an invalid picture, and built-in presenters cannot be deleted', async () => {
    for (const data of ['data:image/png;base64,aGVsbG8=', 'data:image/png;base64,%%%%']) {
      const answer = await owner.call('POST', '/avatars', {
        name: 'x',
        gender: 'male',
        image: { name: 'x.png', data },
      });
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].field).toBe('image.data');
    }
    expect((await owner.call('GET', '/avatars/ava')).body).toMatchObject({ code: 'ava', type: 'presenter' });
    expect((await owner.call('DELETE', '/avatars/ava')).status).toBe(400);
  });

  it('are told by their bytes, whatever type their data URL names', async () => {
    const send = (head: string, bytes: Buffer) =>
      create(portrait, { image: { name: 'x', data: `${head},${bytes.toString('base64')}` } });
    for (const head of ['data:image/jpg;base64', 'DATA:IMAGE/PNG;BASE64', 'data:image/jpeg;charset=utf-8;base64']) {
      const answer = await send(head, portrait);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      expect(await settled(answer.body.id)).toMatchObject({ status: 'ready' });
    }
    const refused = await send('data:image/bmp;base64', Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)]));
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [{ field: 'image.data', message: 'is not a PNG, JPEG or WebP picture but BMP; save it as JPEG' }],
    ]);
  });

  it('require console users to state the consent of the person shown, which is stored with their name', async () => {
    const person = { email: 'anna@example.org', password: 'correct horse', role: 'member' as const };
    await addMember(test.kernel, { workspaceId: owner.id, ...person });
    const signedIn = await call(http, { method: 'POST', path: '/session', body: person });
    const headers = {
      cookie: String(signedIn.headers['set-cookie']).split(';')[0] ?? '',
      'sec-fetch-site': 'same-origin',
    };
    const body = { name: 'Me', gender: 'other', image: dataUrl(portrait) };
    const silent = await call(http, { method: 'POST', path: '/avatars', headers, body });
    expect([silent.status, silent.body.errors[0].field]).toEqual([400, 'consent']);
    const spoken = await call(http, {
      method: 'POST',
      path: '/avatars',
      headers,
      body: { ...body, consent: 'It is me.' },
    });
    expect(spoken.body.consent).toMatchObject({ statement: 'It is me.', givenBy: 'anna@example.org' });
    // Deleted during its creation, it leaves no objects.
    expect((await owner.call('DELETE', `/avatars/${spoken.body.id}`)).status).toBe(200);
    await expect.poll(() => test.kernel.queue.running(), { interval: 200 }).toEqual([]);
    expect(await objectsOf(spoken.body.id)).toEqual([]);
  });

  it('finds the points of a face, in fractions of the picture', async () => {
    const { status, body } = await owner.call('POST', '/avatars/landmarks', { image: dataUrl(portrait) });
    expect(status).toBe(200);
    expect(body).toMatchObject({ width: 1440, height: 1080, problems: [] });
    const noseTip = body.points.find(({ name }: { name: string }) => name === 'noseTip');
    expect(Math.abs(noseTip.x - 0.5)).toBeLessThan(0.01);
    const cut = await owner.call('POST', '/avatars/landmarks', { image: dataUrl(portrait.subarray(0, 20_000)) });
    expect(cut.status).toBe(400);
    expect(cut.body.message).toContain('damaged or cut off');
  });
});
