import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asLoaded, PackError, readManifest } from '@figurehead/presenter';
import sharp, { type OverlayOptions } from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mouthWeights } from '../../../presenter/src/pack/weights.js';
import { folderFiles } from '../presenter/folders.js';
import { loadPack } from '../presenter/index.js';
import { createSpeech } from '../speech/index.js';
import { facePointsOf, moveMesh } from './face-points.js';
import { makePhotoPack, PortraitRefused, readPortrait } from './index.js';
import { judgeFaces } from './judgement.js';
import { openNetworks } from './networks.js';
import { decodePortrait } from './portrait-file.js';
import { CHIN, type FaceMesh, mapMesh, readMesh } from './shaping/mesh.js';
import { areLipsParted } from './shaping/parted-lips.js';

const PACKS = fileURLToPath(new URL('../../../../presenters/packs/', import.meta.url));
const BENCH = new URL('../../../../bench/lipsync/', import.meta.url).href;

/** What the tests use of bench/lipsync, which is JavaScript. */
interface Bench {
  readonly standFor: (name: string) => Promise<object>;
  readonly sequence: (utterances: readonly object[]) => { sounds: readonly object[] };
  readonly renderFace: (stand: object, options: object) => Promise<void>;
  readonly observe: (file: string, places: object) => Promise<object>;
  readonly closures: (seen: object) => { all: number; recall: number };
}

async function openBench(): Promise<Bench> {
  const parts = await Promise.all(['stage', 'observe', 'figures'].map((name) => import(`${BENCH}${name}.js`)));
  return Object.assign({}, ...parts) as Bench;
}

/** A person in front of a wall, with optional overlays. */
async function photograph(name: string, over: OverlayOptions[] = []): Promise<Buffer> {
  const wall = sharp(join(PACKS, name, 'base.webp')).flatten({ background: '#9fb0b8' });
  return sharp(await wall.png({ compressionLevel: 0 }).toBuffer())
    .composite(over)
    .jpeg({ quality: 90 })
    .toBuffer();
}

const manifestOf = (folder: string) => readManifest(folderFiles(folder));

