import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';
import { createPreviewPool } from './preview-pool.js';

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

  it('is a WebP of the slide, no larger than a screen shows', async () => {
    const answer = await preview();
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/webp']);
    const { data, info } = await pixelsOf(answer);
    expect([info.width, info.height]).toEqual([1280, 720]);
    // The background, within what WebP and limited range round.
    expect([...data.subarray(0, 3)].map((value, index) => Math.abs(value - [0x20, 0x40, 0x60][index]!) < 5)).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('shows the slide as the editor has it, not as it is stored, and stores nothing', async () => {
    const stored = await pixelsOf(await preview());
    const edited = await pixelsOf(await preview('', { slide: slide('Edited'), data: { resolution: '720p' } }));
    expect(Buffer.compare(stored.data, edited.data)).not.toBe(0);
    const portrait = await pixelsOf(await preview('', { data: { format: '9_16' } }));
    expect([portrait.info.width, portrait.info.height]).toEqual([720, 1280]);
    const { body } = await owner.call('GET', `/videos/${videoId}`);
    expect(body.slides[0].canvas.objects[0].text).toBe('Stored');
  });

  it('moves with the speech at the second that is asked for, and stops at the end', async () => {
    const [early, late, end, beyond] = await Promise.all(
      ['?at=0.6', '?at=1.4', '?at=900', '?at=3600'].map(async (query) => (await pixelsOf(await preview(query))).data),
    );
    expect(Buffer.compare(early!, late!)).not.toBe(0);
    expect(Buffer.compare(end!, beyond!)).toBe(0);
  });

  it('names what is wrong with the slide', async () => {
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

describe('the processes that paint', () => {
  const assets = { picture: async () => new Uint8Array(), file: async () => '' };
  const order = { source: { slides: [{ id: 1, duration: 1 }], data: {} }, slide: 0, seconds: 0, speeches: [null] };
  const empty = { ...order, fonts: [], packs: {} };
  const never = new AbortController().signal;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'previews-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const program = async (text: string): Promise<string> => {
    const path = join(folder, `${(await readdir(folder)).length}.cjs`);
    await writeFile(path, text);
    return path;
  };

  it('replaces one that crashes, and gives an order up that crashes two', async () => {
    const crash = await program(`process.on('message', () => process.kill(process.pid, 'SIGSEGV'))`);
    const pool = createPreviewPool({}, crash);
    await expect(pool.paint(empty, assets, never)).rejects.toThrow('crashes');
    expect(pool.pids()).toEqual([]);
    await pool.close();
  });

  it('kills one that does not come to an end', async () => {
    const hang = await program(`process.on('message', () => { for (;;); })`);
    const pool = createPreviewPool({ orderMs: 150 }, hang);
    const began = performance.now();
    await expect(pool.paint(empty, assets, never)).rejects.toThrow('too long');
    expect(performance.now() - began).toBeLessThan(3000);
    await pool.close();
  });

  it('lets only so many wait, and one that has gone wait no more', async () => {
    const hang = await program(`process.on('message', () => undefined)`);
    const pool = createPreviewPool({ processes: 1, waiting: 1 }, hang);
    const abort = new AbortController();
    const first = pool.paint(empty, assets, never).catch((error: unknown) => error);
    const second = pool.paint(empty, assets, abort.signal).catch((error: unknown) => error);
    await expect(pool.paint(empty, assets, never)).rejects.toMatchObject({ status: 429 });
    abort.abort(new Error('the client went away'));
    expect(await second).toMatchObject({ message: 'the client went away' });
    await pool.close();
    expect(await first).toMatchObject({ message: 'the server is stopping' });
    expect(pool.pids()).toEqual([]);
  });

  it('take less than 300 ms of a processor for a frame when they are warm', async () => {
    const pool = createPreviewPool({ processes: 1 });
    const folder = fileURLToPath(new URL('../../../../../presenters/packs/ava', import.meta.url));
    const take = (title: string, seconds: number) =>
      pool.paint(
        {
          ...empty,
          source: { slides: [{ ...slide(title), duration: 5 }], data: { resolution: '1080p' } },
          seconds,
          packs: { ava: { folder, version: '1' } },
        },
        assets,
        never,
      );
    await take('Warm', 0);
    const before = await cpuMs(pool.pids()[0]);
    const takes = 8;
    for (let index = 0; index < takes; index++) await take(`Take ${index}`, index / 4);
    // By its own clock: what else runs on the machine must not decide. `npm run bench:preview` measures what a caller waits.
    expect(((await cpuMs(pool.pids()[0])) - before) / takes).toBeLessThan(300);
    await pool.close();
  });

  it('ends one that nobody asks any more', async () => {
    const pool = createPreviewPool({ idleMs: 100 });
    await pool.paint(empty, assets, never);
    const [pid] = pool.pids();
    expect(pid).toBeDefined();
    await expect.poll(() => pool.pids(), { timeout: 3000 }).toEqual([]);
    await pool.close();
  });
});

/** Processor time that a process has used (proc_pid_stat(5), fields 14 and 15, in hundredths of a second). */
async function cpuMs(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
