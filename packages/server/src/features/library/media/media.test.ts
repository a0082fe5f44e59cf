import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { decodeAudio, probe } from '@figurehead/media';
import { isMovingPicture, playablePicture } from '@figurehead/media/basic';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../../tests/support/api.js';
import { clipMp4, download, toneWav, upload } from '../../../../../../tests/support/files.js';
import { recordCreations } from '../../workspaces/index.js';
import { workOnMedia } from '../index.js';
import { openMediaSources } from '../media-sources.js';

const solid = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: { r: 200, g: 30, b: 30, alpha: 0.5 } } });

describe('uploaded media', () => {
  let api: TestApi;
  let me: TestCaller;
  beforeAll(async () => {
    api = await openTestApi({ FIGUREHEAD_UPLOAD_MAX_MB: '2' });
    me = await api.caller();
    await workOnMedia(api.test.kernel);
  });
  afterAll(() => api.close());

  const post = (name: string, bytes: Uint8Array, fields: Record<string, string> = {}) =>
    upload(api.http, { path: '/media', token: me.token, file: { name, bytes }, fields });

  async function settled(id: string) {
    await expect.poll(async () => (await me.call('GET', `/media/${id}`)).body.status).not.toBe('processing');
    return (await me.call('GET', `/media/${id}`)).body;
  }

  async function saved(bytes: Buffer, name: string): Promise<string> {
    const file = join(api.test.kernel.config.dataDir, name);
    await writeFile(file, bytes);
    return file;
  }

  // Proves: D.library.3
  it('a photo is turned upright, stripped of its metadata and ready immediately', async () => {
    const photo = await solid(60, 40).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const { status, body } = await post('photo.jpg', photo, { name: 'My photo' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'My photo',
      type: 'image',
      status: 'ready',
      contentType: 'image/jpeg',
      width: 40,
      height: 60,
      folderId: null,
    });
    const { type, bytes } = await download(api.http, body.url);
    const metadata = await sharp(bytes).metadata();
    expect([type, metadata.width, metadata.height, metadata.orientation, metadata.exif]).toEqual([
      'image/jpeg',
      40,
      60,
      undefined,
      undefined,
    ]);
    expect(body.size).toBe(bytes.length);
    expect((await download(api.http, String(body.thumbnail))).type).toBe('image/webp');
  });

  it('slides of its workspace show it by its link, even an expired one; slides of other workspaces never do', async () => {
    const { body } = await post('a.png', await solid(20, 10).png().toBuffer());
    const { objects, fetch, config } = api.test.kernel;
    const key = `${me.workspace._id}/media/${body._id}/file.png`;
    const expired = objects.link(key, -60);
    const assetsOf = (workspaceId: string) => {
      const sources = { fetch, allowPrivate: false, own: { objects, url: config.url, workspaceId } };
      return openMediaSources(sources, { folder: config.dataDir, signal: new AbortController().signal });
    };
    const other = await api.caller();
    for (const link of [body.url, expired]) {
      expect(await sharp(await assetsOf(me.workspace._id).picture(link)).metadata()).toMatchObject({ width: 20 });
      await expect(assetsOf(other.workspace._id).picture(link)).rejects.toThrow('another workspace');
      await expect(assetsOf(other.workspace._id).file(link)).rejects.toThrow('another workspace');
    }
    const forged = body.url.replace(/(signature|sig|s)=[^&]{4}/, '$1=AAAA');
    expect(forged).not.toBe(body.url);
    await expect(assetsOf(me.workspace._id).picture(forged)).rejects.toThrow('signature');
  });

  it('a picture with transparency keeps it, regardless of its file name', async () => {
    const { body } = await post('liar.mp4', await solid(30, 30, 4).webp().toBuffer());
    expect(body).toMatchObject({ name: 'liar.mp4', contentType: 'image/png' });
    expect((await sharp((await download(api.http, body.url)).bytes).stats()).isOpaque).toBe(false);
  });

  it('an animated picture keeps moving, without its metadata', async () => {
    const frames = await Promise.all(
      [solid(20, 10, 4), solid(20, 10).negate()].map((frame) => frame.ensureAlpha().png().toBuffer()),
    );
    const all = sharp(frames, { join: { animated: true } }).withExif({ IFD0: { Artist: 'Jane Doe' } });
    const [gif, webp] = [await all.clone().gif().toBuffer(), await all.clone().webp().toBuffer()];
    const kinds = [
      ['a.gif', gif, 'image/gif'],
      ['a.webp', webp, 'image/webp'],
      ['a.png', await playablePicture(webp), 'image/apng'],
    ] as const;
    for (const [name, bytes, contentType] of kinds) {
      const { body } = await post(name, bytes);
      expect([body.type, body.contentType, body.width, body.height], name).toEqual(['image', contentType, 20, 10]);
      const kept = (await download(api.http, body.url)).bytes;
      expect(await isMovingPicture(Buffer.from(kept)), name).toBe(true);
      expect(Buffer.from(kept).includes('Jane Doe'), name).toBe(false);
    }
    // Its head says 10 000×9000 px, with a right checksum.
    const large = Buffer.from(kinds[2][1]);
    large.writeUInt32BE(10_000, 16);
    large.writeUInt32BE(9_000, 20);
    large.writeUInt32BE(crc32(large.subarray(12, 29)), 29);
    const refused = await post('large.png', large);
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('save it as a video')]);
  });

  it('a vector drawing is rasterised, and the original is never served', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><script>alert(1)</script><image href="file:///etc/passwd" width="5" height="5"/><rect width="40" height="20" fill="#00f"/></svg>';
    for (const text of [svg, `<?xml version="1.0"?>\n${svg}`]) {
      const { status, body } = await post('logo.svg', Buffer.from(text));
      expect([status, body.contentType, body.width, body.height]).toEqual([200, 'image/png', 1920, 960]);
      const { bytes } = await download(api.http, body.url);
      expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    }
  });

  it('what of a drawing is not shown is said when it is uploaded', async () => {
    const warningsOf = async (body: string) => {
      const text = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">${body}<rect width="9" height="9"/></svg>`;
      return (await post('a.svg', Buffer.from(text))).body.warnings;
    };
    const link = '<image href="https://example.org/a.png" width="5" height="5"/>';
    expect(await warningsOf('<foreignObject width="9" height="9"/>')).toEqual([
      expect.stringContaining('foreignObject'),
    ]);
    expect(await warningsOf(`<animate attributeName="x"/>${link}`)).toEqual([
      expect.stringContaining('animation'),
      expect.stringContaining('links to'),
    ]);
    expect(await warningsOf('<image href="data:image/png;base64,AA==" width="5" height="5"/>')).toBeUndefined();
  });

  it('a file that slides cannot use is a 400 that names its type', async () => {
    const png = await solid(600, 600).png().toBuffer();
    const clip = await clipMp4({ seconds: 1, width: 64, height: 48, sound: false });
    const cases: [string, Uint8Array, RegExp][] = [
      ['empty.png', Buffer.alloc(0), /empty/],
      ['text.png', Buffer.from('hello there'), /unknown type/],
      ['doc.pdf', Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj\n'), /application\/pdf/],
      ['half.png', png.subarray(0, png.length / 2), /damaged/],
      ['half.mp4', clip.subarray(0, 40), /damaged/],
      [
        'bomb.svg',
        Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="900000" height="900000"/>'),
        /damaged|memory|longer/,
      ],
    ];
    for (const [name, bytes, message] of cases) {
      const answer = await post(name, bytes);
      expect(answer.status, name).toBe(400);
      expect(answer.body.message, name).toMatch(message);
      expect(answer.body.errors, name).toMatchObject([{ field: 'file' }]);
    }
    const none = await upload(api.http, { path: '/media', token: me.token, fields: { name: 'x' } });
    expect([none.status, none.body.message]).toEqual([400, expect.stringContaining('file is required')]);
    const large = await post('large.bin', Buffer.alloc(2 * 1024 * 1024 + 1));
    expect([large.status, large.body.message]).toEqual([400, expect.stringContaining('2 MB')]);
    expect((await me.call('POST', '/media', { name: 'x' })).status).toBe(400);
  });

  it('a video is converted by a worker, keeping sound, pictures and length', async () => {
    const { status, body } = await post('clip.mp4', await clipMp4({ seconds: 2, width: 96, height: 64, sound: true }));
    expect(status).toBe(200);
    expect(body).toMatchObject({ type: 'video', status: 'processing', width: 96, height: 64 });
    expect(body.url).toBeUndefined();
    const done = await settled(body._id);
    expect(done).toMatchObject({ status: 'ready', contentType: 'video/mp4', width: 96, height: 64, duration: 2 });
    const { type, bytes } = await download(api.http, done.url);
    const file = await saved(bytes, 'converted.mp4');
    expect(type).toBe('video/mp4');
    expect(await probe(file)).toMatchObject({
      video: { codec: 'h264', width: 96, height: 64, frames: 50 },
      audio: { codec: 'aac' },
    });
    expect((await sharp((await download(api.http, done.thumbnail)).bytes).metadata()).width).toBe(96);
    expect(await api.test.kernel.objects.info(`${me.workspace._id}/media/${body._id}/original`)).toBeUndefined();
  });

  it('a sound is converted to AAC', async () => {
    const { body } = await post('tone.wav', toneWav(1.5));
    const done = await settled(body._id);
    expect(done).toMatchObject({
      type: 'audio',
      status: 'ready',
      contentType: 'audio/aac',
      duration: expect.closeTo(1.5, 1),
    });
    const { bytes } = await download(api.http, done.url);
    const pcm = await decodeAudio(await saved(bytes, 'tone.aac'), { maxSeconds: 10 });
    expect(pcm.length / 48_000).toBeCloseTo(1.5, 0);
    expect(Math.max(...pcm.slice(5000, 40_000))).toBeGreaterThan(0.2);
  });

  // Proves: D.library.3
  it('media are filtered, moved, renamed and deleted with their objects', async () => {
    const own = await api.caller();
    const { body: folder } = await own.call('POST', '/upload-folders', { name: 'Logos' });
    const png = await solid(8, 8).png().toBuffer();
    const send = (fields: Record<string, string>) =>
      upload(api.http, { path: '/media', token: own.token, file: { name: 'a.png', bytes: png }, fields });
    const inside = await send({ folderId: folder._id, name: 'Caf\u00e9 100%' });
    const outside = await send({});
    expect((await send({ folderId: 'f'.repeat(24) })).status).toBe(400);
    const list = async (query: string) => (await own.call('GET', `/media?${query}`)).body;
    expect(await list('limit=1')).toMatchObject({ media: [{ _id: outside.body._id }], page: 1, limit: 1, total: 2 });
    expect(await list(`folderId=${folder._id}`)).toMatchObject({ media: [{ _id: inside.body._id }], total: 1 });
    expect(await list('type=video')).toMatchObject({ media: [], total: 0 });
    // A part of the name, literally, in any case and either spelling of accents.
    for (const part of ['CAFE\u0301', '0%25', ' caf\u00e9 ']) {
      expect(await list(`search=${part}`)).toMatchObject({ media: [{ _id: inside.body._id }], total: 1 });
    }
    expect(await list('search=%25%25')).toMatchObject({ media: [], total: 0 });
    expect(await list('search=%20')).toMatchObject({ total: 2 });
    const moved = await own.call('PATCH', `/media/${outside.body._id}`, {
      name: 'B',
      folderId: folder._id,
      status: 'error',
    });
    expect(moved.body).toMatchObject({ name: 'B', folderId: folder._id, status: 'ready' });
    await own.call('DELETE', `/upload-folders/${folder._id}`);
    expect((await own.call('GET', `/media/${inside.body._id}`)).body.folderId).toBe(null);

    expect((await me.call('GET', `/media/${inside.body._id}`)).status).toBe(403);
    expect((await me.call('DELETE', `/media/${inside.body._id}`)).status).toBe(403);
    expect((await own.call('DELETE', `/media/${inside.body._id}`)).body).toEqual({
      _id: inside.body._id,
      deleted: true,
    });
    expect((await own.call('GET', `/media/${inside.body._id}`)).status).toBe(404);
    expect((await download(api.http, inside.body.url)).status).toBe(404);
  });

  // Proves: 8.2.5
  it('the quota on media is exact for concurrent uploads', async () => {
    const free = await api.caller({ plan: 'Free', status: 'free' });
    const { kernel } = api.test;
    await kernel.transaction((tx) =>
      recordCreations(kernel, tx, { workspaceId: free.workspace._id, entity: 'media', count: 197 }),
    );
    const png = await solid(4, 4).png().toBuffer();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        upload(api.http, { path: '/media', token: free.token, file: { name: 'a.png', bytes: png } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429]);
    expect((await free.call('GET', '/media')).body.total).toBe(3);
  });
});
