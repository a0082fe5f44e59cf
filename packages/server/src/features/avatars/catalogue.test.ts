import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../kernel/config/config.js';
import { type Avatars, BUILT_IN_PACKS, createPresenters } from './catalogue.js';

describe('the catalogue of presenters', () => {
  let folder: string;
  let avatars: Avatars;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
    await cp(join(BUILT_IN_PACKS, 'lucia'), join(folder, 'packs/zoe'), { recursive: true });
    const config = {
      dataDir: join(folder, 'data'),
      presentersDir: join(folder, 'packs'),
      aliases: { voices: {}, avatars: { vadim: 'marcus.closeup' } },
      url: 'http://localhost:8080',
    };
    avatars = createPresenters({ config: config as unknown as Config });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('lists every presenter with its variants, each with its own pictures', async () => {
    const ava = (await avatars.list('w')).find(({ code }) => code === 'ava');
    expect(ava).toMatchObject({ type: 'presenter', gender: 'female', realtime: true });
    expect(ava?.variants).toContainEqual({
      code: 'ava.closeup',
      name: 'Close-up',
      thumbnail: 'http://localhost:8080/presenters/ava.closeup/thumbnail.webp',
      canvas: 'http://localhost:8080/presenters/ava.closeup/canvas.webp',
    });
  });

  it('is there as soon as the operator has mended a pack that could not be read', async () => {
    const packs = join(folder, 'mended');
    await cp(join(BUILT_IN_PACKS, 'lucia'), join(packs, 'zoe'), { recursive: true });
    const manifest = join(packs, 'zoe', 'manifest.json');
    const whole = await readFile(manifest);
    await writeFile(manifest, whole.subarray(0, 10));
    const config = { dataDir: join(folder, 'data'), presentersDir: packs, url: 'http://localhost:8080' };
    const own = createPresenters({ config: config as unknown as Config });
    await expect(own.list('w')).rejects.toThrow();
    await writeFile(manifest, whole);
    expect((await own.list('w')).map(({ code }) => code)).toContain('zoe');
  });

  it('lists the presenters made from photographs first, then the rendered ones, then custom ones', async () => {
    const codes = (await avatars.list('w')).map(({ code }) => code);
    expect(codes.slice(0, 3)).toEqual(['clara', 'daniel', 'zola']);
    expect(codes.indexOf('amara')).toBe(16);
    expect(codes.at(-1)).toBe('zoe');
  });

  it('offers only framings that a presenter can show', async () => {
    const listed = await avatars.list('w');
    const framings = (code: string) => listed.find((avatar) => avatar.code === code)?.framings;
    expect(framings('ava')).toEqual(['head', 'bust', 'waist']);
    expect(framings('clara')).toEqual(['head', 'bust']);
    expect(framings('lucia')).toEqual([]);
    expect(framings('zoe')).toEqual([]);
  });

  it('resolves a variant to its own source, also by alias, and refuses an unknown one', async () => {
    const [plain, close] = [await avatars.resolve('w', 'marcus'), await avatars.resolve('w', 'marcus.closeup')];
    expect(close.version).not.toBe(plain.version);
    expect(await avatars.resolve('w', 'vadim')).toEqual(close);
    for (const code of ['marcus.nobody', 'nobody.closeup', 'marcus.closeup.twice', 'marcus.', '']) {
      await expect(avatars.resolve('w', code)).rejects.toThrow(/There is no avatar/);
    }
  });

  it('shows a close-up larger than the whole plate, both with transparency', async () => {
    const size = async (code: string) => sharp(await avatars.picture(code, 'canvas')).metadata();
    const [whole, close, wide] = [await size('ava'), await size('ava.closeup'), await size('ava.wide')];
    expect(whole).toMatchObject({ width: 1440, height: 1080, hasAlpha: true });
    expect(close.width).toBeLessThan(1200);
    expect(wide.width).toBeGreaterThan(1800);
    expect(wide.hasAlpha).toBe(true);
    expect(await avatars.picture('leo.nobody', 'canvas')).toBeUndefined();
  });

  it('gives viewers the built-in packs, and custom ones whose manifest says so', async () => {
    const presentersDir = join(folder, 'own');
    for (const [name, said] of [
      ['asked', { drawnByViewers: true }],
      ['private', {}],
    ] as const) {
      const pack = join(presentersDir, name);
      await cp(join(BUILT_IN_PACKS, 'marcus'), pack, { recursive: true });
      const manifest = JSON.parse(await readFile(join(pack, 'manifest.json'), 'utf8'));
      await writeFile(join(pack, 'manifest.json'), JSON.stringify({ ...manifest, name, ...said }));
    }
    const config = { dataDir: join(folder, 'data'), presentersDir, aliases: { avatars: {} }, url: 'http://localhost' };
    const own = createPresenters({ config: config as unknown as Config });
    const link = (code: string) => own.viewerPackLink('w', code, 'half');
    expect(await link('ava.closeup')).toMatch(/^http:\/\/localhost\/presenters\/ava\.closeup\/half\.pack\.gz\?v=\w+$/);
    expect(await link('asked')).toMatch(/asked/);
    for (const code of ['private', 'private.closeup', 'nobody']) {
      expect(await link(code)).toBeUndefined();
      expect(await own.viewerPack(code, 'half')).toBeUndefined();
    }
  });
});