const drawing = (inside: string) => ({
  input: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="1440" height="1080">${inside}</svg>`),
});

describe('a portrait', () => {
  it('shows the points of a known face within a few px', async () => {
    const { eye } = await manifestOf(join(PACKS, 'ava'));
    const { width, height, points, problems } = await readPortrait(await photograph('ava'));
    expect({ width, height, problems }).toEqual({ width: 1440, height: 1080, problems: [] });
    const at = (name: string) => {
      const { x, y } = points.find((point) => point.name === name)!;
      return { x: x * width, y: y * height };
    };
    // The corners of each eye are on both sides of its iris, level with it.
    const irises = eye.eyes.map(({ x, y }) => ({ x: x + eye.box[0], y: y + eye.box[1] })).sort((a, b) => a.x - b.x);
    for (const [iris, outer, inner] of [
      [irises[0]!, 'leftEyeOuter', 'leftEyeInner'],
      [irises[1]!, 'rightEyeOuter', 'rightEyeInner'],
    ] as const) {
      expect(Math.abs((at(outer).x + at(inner).x) / 2 - iris.x)).toBeLessThan(6);
      expect(Math.abs((at(outer).y + at(inner).y) / 2 - iris.y)).toBeLessThan(8);
    }
    // The head is in the middle of its plate and symmetrical.
    for (const name of ['noseTip', 'mouthTop', 'mouthBottom', 'chin']) {
      expect(Math.abs(at(name).x - width / 2)).toBeLessThan(6);
    }
    expect(Math.abs((at('mouthLeft').x + at('mouthRight').x) / 2 - width / 2)).toBeLessThan(6);
  });

  it('the irises within 3 px', async () => {
    const { seen } = await decodePortrait(await photograph('mei'));
    const { eye } = await manifestOf(join(PACKS, 'mei'));
    const mesh = await meshOf(seen);
    const known = eye.eyes.map(({ x, y }) => ({ x: x + eye.box[0], y: y + eye.box[1] })).sort((a, b) => a.x - b.x);
    mesh.irises.forEach((iris, i) => {
      expect(Math.hypot(iris.x - known[i]!.x, iris.y - known[i]!.y)).toBeLessThan(3);
    });
  });

  it.each([
    ['an empty wall', async () => flat('#9fb0b8'), 'There is no face'],
    ['two people', async () => twoPeople(), '2 faces'],
    [
      'a person far away',
      async () =>
        sharp(await photograph('mei'))
          .resize(400)
          .png()
          .toBuffer(),
      'too small',
    ],
    ['an open mouth', async () => photograph('ava', [await mouth('ava', 'g32')]), 'The mouth is open'],
    ['a mouth of surprise', async () => photograph('ava', [await mouth('ava', 'g11')]), 'The mouth is open'],
    [
      'a blurred face',
      async () =>
        sharp(await photograph('ava'))
          .blur(4)
          .png()
          .toBuffer(),
      'The face is blurred',
    ],
    [
      'a hand over the mouth',
      async () => photograph('ava', [drawing('<ellipse cx="720" cy="640" rx="150" ry="75" fill="#d9a184"/>')]),
      'Something covers the mouth',
    ],
    [
      'hair over half of the mouth',
      async () => photograph('ava', [drawing('<path d="M590 420 L700 420 L735 760 L600 760 Z" fill="#2a1a12"/>')]),
      'Something covers the mouth',
    ],
    [
      'a picture that ends at the chin',
      async () =>
        sharp(await photograph('ava'))
          .extract({ left: 300, top: 0, width: 840, height: 730 })
          .png()
          .toBuffer(),
      'ends at the chin',
    ],
  ])('%s is reported as a problem', async (_what, picture, sentence) => {
    const { problems } = await readPortrait(await picture());
    expect(problems.join(' ')).toContain(sentence);
  });

  it('hair over a cheek does not count as hair over the mouth', async () => {
    const lock = drawing('<rect x="815" y="440" width="85" height="126" fill="#2a1a12"/>');
    expect((await readPortrait(await photograph('ava', [lock]))).problems).toEqual([]);
  });

  it('two front teeth between lips that meet beside them are seen', async () => {
    const teeth = drawing('<rect x="696" y="603" width="50" height="9" rx="3" fill="#e6dccb"/>');
    for (const [over, isParted] of [
      [[], false],
      [[teeth], true],
    ] as const) {
      const { seen } = await decodePortrait(await photograph('ava', [...over]));
      expect(areLipsParted(seen, await meshOf(seen))).toBe(isParted);
    }
  });

  it('a face that is turned, tilted or looks down too far is a problem', async () => {
    const { seen } = await decodePortrait(await photograph('ava'));
    const mesh = await meshOf(seen);
    const face = [{ centre: mesh.points[1]!, size: 300, leftEye: mesh.irises[0], rightEye: mesh.irises[1], score: 1 }];
    const judge = (turned: FaceMesh) => judgeFaces(face, turned, { picture: seen, isPutRight: false }).join(' ');
    expect(judge(mesh)).toBe('');
    expect(judge(rotated(mesh, 'yaw', 14))).toBe('');
    expect(judge(rotated(mesh, 'yaw', 28))).toMatch(/turned 2\d° to the side/);
    expect(judge(rotated(mesh, 'yaw', -28))).toMatch(/turned 2\d° to the side/);
    expect(judge(rotated(mesh, 'pitch', 34))).toContain('looks too far down');
    expect(judge(rotated(mesh, 'roll', 26))).toContain('tilted');
  });

  it('points that a user has corrected move what is near them, and must make a face', async () => {
    const { seen } = await decodePortrait(await photograph('mei'));
    const mesh = await meshOf(seen);
    const points = facePointsOf(mesh, seen);
    const lowered = points.map((point) => (point.name === 'chin' ? { ...point, y: point.y + 0.02 } : point));
    const moved = moveMesh(mesh, lowered, seen);
    const drop = (i: number) => moved.points[i]!.y - mesh.points[i]!.y;
    expect(drop(CHIN)).toBeCloseTo(0.02 * seen.height, 1);
    expect(drop(175)).toBeGreaterThan(10);
    expect(Math.abs(drop(33))).toBeLessThan(0.1);
    const mixed = points.map((point, i) => ({ ...point, x: points[points.length - 1 - i]!.x }));
    expect(() => moveMesh(mesh, mixed, seen)).toThrow('do not make a face');
    expect(() => moveMesh(mesh, points.slice(1), seen)).toThrow('The point leftEyeOuter is missing.');
  });

  it.each([
    ['a text', async () => Buffer.from('hello'), 'not a picture'],
    ['a drawing', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"/>'), 'PNG'],
    [
      'a thumbnail',
      async () =>
        sharp(await flat('#777777'))
          .resize(100)
          .png()
          .toBuffer(),
      'too small',
    ],
    ['a truncated picture', async () => (await photograph('ava')).subarray(0, 30_000), 'damaged or cut off'],
    ['a picture with too many px', async () => huge(), '49 megapixels'],
  ])('%s is refused', async (_what, bytes, sentence) => {
    const refusal = await readPortrait(await bytes()).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(PortraitRefused);
    expect((refusal as Error).message).toContain(sentence);
  });
});

describe('a presenter made from a portrait', () => {
  let folder: string;
  const donors = [join(PACKS, 'mei')];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'photo-'));
    await makePhotoPack(await photograph('ava'), { folder, name: 'photo', donors });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is a pack like the built-in ones: eyes in place, the person cut out, the resting plate is the portrait', async () => {
    const pack = asLoaded(await loadPack(folder));
    const donor = await manifestOf(join(PACKS, 'mei'));
    expect(pack).toMatchObject({ name: 'photo', width: 1440, height: 1080 });
    expect(pack.mouths).toHaveLength(donor.mouth.patches.length);
    expect(mouthWeights({ open: 1, width: 0, consonants: {}, smile: 0 }, pack.manifest.mouth)).toHaveLength(1);
    const clear = pack.plate.a.reduce((sum, alpha) => sum + (alpha < 8 ? 1 : 0), 0) / pack.plate.a.length;
    const solid = pack.plate.a.reduce((sum, alpha) => sum + (alpha > 247 ? 1 : 0), 0) / pack.plate.a.length;
    expect(clear).toBeGreaterThan(0.4);
    expect(solid).toBeGreaterThan(0.3);
    // The resting mouth is the plate, and closed lids differ from it.
    expect(await unlike(folder, 'm_g02.webp', pack.manifest.mouth.box)).toBeLessThan(2.5);
    expect(await unlike(folder, 'lid3.webp', pack.manifest.eye.box)).toBeGreaterThan(1);
  });

  it('closes its lips on p, b and m as the built-in ones do, in the pixels of a rendered sentence', async () => {
    const bench = await openBench();
    const speech = createSpeech({ threads: 1 });
    const utterance = await speech.utter('flite', 'My mum bought a big piece of bamboo, maybe by mistake.', {
      voice: 'slt',
    });
    await speech.close();
    const made = { seed: 7, ...bench.sequence([utterance]) };
    // The bench names presenters by their folder relative to the built-in ones.
    const stand = await bench.standFor(join('..', '..', '..', '..', '..', '..', '..', '..', folder));
    const out = join(folder, 'face.mp4');
    await bench.renderFace(stand, { ...made, out });
    const { all, recall } = bench.closures({ ...(await bench.observe(out, stand)), sounds: made.sounds });
    expect(all).toBeGreaterThanOrEqual(10);
    expect(recall).toBeGreaterThanOrEqual(0.98);
  });

  it('has lids of its skin under brows that are low and dark', async () => {
    const [left, right] = [646, 794].map((x) => `<ellipse cx="${x}" cy="430" rx="46" ry="13" fill="#1a120e"/>`);
    const low = join(folder, 'low');
    await makePhotoPack(await photograph('ava', [drawing(`${left}${right}`)]), { folder: low, name: 'low', donors });
    const { eye } = await manifestOf(low);
    const closed = join(low, eye.stages.at(-1)!.file);
    for (const { x, y } of eye.eyes) {
      const skin = await light(closed, { x, y: y + 34 });
      expect(await light(closed, { x, y: y - 4 })).toBeGreaterThan(0.6 * skin);
    }
  });

  it('has closed lids without the liner and the lashes of its open eyes', async () => {
    const { eye } = await manifestOf(folder);
    const irises = eye.eyes.map(({ x, y }) => ({ x: x + eye.box[0], y: y + eye.box[1] }));
    const arcs = irises.map(({ x, y }) => {
      const side = x < 720 ? -1 : 1;
      const line = `M${x + side * 46} ${y - 16} L${x + side * 32} ${y - 4} Q${x} ${y - 26} ${x - side * 34} ${y}`;
      return `<path d="${line}" stroke="#120c0a" stroke-width="7" fill="none"/>`;
    });
    const lined = join(folder, 'lined');
    await makePhotoPack(await photograph('ava', [drawing(arcs.join(''))]), { folder: lined, name: 'lined', donors });
    const { eye: found } = await manifestOf(lined);
    const closed = join(lined, found.stages.at(-1)!.file);
    for (const { x, y } of found.eyes) {
      const skin = await light(closed, { x, y: y + 34 });
      // The end of the liner towards the temple: 0.37 when only the skin over the eye itself was replaced.
      const side = x + found.box[0] < 720 ? -1 : 1;
      expect(await light(closed, { x: x + side * 40, y: y - 11 })).toBeGreaterThan(0.6 * skin);
      expect(await light(closed, { x, y: y - 16 })).toBeGreaterThan(0.6 * skin);
    }
  });

  it('has lashes as sharp as the portrait', async () => {
    const soft = join(folder, 'soft');
    const portrait = await sharp(await photograph('ava'))
      .blur(2.4)
      .png()
      .toBuffer();
    await makePhotoPack(portrait, { folder: soft, name: 'soft', donors });
    const [sharpest, softest] = await Promise.all([folder, soft].map(steepestLash));
    // 0.9 when a blurred portrait had a donor's sharp lashes.
    expect(softest! / sharpest!).toBeLessThan(0.6);
  });

  it('keeps its teeth in a row behind a lip that is bent', async () => {
    const bent = join(folder, 'bent');
    await makePhotoPack(await bentLip('ava'), { folder: bent, name: 'bent', donors });
    const [even, wavy] = await Promise.all([folder, bent].map(teethOf));
    const moved = even!.map((row, i) => row - wavy![i]!);
    const mean = moved.reduce((sum, by) => sum + by, 0) / moved.length;
    // Px; 2.0 when they followed the lip.
    expect(Math.sqrt(moved.reduce((sum, by) => sum + (by - mean) ** 2, 0) / moved.length)).toBeLessThan(1);
  });

  it('has teeth in the light of the picture, also in a dim and yellow one', async () => {
    const dim = join(folder, 'dim');
    const portrait = await sharp(await photograph('ava'))
      .linear([0.6, 0.6, 0.35], [0, 0, 0])
      .jpeg({ quality: 90 })
      .toBuffer();
    await makePhotoPack(portrait, { folder: dim, name: 'dim', donors });
    const [wide, narrow] = await Promise.all(['m_g32.webp', 'm_g12.webp'].map((file) => brightestTeeth(dim, file)));
    const skin = await light(await sharp(portrait).png().toBuffer(), { x: 650, y: 560 });
    for (const { red, green, blue } of [wide!, narrow!]) {
      // 1.36 and 0.93 when teeth were as white as in daylight.
      expect((red + green + blue) / 3).toBeLessThan(1.2 * skin);
      expect(blue / green).toBeLessThan(0.8);
    }
  });

  it('refuses a portrait without a person, and writes nothing', async () => {
    const nothing = join(folder, 'nothing');
    const making = makePhotoPack(await flat('#9fb0b8'), { folder: nothing, name: 'x', donors: [join(PACKS, 'ava')] });
    await expect(making).rejects.toBeInstanceOf(PortraitRefused);
    await expect(loadPack(nothing)).rejects.toBeInstanceOf(PackError);
  });
});

async function meshOf(seen: Parameters<typeof readMesh>[1]): Promise<FaceMesh> {
  const networks = await openNetworks();
  const eyes = { leftEye: { x: 646, y: 457 }, rightEye: { x: 794, y: 457 } };
  return readMesh(networks, seen, { centre: { x: 720, y: 540 }, size: 370, ...eyes, score: 1 });
}

function rotated(mesh: FaceMesh, axis: 'yaw' | 'pitch' | 'roll', degrees: number): FaceMesh {
  const { x: cx, y: cy } = mesh.points[4]!;
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const turn = ({ x, y, z }: FaceMesh['points'][number]) => {
    const [u, v] = [x - cx, y - cy];
    if (axis === 'yaw') return { x: cx + u * cos - z * sin, y, z: u * sin + z * cos };
    if (axis === 'pitch') return { x, y: cy + v * cos - z * sin, z: v * sin + z * cos };
    return { x: cx + u * cos - v * sin, y: cy + u * sin + v * cos, z };
  };
  const flatTurn = (point: { x: number; y: number }) => turn({ ...point, z: mesh.points[CHIN]!.z });
  return { ...mapMesh(mesh, flatTurn, 1), points: mesh.points.map(turn) };
}

/** Mean difference between a picture and its part of the plate. */
async function unlike(folder: string, file: string, [x0, y0, x1, y1]: readonly number[]): Promise<number> {
  const region = { left: x0!, top: y0!, width: x1! - x0!, height: y1! - y0! };
  const plate = await sharp(join(folder, 'base.webp')).removeAlpha().extract(region).raw().toBuffer();
  const picture = await sharp(join(folder, file)).raw().toBuffer();
  return picture.reduce((sum, value, i) => sum + Math.abs(value - plate[i]!), 0) / picture.length;
}

/** Mean of a small square, 0…255. */
async function light(file: string | Buffer, { x, y }: { x: number; y: number }): Promise<number> {
  const square = { left: Math.round(x) - 8, top: Math.round(y) - 4, width: 16, height: 8 };
  const { channels } = await sharp(await sharp(file).extract(square).toBuffer()).stats();
  return channels.reduce((sum, { mean }) => sum + mean / 3, 0);
}

/** The steepest step of green between neighbours in a row of the closed eyes that 40 others reach. */
async function steepestLash(folder: string): Promise<number> {
  const { eye } = await manifestOf(folder);
  const { data, info } = await sharp(join(folder, eye.stages.at(-1)!.file))
    .extractChannel(1)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const steps = eye.eyes.flatMap(({ x, y, r }) =>
    Array.from({ length: Math.round(2 * r) }, (_, j) => Math.round(y - r / 2) + j).flatMap((row) =>
      Array.from({ length: Math.round(2 * r) }, (_, i) => row * info.width + Math.round(x - r) + i).map((at) =>
        Math.abs(data[at + 1]! - data[at]!),
      ),
    ),
  );
  return steps.sort((a, b) => b - a)[40]!;
}

/** A person before a wall whose lips are waves. */
async function bentLip(name: string): Promise<Buffer> {
  const { data, info } = await sharp(await photograph(name))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const out = Buffer.from(data);
  for (let x = 630; x < 812; x++) {
    for (let y = 550; y < 670; y++) {
      const by = 9 * Math.sin((2 * Math.PI * (x - 721)) / 91) * Math.exp(-(((y - 606) / 26) ** 2));
      const from = (Math.round(y + by) * info.width + x) * 3;
      data.copy(out, (y * info.width + x) * 3, from, from + 3);
    }
  }
  return sharp(out, { raw: info }).png({ compressionLevel: 1 }).toBuffer();
}

/** The lower edge of the upper teeth of a wide open mouth in its middle, plate rows by column. */
async function teethOf(folder: string): Promise<number[]> {
  const { mouth } = await manifestOf(folder);
  const [x0, y0] = mouth.box;
  const { data, info } = await sharp(join(folder, 'm_g32.webp')).raw().toBuffer({ resolveWithObject: true });
  return Array.from({ length: 41 }, (_, i) => 680 + 2 * i).map((x) => {
    let row = 640;
    while (data[((row - y0) * info.width + x - x0) * 3 + 1]! < 95) row--;
    return row;
  });
}

/** The colour of the brightest px between the lips, which 20 others reach. */
async function brightestTeeth(folder: string, file: string): Promise<{ red: number; green: number; blue: number }> {
  const { mouth } = await manifestOf(folder);
  const [x0, y0] = mouth.box;
  const inside = { left: 670 - x0, top: 590 - y0, width: 100, height: 60 };
  const data = await sharp(join(folder, file)).extract(inside).raw().toBuffer();
  const colours = Array.from({ length: data.length / 3 }, (_, i) => [data[3 * i]!, data[3 * i + 1]!, data[3 * i + 2]!]);
  const [red, green, blue] = colours.sort((a, b) => b[1]! - a[1]!)[20]!;
  return { red: red!, green: green!, blue: blue! };
}

const flat = (background: string) =>
  sharp({ create: { width: 400, height: 400, channels: 3, background } })
    .png()
    .toBuffer();

const huge = () =>
  sharp({ create: { width: 7000, height: 7000, channels: 3, background: '#808080' } })
    .png({ compressionLevel: 1 })
    .toBuffer();

async function twoPeople(): Promise<Buffer> {
  const half = async (name: string) =>
    sharp(await photograph(name))
      .extract({ left: 320, top: 0, width: 800, height: 1080 })
      .png()
      .toBuffer();
  return sharp({ create: { width: 1600, height: 1080, channels: 3, background: '#9fb0b8' } })
    .composite([
      { input: await half('ava'), left: 0, top: 0 },
      { input: await half('leo'), left: 800, top: 0 },
    ])
    .png()
    .toBuffer();
}

/** A presenter's own mouth in another shape, as an overlay for the plate. */
async function mouth(name: string, patch: string): Promise<OverlayOptions> {
  const { mouth: at } = await manifestOf(join(PACKS, name));
  return { input: join(PACKS, name, `m_${patch}.webp`), left: at.box[0], top: at.box[1] };
}
