import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asLoaded, PackError } from '@figurehead/presenter';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listPacks, loadPack } from './index.js';

const PACKS = fileURLToPath(new URL('../../../../presenters/packs/', import.meta.url));

describe('loadPack', () => {
  it('reads every built-in pack', async () => {
    for (const name of await listPacks(PACKS)) {
      const pack = await loadPack(join(PACKS, name));
      expect(pack.name).toBe(name);
      // A portrait that keeps its background is its own plate.
      if (asLoaded(pack).ground === undefined) expect(pack).toMatchObject({ width: 1440, height: 1080 });
    }
  });

  it('keeps all pixels in shared memory, so that a clone for another thread copies nothing', async () => {
    const pack = asLoaded(await loadPack(join(PACKS, 'leo')));
    const clone = asLoaded(structuredClone(pack));
    const views = [pack.plate.y, pack.plate.a, pack.depth.data, pack.eyeMask, pack.flow, pack.mouths[3]!.planes.u];
    for (const view of views) expect(view.buffer).toBeInstanceOf(SharedArrayBuffer);
    const before = clone.plate.y[0]!;
    pack.plate.y[0] = before ^ 1;
    expect(clone.plate.y[0]).toBe(before ^ 1);
  });

  it('treats pixels as opaque that the format defines as fully opaque', async () => {
    const { plate } = asLoaded(await loadPack(join(PACKS, 'nora')));
    expect(plate.a.some((alpha) => alpha >= 250 && alpha < 255)).toBe(false);
    expect(plate.a.some((alpha) => alpha > 0 && alpha < 250)).toBe(true);
  });
});

describe('a broken pack is refused by a message that names the file, what was expected and what was found', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pack-'));
    await cp(join(PACKS, 'marcus'), dir, { recursive: true });
  });
  afterEach(() => rm(dir, { recursive: true }));

  async function refusal(): Promise<string> {
    const error: unknown = await loadPack(dir).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PackError);
    return error instanceof PackError ? error.message : '';
  }

  async function edit(change: (manifest: Record<string, never>) => void): Promise<void> {
    const file = join(dir, 'manifest.json');
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    change(manifest);
    await writeFile(file, JSON.stringify(manifest));
  }

  it('without a manifest', async () => {
    await rm(join(dir, 'manifest.json'));
    expect(await refusal()).toMatch(/manifest\.json: expected a readable file, found ENOENT/);
  });

  it('with a manifest that is not JSON', async () => {
    await writeFile(join(dir, 'manifest.json'), '{"version":');
    expect(await refusal()).toMatch(/manifest\.json: expected JSON/);
  });

  it('of another version', async () => {
    await edit((manifest) => Object.assign(manifest, { version: 2 }));
    expect(await refusal()).toMatch(/manifest\.json: version: expected 1, found 2/);
  });

  it('with a field that is missing or out of range', async () => {
    await edit((manifest) => Object.assign(manifest.head!, { chinY: 'low' }));
    expect(await refusal()).toMatch(/head\.chinY: expected a number from 0 to 1080, found "low"/);
    await edit((manifest) => Object.assign(manifest, { head: null }));
    expect(await refusal()).toMatch(/head: expected an object, found null/);
  });

  it('with a box outside the plate', async () => {
    await edit((manifest) => Object.assign(manifest.mouth!, { box: [577, 512, 1862, 792] }));
    expect(await refusal()).toMatch(/mouth\.box\[2\]: expected a number from 585 to 1440, found 1862/);
  });

  it('that names a file outside its folder', async () => {
    await edit((manifest) => Object.assign(manifest, { base: '../../secret.webp' }));
    expect(await refusal()).toMatch(/base: expected a file name without a path, found "..\/..\/secret.webp"/);
  });

  it('with a missing mouth of the grid', async () => {
    await edit((manifest) => {
      const mouth: { patches: { id: string }[] } = manifest.mouth!;
      mouth.patches[9] = { ...mouth.patches[9]!, id: 'other' };
    });
    expect(await refusal()).toMatch(/mouth\.patches: expected a patch g21, found none/);
  });

  it('with a picture of another size', async () => {
    const small = await sharp(join(dir, 'm_PP.webp')).resize(100, 90).webp().toBuffer();
    await writeFile(join(dir, 'm_PP.webp'), small);
    expect(await refusal()).toMatch(/m_PP\.webp: expected 285×280 px with 3 channels, found 100×90 px with 3 channels/);
  });

  it('with a plate that has no transparency', async () => {
    const opaque = await sharp(join(dir, 'base.webp')).removeAlpha().webp().toBuffer();
    await writeFile(join(dir, 'base.webp'), opaque);
    expect(await refusal()).toMatch(
      /base\.webp: expected 1440×1080 px with 4 channels, found 1440×1080 px with 3 channels/,
    );
  });

  it('with a picture that is cut short', async () => {
    const whole = await readFile(join(dir, 'lid2.webp'));
    const { width, height } = await sharp(whole).metadata();
    await writeFile(join(dir, 'lid2.webp'), whole.subarray(0, 900));
    expect(await refusal()).toContain(`lid2.webp: expected a picture of ${width}×${height} px, found`);
  });

  it('with motion fields of the wrong length or that leave the mouth', async () => {
    const flow = await readFile(join(dir, 'flow.i16'));
    await writeFile(join(dir, 'flow.i16'), flow.subarray(2));
    expect(await refusal()).toMatch(/flow\.i16: expected 138528 bytes, found 138526/);
    flow.writeInt16LE(32_000, 40);
    await writeFile(join(dir, 'flow.i16'), flow);
    expect(await refusal()).toMatch(/flow\.i16: expected motion within ±280 px, found 2000 at entry 20/);
  });
});
