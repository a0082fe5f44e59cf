import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workOnAvatars } from '../../packages/server/src/features/avatars/index.js';
import { workOnMedia } from '../../packages/server/src/features/library/index.js';
import { openTestApi, type TestApi, type TestCaller } from '../support/api.js';
import { upload } from '../support/files.js';
import { writeFilm } from '../support/presenter-film.js';

describe('avatars from footage', () => {
  let api: TestApi;
  let owner: TestCaller;
  let stranger: TestCaller;
  let short: Buffer;
  beforeAll(async () => {
    api = await openTestApi();
    [owner, stranger] = await Promise.all([api.caller(), api.caller()]);
    await workOnMedia(api.test.kernel);
    await workOnAvatars(api.test.kernel);
    const file = join(api.test.kernel.config.dataDir, 'short.mp4');
    await writeFilm(file, [{ presenters: ['ava'], seconds: 4 }]);
    short = await readFile(file);
  });
  afterAll(() => api.close());

  const add = async (name: string, bytes: Uint8Array): Promise<string> => {
    const { status, body } = await upload(api.http, { path: '/media', token: owner.token, file: { name, bytes } });
    expect([status, body.message]).toEqual([200, undefined]);
    await expect
      .poll(async () => (await owner.call('GET', `/media/${body._id}`)).body)
      .toMatchObject({ status: 'ready' });
    return body._id;
  };
  const create = (mediaId: string, more: object = {}, caller = owner) =>
    caller.call('POST', '/avatars', { name: 'Ava', gender: 'female', footage: { mediaId }, ...more });
  const settled = async (id: string) => {
    await expect.poll(async () => (await owner.call('GET', `/avatars/${id}`)).body.status).not.toBe('processing');
    return (await owner.call('GET', `/avatars/${id}`)).body;
  };

  it('keep the consent and delete the video when they are refused, also many at once', async () => {
    const count = 4;
    const media: string[] = [];
    for (let i = 0; i < count; i++) media.push(await add(`${i}.mp4`, short));
    const made = await Promise.all(media.map((id, i) => create(id, { consent: `I agree. ${i}` })));
    for (const [i, { status, body }] of made.entries()) {
      expect(body).toMatchObject({ status: 'processing', type: 'photo' });
      expect(status).toBe(200);
      expect(await settled(body.id)).toMatchObject({
        status: 'error',
        error: 'The video is 4 s long; 20 s to 3 min are needed.',
        consent: { statement: `I agree. ${i}` },
      });
    }
    for (const id of media) expect((await owner.call('GET', `/media/${id}`)).status).toBe(404);
  });

  it('leave no video behind when they are deleted while they are made', async () => {
    const mediaId = await add('a.mp4', short);
    const { body } = await create(mediaId);
    expect((await owner.call('DELETE', `/avatars/${body.id}`)).status).toBe(200);
    await expect.poll(async () => (await owner.call('GET', `/media/${mediaId}`)).status).toBe(404);
  });

  it('are refused at once for what is not a ready video of the workspace, and for more than one source', async () => {
    const picture = await add(
      'a.png',
      await sharp({ create: { width: 64, height: 64, channels: 3, background: '#9fb0b8' } })
        .png()
        .toBuffer(),
    );
    const film = await add('a.mp4', short);
    const image = { name: 'a.png', data: 'data:image/png;base64,aGVsbG8=' };
    const fieldOf = async (answer: ReturnType<typeof create>) => {
      const { status, body } = await answer;
      return [status, body.errors?.[0]?.field];
    };
    expect(await fieldOf(create(picture))).toEqual([400, 'footage.mediaId']);
    expect(await fieldOf(create(film, { image }))).toEqual([400, 'image']);
    expect(await fieldOf(owner.call('POST', '/avatars', { name: 'Ava', gender: 'female' }))).toEqual([400, 'image']);
    expect((await create('000000000000000000000000')).status).toBe(404);
    expect((await create(film, {}, stranger)).status).toBe(403);
    // It is still there.
    expect((await owner.call('GET', `/media/${film}`)).body.status).toBe('ready');
  });
});
