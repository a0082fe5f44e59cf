import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace } from '../../packages/server/src/features/workspaces/index.js';
import { createToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import { createApi } from '../../packages/server/src/roles/api.js';
import { createEngine } from '../../packages/server/src/roles/engine.js';
import { call } from '../support/api.js';
import { openTestKernel } from '../support/kernel.js';

/** The API with the real engine, and a dry run of a video. */
async function openReal(env: Record<string, string>) {
  const test = await openTestKernel(env);
  const http = createApi(test.kernel, createEngine(test.kernel));
  await http.app.ready();
  const { _id } = await createWorkspace(test.kernel, { name: 'M', plan: 'Team' });
  const { token } = await createToken(test.kernel, { workspaceId: _id, userId: _id, name: 'm' });
  const headers = { authorization: `Bearer ${token}` };
  return {
    async check(slide: object, data: object = {}) {
      const body = { name: 'x', data, slides: [{ id: 1, duration: 1, ...slide }] };
      const { body: video } = await call(http, { method: 'POST', path: '/videos', headers, body });
      return (await call(http, { method: 'POST', path: `/videos/validate/${video._id}`, headers })).body;
    },
    close: () => test.close(),
  };
}

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A slide that shows pictures, after an empty group. */
function pictures(urls: readonly string[], background?: string) {
  const objects = urls.map((src) => ({ type: 'image', src, left: 0, top: 0, width: 100, height: 100 }));
  return { canvas: { objects: [{ type: 'group', objects: [] }, ...objects], background } };
}

describe('media that users refer to by URL', () => {
  let server: Server;
  let requests: string[];
  let base: string;
  let guarded: Awaited<ReturnType<typeof openReal>>;
  let open: Awaited<ReturnType<typeof openReal>>;

  beforeAll(async () => {
    requests = [];
    server = createServer(({ url = '' }, response) => {
      requests.push(url);
      if (url === '/moved.png') response.writeHead(302, { Location: '/real.png' }).end();
      else if (url === '/real.png') response.end(PIXEL);
      else if (url === '/page.html') response.end('<html>no medium</html>');
      else response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    [guarded, open] = [await openReal({}), await openReal({ FIGUREHEAD_MEDIA_ALLOW_PRIVATE: '1' })];
  });
  afterAll(async () => {
    await Promise.all([guarded.close(), open.close()]);
    server.close();
  });

  // Proves: D.webhook.11
  it('are fetched only from public addresses, unless configured otherwise', async () => {
    const inside = [
      `${base}/real.png`,
      'http://169.254.169.254/latest/meta-data',
      'http://[::1]/x.png',
      'file:///etc/passwd',
    ];
    const refused = await guarded.check(pictures(inside, 'http://10.0.0.1/b.png'));
    expect(refused.valid).toBe(false);
    expect(refused.errors.map(({ field }: { field: string }) => field)).toEqual([
      'slides[0].canvas.background',
      'slides[0].canvas.objects[1].src',
      'slides[0].canvas.objects[2].src',
      'slides[0].canvas.objects[3].src',
      'slides[0].canvas.objects[4].src',
    ]);
    expect(requests).toEqual([]);
    expect(await open.check(pictures([`${base}/real.png`, `${base}/real.png`]))).toEqual({ valid: true, errors: [] });
    expect(requests).toEqual(['/real.png']);
  });

  // Proves: D.videos.26
  it('are all reported with their place when they are unreachable, moved or invalid', async () => {
    const data = `data:image/png;base64,${PIXEL.toString('base64')}`;
    const { errors } = await open.check(
      pictures([`${base}/dead.png`, `${base}/moved.png`, 'http://127.0.0.1:1/x.png', 'no address', data]),
    );
    expect(errors.map(({ field }: { field: string }) => field)).toEqual([
      'slides[0].canvas.objects[1].src',
      'slides[0].canvas.objects[2].src',
      'slides[0].canvas.objects[3].src',
      'slides[0].canvas.objects[4].src',
    ]);
    expect(errors[0].message).toContain('404');
    for (const { message } of errors) expect(message).not.toMatch(/\n|stack/);
  });

  it('are opened in a separate process: invalid pictures, clips and music are reported', async () => {
    const page = `${base}/page.html`;
    const clip = { type: 'video', src: page, left: 0, top: 0, width: 100, height: 100 };
    const objects = [{ type: 'image', src: page, left: 0, top: 0, width: 9, height: 9 }, clip];
    const { errors } = await open.check({ canvas: { objects } }, { musicUrl: page });
    expect(errors.map(({ field }: { field: string }) => field)).toEqual([
      'data.musicUrl',
      'slides[0].canvas.objects[0].src',
      'slides[0].canvas.objects[1].src',
    ]);
    const still = await open.check({ canvas: { objects: [{ ...clip, src: `${base}/real.png` }] } });
    expect(still).toEqual({ valid: true, errors: [] });
  });
});

describe('ids of another installation', () => {
  const slide = {
    speech: 'Hi.',
    avatar: { code: 'vadim' },
    voice: 'flq6f7yk4E4fJM5XTYuZ',
    voiceProvider: 'elevenlabs',
  };

  // Proves: D.videos.7, D.voices.5, D.voices.6
  it('work if they are mapped, also for avatars, and are otherwise reported as unknown', async () => {
    const aliases = { voices: { 'elevenlabs:flq6f7yk4E4fJM5XTYuZ': 'flite:slt' }, avatars: { vadim: 'marcus' } };
    const mapped = await openReal({ FIGUREHEAD_ALIASES: JSON.stringify(aliases) });
    const plain = await openReal({});
    try {
      expect(await mapped.check(slide)).toEqual({ valid: true, errors: [] });
      const { errors } = await plain.check(slide);
      expect(errors).toEqual([
        { field: 'slides[0].voice', message: expect.stringContaining('FIGUREHEAD_ELEVENLABS_KEY') },
        { field: 'slides[0].avatar', message: expect.stringContaining('"vadim"') },
      ]);
      expect(
        (await plain.check({ ...slide, avatar: { code: 'marcus.nobody' }, voice: null, voiceProvider: null })).errors,
      ).toEqual([{ field: 'slides[0].avatar', message: expect.stringContaining('"marcus.nobody"') }]);
    } finally {
      await Promise.all([mapped.close(), plain.close()]);
    }
  });
});
