import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asLoaded } from '@figurehead/presenter';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPack, packPlate } from '../presenter/index.js';
import { detectFaces } from './detector.js';
import { separate } from './ground.js';
import { makePhotoPack, readPortrait } from './index.js';
import { cutOutPerson } from './matte.js';
import { openNetworks } from './networks.js';
import type { Picture } from './picture.js';
import { decodePortrait } from './portrait-file.js';
import { type FaceMesh, readMesh } from './shaping/mesh.js';
import { areLipsParted, closeLips } from './shaping/parted-lips.js';

const PACKS = fileURLToPath(new URL('../../../../presenters/packs/', import.meta.url));
const [WIDTH, HEIGHT] = [1440, 1080];

/** A busy background: leaves of many greens and browns; the same ones at every call. */
function leaves(): string {
  let state = 7;
  const random = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
  const shapes = Array.from({ length: 2600 }, () => {
    const [x, y, turn] = [random() * WIDTH, random() * HEIGHT, random() * 180];
    const [long, wide, green] = [8 + random() * 30, 3 + random() * 9, 40 + random() * 130];
    const red = green * (0.4 + 0.4 * random());
    return `<ellipse rx="${long}" ry="${wide}" transform="translate(${x} ${y}) rotate(${turn})" fill="rgb(${Math.round(red)},${Math.round(green)},${Math.round(green * 0.35)})"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="#283c1e"/>${shapes.join('')}</svg>`;
}

/** A built-in presenter as a photograph in front of leaves, losslessly. */
async function photograph(name: string): Promise<Buffer> {
  return sharp(Buffer.from(leaves()))
    .flatten()
    .composite([{ input: join(PACKS, name, 'base.webp') }])
    .png({ compressionLevel: 1 })
    .toBuffer();
}

interface Look {
  readonly seen: Picture;
  readonly mesh: FaceMesh;
}

async function look(bytes: Buffer): Promise<Look> {
  const networks = await openNetworks();
  const { seen } = await decodePortrait(bytes);
  const [face] = detectFaces(networks.detector, seen).sort((a, b) => b.size - a.size);
  return { seen, mesh: readMesh(networks, seen, face!) };
}

async function cutOut({ seen, mesh }: Look): Promise<Picture> {
  return cutOutPerson(seen, mesh, await (await openNetworks()).segmenter());
}

describe("a portrait's surroundings", () => {
  let parent: string;
  let ava: Buffer;
  let avaSeen: Look;
  let avaCutOut: Picture;
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'surroundings-'));
    ava = await photograph('ava');
    avaSeen = await look(ava);
    avaCutOut = await cutOut(avaSeen);
  });
  afterAll(() => rm(parent, { recursive: true, force: true }));

  const donors = [join(PACKS, 'mei')];
  const make = async (bytes: Buffer, name: string, background?: 'removed' | 'original') => {
    const folder = join(parent, name);
    const made = await makePhotoPack(bytes, { folder, name, donors, ...(background && { background }) });
    return { folder, ...made };
  };

  it('stay as they are when asked: at rest the presenter shows the photograph', async () => {
    const { folder, background } = await make(ava, 'kept', 'original');
    expect(background).toBe('original');
    const pack = asLoaded(await loadPack(folder));
    expect([pack.width, pack.height]).toEqual([pack.ground?.width, pack.ground?.height]);
    // Opaque for editors, and as wide as the photograph was.
    const { channels, width, height } = await sharp(await packPlate(folder)).metadata();
    expect(channels).toBe(3);
    expect(width! / height!).toBeCloseTo(WIDTH / HEIGHT, 1);

    const { seen } = avaSeen;
    const { moving, still } = separate(seen, avaCutOut);
    let [largest, moved] = [0, 0];
    for (let i = 0; i < moving.data.length; i += 4) {
      const alpha = moving.data[i + 3]! / 255;
      if (alpha === 1) moved++;
      for (let c = i; c < i + 3; c++) {
        const shown = alpha * moving.data[c]! + (1 - alpha) * still.data[c]!;
        largest = Math.max(largest, Math.abs(shown - seen.data[c]!));
      }
    }
    expect(largest).toBeLessThanOrEqual(1);
    expect(moved / (WIDTH * HEIGHT)).toBeLessThan(0.6);
  });

  it('are removed unless an edge of the picture cuts the head, which would end flat in the middle of a slide', async () => {
    const cut = await sharp(ava).extract({ left: 300, top: 190, width: 840, height: 890 }).png().toBuffer();
    expect(await make(ava, 'whole')).toMatchObject({ background: 'removed' });
    expect(await make(cut, 'cut')).toMatchObject({ background: 'original' });
    expect(await make(cut, 'as asked', 'removed')).toMatchObject({ background: 'removed' });
    expect(asLoaded(await loadPack(join(parent, 'as asked'))).ground).toBeUndefined();
  });

  it.each([
    // Before opacities were estimated from colours: 10 483 and 7092.
    ['ava', 7000],
    ['leo', 4500],
  ])('do not stay in the hair of %s on a busy ground: the known outline is found', async (name, most) => {
    const cut = name === 'ava' ? avaCutOut : await cutOut(await look(await photograph(name)));
    const known = await sharp(join(PACKS, name, 'base.webp'))
      .raw()
      .toBuffer();
    let wrong = 0;
    for (let i = 3; i < known.length; i += 4) wrong += Math.abs(known[i]! - cut.data[i]!) / 255;
    // Px, counted by how wrong their opacity is.
    expect(wrong).toBeLessThan(most);
  });

  it.each([
    ['slight', 0.06],
    ['broad', 0.12],
  ])('a %s smile is accepted and closed, with the dark beside its teeth', async (_, height) => {
    const { mesh } = avaSeen;
    const [left, right, upper, lower] = [78, 308, 13, 14].map((i) => mesh.points[i]!) as [Point, Point, Point, Point];
    const [x, y, wide] = [(left.x + right.x) / 2, (upper.y + lower.y) / 2, right.x - left.x];
    const ellipse = (rx: number, ry: number, fill: string) =>
      `<ellipse cx="${x}" cy="${y + (height - 0.06) * wide}" rx="${rx * wide}" ry="${ry * wide}" fill="${fill}"/>`;
    const drawn = ellipse(0.54, height, '#200804') + ellipse(0.42, height, '#e9e2d6');
    const smiling = await sharp(ava)
      .composite([{ input: Buffer.from(`<svg width="${WIDTH}" height="${HEIGHT}">${drawn}</svg>`) }])
      .png({ compressionLevel: 1 })
      .toBuffer();
    expect(areLipsParted(avaSeen.seen, mesh)).toBe(false);
    expect((await readPortrait(smiling)).problems).toEqual([]);
    const before = await look(smiling);
    expect(areLipsParted(before.seen, before.mesh)).toBe(true);
    const closed = closeLips(before.seen, before.mesh);
    expect(areLipsParted(closed.picture, closed.mesh)).toBe(false);
    expect(paintedPx(before)).toBeGreaterThan(1000);
    expect(paintedPx({ seen: closed.picture, mesh: closed.mesh })).toBeLessThan(100);
  });

  it('closed lips of which the lower one is pale are not taken for a smile', async () => {
    const { mesh } = avaSeen;
    const [left, right, lower] = [78, 308, 14].map((i) => mesh.points[i]!) as [Point, Point, Point];
    const [x, wide] = [(left.x + right.x) / 2, right.x - left.x];
    const pale = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><ellipse cx="${x}" cy="${lower.y + 0.08 * wide}" rx="${0.4 * wide}" ry="${0.07 * wide}" fill="#d8c0b4"/></svg>`;
    const lips = await sharp(ava)
      .composite([{ input: Buffer.from(pale) }])
      .png({ compressionLevel: 1 })
      .toBuffer();
    expect(areLipsParted(...(Object.values(await look(lips)) as [Picture, FaceMesh]))).toBe(false);
  });
});

/** How many px around the mouth have the colours of the painted teeth or of the dark beside them. */
function paintedPx({ seen, mesh }: { seen: Picture; mesh: FaceMesh }): number {
  const [left, right, upper] = [61, 291, 13].map((i) => mesh.points[i]!) as [Point, Point, Point];
  const reach = 0.4 * (right.x - left.x);
  let painted = 0;
  for (let y = Math.round(upper.y - reach); y < upper.y + reach; y++) {
    for (let x = Math.round(left.x); x < right.x; x++) {
      const [red, green] = [0, 1].map((c) => seen.data[(y * seen.width + x) * 4 + c]!) as [number, number];
      if ((red > 200 && red - green < 15) || (red < 50 && green < 25)) painted++;
    }
  }
  return painted;
}

type Point = FaceMesh['points'][number];
