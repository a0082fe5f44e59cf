import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wawoff2 from 'wawoff2';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../../tests/support/api.js';
import { latoFont, upload } from '../../../../../../tests/support/files.js';

/** A 2 kB drawing that takes a rasteriser minutes: each level doubles the content. */
function heavyDrawing(): Buffer {
  const levels = Array.from(
    { length: 26 },
    (_, level) => `<g id="l${level + 1}"><use href="#l${level}" x="1"/><use href="#l${level}" y="1"/></g>`,
  );
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"><defs><circle id="l0" r="9" fill="#f00"/>${levels.join('')}</defs><use href="#l26"/></svg>`,
  );
}

describe('the inspection of uploads', () => {
  let api: TestApi;
  let me: TestCaller;
  let png: Buffer;
  let port: number;
  beforeAll(async () => {
    api = await openTestApi();
    me = await api.caller();
    png = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    await api.http.app.listen({ port: 0, host: '127.0.0.1' });
    const address = api.http.app.server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterAll(() => api.close());

  const send = (path: string, bytes: Uint8Array, caller = me) =>
    upload(api.http, { path, token: caller.token, file: { name: 'a', bytes } });

  it('accepts 60 pictures and 60 fonts at once from one workspace, and answers each', async () => {
    const ttf = Buffer.from(await wawoff2.decompress(await latoFont('woff2')));
    const pictures = await Promise.all(Array.from({ length: 60 }, () => send('/media', png)));
    expect(new Set(pictures.map(({ status }) => status))).toEqual(new Set([200]));
    const fonts = await Promise.all(Array.from({ length: 60 }, () => send('/fonts', ttf)));
    expect(new Set(fonts.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('is shared fairly with another workspace that uploads heavy drawings', async () => {
    const [heavy, other] = [await api.caller(), await api.caller()];
    const abort = new AbortController();
    const drawings = Array.from({ length: 6 }, () => sendRaw('/media', heavyDrawing(), heavy, abort.signal));
    // Wait until the first one is being drawn.
    await expect.poll(() => inspectionFolders()).toBeGreaterThan(0);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send('/media', png, other)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    // None of the heavy drawings was answered earlier, so the others did not wait for them.
    expect(await Promise.race([Promise.race(drawings), Promise.resolve('none')])).toBe('none');
    abort.abort();
    await Promise.all(drawings);
  });

  it('frees slots, processes and temporary files of aborted uploads', async () => {
    const abort = new AbortController();
    const broken = Array.from({ length: 40 }, () => sendRaw('/media', heavyDrawing(), me, abort.signal));
    const midway = Array.from({ length: 40 }, () => sendRaw('/media', heavyDrawing(), me, abort.signal, 200));
    await expect.poll(() => inspectionFolders()).toBeGreaterThan(0);
    abort.abort();
    await Promise.all([...broken, ...midway]);
    await expect.poll(() => inspectionFolders()).toBe(0);
    expect((await send('/media', png)).status).toBe(200);
  });

  it('answers 429 with retryAfter when too many of a workspace wait', async () => {
    const many = await api.caller();
    const { createInspector } = await import('./inspector.js');
    const inspector = createInspector(api.test.kernel);
    const folder = await mkdtemp(join(tmpdir(), 'fh-inspection-'));
    const file = join(folder, 'drawing');
    await writeFile(file, heavyDrawing());
    const abort = new AbortController();
    const options = { workspaceId: many.workspace._id, signal: abort.signal };
    const outcomes = Array.from({ length: 150 }, () =>
      inspector.inspect({ kind: 'media', file, folder }, options).catch((error: unknown) => error),
    );
    const refused = outcomes.slice(101);
    for (const one of refused) {
      expect(await one).toMatchObject({ status: 429, details: { retryAfterSeconds: expect.any(Number) } });
    }
    abort.abort(new Error('left'));
    expect(new Set((await Promise.all(outcomes.slice(0, 101))).map((error) => (error as Error).message))).toEqual(
      new Set(['left']),
    );
    await rm(folder, { recursive: true });
  });

  async function inspectionFolders(): Promise<number> {
    const { readdir } = await import('node:fs/promises');
    const names = await readdir(join(api.test.kernel.config.dataDir, 'tmp')).catch(() => []);
    return names.filter((name) => name.startsWith('media-') || name.startsWith('upload-')).length;
  }

  /** Over a connection that breaks when the signal aborts, or after `bytes` of the body. Resolves when it has ended. */
  function sendRaw(
    path: string,
    bytes: Buffer,
    caller: TestCaller,
    signal: AbortSignal,
    cut?: number,
  ): Promise<string> {
    const boundary = 'figurehead-test-boundary';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.svg"\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
    return new Promise((resolve) => {
      const sent = request({
        host: '127.0.0.1',
        port,
        path: `/api/v1${path}`,
        method: 'POST',
        signal,
        headers: {
          authorization: `Bearer ${caller.token}`,
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'content-length': body.length,
        },
      });
      sent.on('error', () => resolve('broken'));
      sent.on('response', (answer) => {
        answer.resume();
        resolve(`answered ${answer.statusCode}`);
      });
      if (cut === undefined) sent.end(body);
      else sent.write(body.subarray(0, cut));
    });
  }
});
