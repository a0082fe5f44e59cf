import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledUrl } from '@figurehead/media/basic';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call, openTestApi, type TestApi, type TestCaller } from '../../../../../../tests/support/api.js';
import { PreviewPool } from './preview-pool.js';

const speech = 'Hello and welcome to our quarterly report.';
const slide = (title: string, more: object = {}) => ({
  id: 7,
  speech,
  voice: 'slt',
  voiceProvider: 'flite',
  avatar: { code: 'ava' },
  canvas: {
    background: '#204060',
    objects: [{ type: 'textbox', left: 40, top: 40, width: 280, text: title, fontSize: 40, fill: '#ffffff' }],
  },
  ...more,
});

describe('a preview of one frame', () => {
  let api: TestApi;
  let owner: TestCaller;
  let videoId: string;

  beforeAll(async () => {
    api = await openTestApi();
    owner = await api.caller();
    const { body } = await owner.call('POST', '/videos', {
      name: 'Preview',
      data: { resolution: '1080p' },
      slides: [slide('Stored')],
    });
    videoId = body._id;
  });
  afterAll(() => api.close());

  const preview = (query = '', body?: object) => owner.call('POST', `/videos/preview/${videoId}/7${query}`, body);
  const pixelsOf = async (answer: { bytes: Buffer }) =>
    sharp(answer.bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });

  it('is a WebP of the slide, no larger than a screen', async () => {
    const answer = await preview();
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/webp']);
    const { data, info } = await pixelsOf(answer);
    expect([info.width, info.height]).toEqual([1280, 720]);
    // The background, within the rounding of WebP and limited range.
    expect([...data.subarray(0, 3)].map((value, index) => Math.abs(value - [0x20, 0x40, 0x60][index]!) < 5)).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('shows the editor’s version of the slide instead of the stored one, and stores nothing', async () => {
    const stored = await pixelsOf(await preview());
    const edited = await pixelsOf(await preview('', { slide: slide('Edited'), data: { resolution: '720p' } }));
    expect(Buffer.compare(stored.data, edited.data)).not.toBe(0);
    const portrait = await pixelsOf(await preview('', { data: { format: '9_16' } }));
    expect([portrait.info.width, portrait.info.height]).toEqual([720, 1280]);
    const { body } = await owner.call('GET', `/videos/${videoId}`);
    expect(body.slides[0].canvas.objects[0].text).toBe('Stored');
  });

  it('shows the requested second of the speech, and stops at the end', async () => {
    const [early, late, end, beyond] = await Promise.all(
      ['?at=0.6', '?at=1.4', '?at=900', '?at=3600'].map(async (query) => (await pixelsOf(await preview(query))).data),
    );
    expect(Buffer.compare(early!, late!)).not.toBe(0);
    expect(Buffer.compare(end!, beyond!)).toBe(0);
  });

  it('reports the problems of the slide', async () => {
    const broken = slide('x', {
      canvas: { objects: [{ type: 'image', src: 'data:image/png;base64,bm8gcGljdHVyZQ==' }] },
    });
    const answer = await preview('', { slide: broken });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe('slide.canvas.objects[0].src');
    const nobody = await preview('', { slide: slide('x', { avatar: { code: 'nobody' } }) });
    expect([nobody.status, nobody.body.errors[0].field]).toEqual([400, 'slide.avatar']);
    expect((await owner.call('POST', `/videos/preview/${videoId}/8`)).status).toBe(404);
    expect((await call(api.http, { method: 'POST', path: `/videos/preview/${videoId}/7` })).status).toBe(401);
  });
});

describe('the preview processes', () => {
  const assets = { picture: async () => new Uint8Array(), file: async () => '' };
  const order = { source: { slides: [{ id: 1, duration: 1 }], data: {} }, slide: 0, seconds: 0, speeches: [null] };
  const empty = { ...order, fonts: [], packs: {} };
  const never = { workspaceId: 'a', assets, signal: new AbortController().signal };
  let folder: string;
  let pool: PreviewPool | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'previews-'));
  });
  afterEach(() => pool?.close());
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const program = async (act: string): Promise<URL> => {
    const serve = compiledUrl('../../../kernel/workers/process-program.js', import.meta.url).href;
    const path = pathToFileURL(join(folder, `${(await readdir(folder)).length}.mjs`));
    await writeFile(
      path,
      `import { serveProcess } from ${JSON.stringify(serve)}; serveProcess(async () => { ${act} });`,
    );
    return path;
  };

  it('abandon a job that crashes one, and continue', async () => {
    pool = new PreviewPool({
      program: await program(`process.kill(process.pid, 'SIGSEGV'); await new Promise(() => {});`),
    });
    for (let order = 0; order < 5; order++) await expect(pool.paint(empty, never)).rejects.toThrow('crashed');
    expect(pool.pids()).toEqual([]);
  });

  it('limit the waiting jobs of a workspace, and drop those of disconnected callers', async () => {
    pool = new PreviewPool({
      program: await program('await new Promise((resolve) => setTimeout(resolve, 60_000));'),
      processes: 2,
      turns: { perWorkspace: 1, waitingPerWorkspace: 1, waitMs: 60_000 },
    });
    const abort = new AbortController();
    const first = pool.paint(empty, never).catch((error: unknown) => error);
    const second = pool.paint(empty, { ...never, signal: abort.signal }).catch((error: unknown) => error);
    const refused = Array.from({ length: 20 }, () => pool?.paint(empty, never));
    for (const one of refused) await expect(one).rejects.toMatchObject({ status: 429 });
    abort.abort(new Error('the client went away'));
    expect(await second).toMatchObject({ message: 'the client went away' });
    await pool.close();
    expect(await first).toMatchObject({ message: 'the server is stopping' });
    expect(pool.pids()).toEqual([]);
  });

  it('draw for a workspace while another overloads them', async () => {
    pool = new PreviewPool();
    const own = pool;
    const ended: string[] = [];
    // Both processes are warm, because starting one takes longer than all of these pictures.
    await Promise.all([own.paint(empty, never), own.paint(empty, { ...never, workspaceId: 'b' })]);
    const many = Array.from({ length: 17 }, () => own.paint(empty, never).then(() => ended.push('many')));
    await own.paint(empty, { ...never, workspaceId: 'b' }).then(() => ended.push('one'));
    await Promise.all(many);
    expect(ended.indexOf('one')).toBeLessThan(16);
  });
});
