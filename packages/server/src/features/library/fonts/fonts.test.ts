import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFonts } from '@figurehead/media';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wawoff2 from 'wawoff2';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../../tests/support/api.js';
import { download, latoFont, upload } from '../../../../../../tests/support/files.js';
import { recordCreations } from '../../workspaces/index.js';
import { fontFilesOf } from '../index.js';
import { inspectFont } from '../inspection/font-inspection.js';
import { RefusedFile } from '../inspection/refused-file.js';

/** Where a table of an sfnt font begins. */
const tableOf = (font: Buffer, tag: string) => font.readUInt32BE(font.indexOf(tag, 12, 'latin1') + 8);

describe('fonts', () => {
  let api: TestApi;
  let me: TestCaller;
  let ttf: Buffer;
  beforeAll(async () => {
    api = await openTestApi();
    me = await api.caller();
    ttf = Buffer.from(await wawoff2.decompress(await latoFont('woff2')));
  });
  afterAll(() => api.close());

  const post = (name: string, bytes: Uint8Array, fields: Record<string, string> = {}, caller = me) =>
    upload(api.http, { path: '/fonts', token: caller.token, file: { name, bytes }, fields });

  // Proves: D.library.4
  it('ttf, woff and woff2 are accepted with their family, style and weight', async () => {
    for (const [name, bytes, format] of [
      ['a.ttf', ttf, 'ttf'],
      ['a.woff', await latoFont('woff'), 'ttf'],
      ['wrong-name.txt', await latoFont('woff2'), 'woff2'],
    ] as const) {
      const { status, body } = await post(name, bytes);
      expect(status, JSON.stringify(body)).toBe(200);
      expect(body).toMatchObject({ name: 'Lato Regular', family: 'Lato', style: 'Regular', weight: 400, format });
      expect((await download(api.http, body.url)).bytes.length).toBe(body.size);
      expect((await me.call('GET', `/fonts/${body._id}`)).body).toMatchObject({ _id: body._id, family: 'Lato' });
    }
    expect((await me.call('GET', '/fonts?limit=2')).body).toMatchObject({ fonts: [{ format: 'woff2' }, {}], total: 3 });
  });

  it('a truncated font, a collection and other files are refused', async () => {
    const woff2 = await latoFont('woff2');
    const woff = await latoFont('woff');
    const pointing = Buffer.from(ttf);
    pointing.writeUInt32BE(0xfffffff0, 12 + 8);
    // Readable for fontkit, but not for the library that draws: no units per em.
    const unscaled = Buffer.from(ttf);
    unscaled.writeUInt16BE(0, tableOf(unscaled, 'head') + 18);
    const cases: [string, Uint8Array, RegExp][] = [
      ['unscaled.ttf', unscaled, /not a font that can be drawn/],
      ['empty.ttf', Buffer.alloc(0), /empty/],
      ['text.ttf', Buffer.from('no font at all, only text'), /another type/],
      ['half.ttf', ttf.subarray(0, ttf.length / 2), /truncated/],
      ['tail.ttf', ttf.subarray(0, ttf.length - 500), /truncated/],
      ['head.ttf', ttf.subarray(0, 60), /not complete/],
      ['pointing.ttf', pointing, /truncated/],
      ['half.woff', woff.subarray(0, woff.length / 2), /truncated/],
      ['half.woff2', woff2.subarray(0, woff2.length / 2), /damaged/],
      ['all.ttc', Buffer.from('ttcf\0\x01\0\0\0\0\0\x01'), /collection/],
    ];
    const { dataDir } = api.test.kernel.config;
    for (const [name, bytes, message] of cases) {
      const file = join(dataDir, name);
      await writeFile(file, bytes);
      const inspected = inspectFont({ file, out: join(dataDir, 'out') });
      await expect(inspected, name).rejects.toThrow(message);
      await expect(inspected, name).rejects.toThrow(RefusedFile);
    }
    const answer = await post('half.ttf', ttf.subarray(0, ttf.length / 2));
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('truncated'), errors: [{ field: 'file' }] },
    });
  });

  it('any random bytes are refused without other errors', async () => {
    const file = join(api.test.kernel.config.dataDir, 'fuzzed');
    const out = join(api.test.kernel.config.dataDir, 'out');
    const spot = fc.record({ at: fc.nat(ttf.length - 1), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(spot, { minLength: 1, maxLength: 12 }), fc.nat(ttf.length), async (spots, length) => {
        const font = Buffer.from(ttf);
        // Damage near the start affects the table directory, where it is most harmful.
        for (const { at, byte } of spots) font[at % 400] = byte;
        await writeFile(file, length % 3 === 0 ? font.subarray(0, length) : font);
        await inspectFont({ file, out }).catch((error: unknown) => expect(error).toBeInstanceOf(RefusedFile));
      }),
      { numRuns: 60 },
    );
  });

  // Proves: D.library.4
  it('renders use the workspace’s own fonts, by family and by given name, until they are deleted', async () => {
    const own = await api.caller();
    const { body } = await post('a.woff2', await latoFont('woff2'), { name: 'Corporate' }, own);
    const files = await fontFilesOf(api.test.kernel, own.workspace._id);
    expect(files.map(({ family }) => family)).toEqual(['Lato', 'Corporate']);
    expect(await readFile(files[0]?.file ?? '')).toEqual(await latoFont('woff2'));
    const fonts = await openFonts(files);
    expect([fonts.has('Corporate'), fonts.familiesFor('corporate', 'Hi', null)]).toEqual([
      true,
      expect.stringMatching(/^"fh custom/),
    ]);
    const { body: renamed } = await own.call('PATCH', `/fonts/${body._id}`, { name: 'House', family: 'x' });
    expect(renamed).toMatchObject({ name: 'House', family: 'Lato' });

    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      expect((await me.call(method, `/fonts/${body._id}`, method === 'PATCH' ? {} : undefined)).status).toBe(403);
    }
    expect((await own.call('DELETE', `/fonts/${body._id}`)).body).toEqual({ _id: body._id, deleted: true });
    expect((await own.call('GET', `/fonts/${body._id}`)).status).toBe(404);
    expect(await fontFilesOf(api.test.kernel, own.workspace._id)).toEqual([]);
    expect(String((await download(api.http, body.url)).bytes)).toContain('no longer exists');
  });

  // Proves: 8.2.6
  it('the quota on fonts is exact', async () => {
    const free = await api.caller({ plan: 'Free', status: 'free' });
    const { kernel } = api.test;
    const creations = { workspaceId: free.workspace._id, entity: 'fonts', count: 8 } as const;
    await kernel.transaction((tx) => recordCreations(kernel, tx, creations));
    const bytes = await latoFont('woff2');
    const answers = await Promise.all(Array.from({ length: 4 }, () => post('a.woff2', bytes, {}, free)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ message: expect.stringMatching(/^10 fonts created in the last 8 hours/) });
  });
});
