import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Compositor } from '@figurehead/presenter';
import { asLoaded } from '@figurehead/presenter';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REST_POSE } from '../../../../tests/support/poses.js';
import { createCompositor, listPacks, listVariants, loadPack, packPlate } from './index.js';

const PACKS = fileURLToPath(new URL('../../../../presenters/packs/', import.meta.url));

describe('variants of a pack', () => {
  let pack: string;
  let compositor: Compositor;
  const write = async (name: string, content: object): Promise<string> => {
    const folder = join(pack, 'variants', name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'variant.json'), JSON.stringify(content));
    return folder;
  };
  beforeAll(async () => {
    pack = join(await mkdtemp(join(tmpdir(), 'variant-')), 'marcus');
    await cp(join(PACKS, 'marcus'), pack, { recursive: true });
    await rm(join(pack, 'variants'), { recursive: true, force: true });
    compositor = await createCompositor();
  });
  afterAll(async () => {
    compositor.close();
    await rm(join(pack, '..'), { recursive: true });
  });

  it('are part of every built-in pack with a body: at least a close-up and a wide one, and all of them load', async () => {
    const rendered = (await listPacks(PACKS)).filter((name) => existsSync(join(PACKS, name, 'body.json')));
    expect(rendered).toHaveLength(12);
    for (const name of rendered) {
      const variants = await listVariants(join(PACKS, name));
      const names = variants.map((variant) => variant.name);
      expect(names).toEqual(expect.arrayContaining(['closeup', 'wide']));
      const dressed = variants.find(({ base }) => base !== undefined);
      if (dressed === undefined) continue;
      expect((await loadPack(dressed.folder)).name).toBe(`${name}.${dressed.name}`);
    }
  });

  it('use clothes from their own plate and everything else from the pack', async () => {
    const folder = await write('red', { version: 1, title: 'Red', base: 'base.webp' });
    const red = {
      create: { width: 1440, height: 1080, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.99 } },
    } as const;
    await sharp(red).webp({ lossless: true }).toFile(join(folder, 'base.webp'));
    const [plain, variant] = [asLoaded(await loadPack(pack)), asLoaded(await loadPack(folder))];
    expect(variant.name).toBe('marcus.red');
    // BT.709 limited range of pure red.
    expect(variant.plate.y[0]).toBe(63);
    expect(variant.mouths[0]!.planes.y).toEqual(plain.mouths[0]!.planes.y);
    expect(await listVariants(pack)).toMatchObject([{ name: 'red', title: 'Red', folder }]);
    await rm(folder, { recursive: true });
  });

  it('frame the plate: a close-up fills the box with the head, a wide one leaves room around it', async () => {
    const area = async (folder: string): Promise<number> => {
      const frame = compositor.createFrame(320, 240);
      frame.y.fill(200);
      const placement = { x: 0, y: 0, width: 320, height: 240, crop: 'full' } as const;
      const placed = compositor.place(await loadPack(folder), placement, frame);
      placed.draw(REST_POSE, frame);
      placed.close();
      return frame.y.subarray(0, 120 * frame.yStride).filter((luma) => luma !== 200).length;
    };
    const marcus = join(PACKS, 'marcus');
    const whole = await area(marcus);
    expect(await area(join(marcus, 'variants/closeup'))).toBeGreaterThan(1.15 * whole);
    const afar = await write('afar', { version: 1, title: 'Afar', frame: [-245, -367, 1685, 1080] });
    expect(await area(afar)).toBeLessThan(0.6 * whole);
    const { width, height } = await sharp(await packPlate(afar)).metadata();
    await rm(afar, { recursive: true });
    expect(Math.abs(width / height - 4 / 3)).toBeLessThan(0.01);
  });

  it('are refused by a message that names the file, what was expected and what was found', async () => {
    const cases: [object, RegExp][] = [
      [{ version: 1, title: 'Nothing' }, /variant\.json: expected base, frame or framing, found none of them/],
      [{ version: 2, title: 'Later', base: 'base.webp' }, /version: expected 1, found 2/],
      [{ version: 1, title: 'Out', base: '../../base.webp' }, /base: expected a file name without a path/],
      [{ version: 1, title: 'Legs', framing: 'feet' }, /framing: expected head, bust or waist, found feet/],
      [{ version: 1, title: 'Thin', frame: [0, 0, 10, 900] }, /frame: expected at least 64×64 px, found 10×900/],
    ];
    for (const [content, message] of cases) {
      const folder = await write('wrong', content);
      await expect(loadPack(folder)).rejects.toThrow(message);
    }
    await rm(join(pack, 'variants/wrong'), { recursive: true });
    await write('Bad Name', { version: 1, title: 'Bad', frame: [0, 0, 900, 900] });
    await expect(listVariants(pack)).rejects.toThrow(/expected names of small letters/);
  });
});
