import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { decodePack, livePlacement, type PresenterPack, readArchive } from '@figurehead/presenter';
import type { Pose } from '@figurehead/presenter/face';
import type { YuvFrame } from '@figurehead/presenter/frame';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, launchChromium } from '../../../../tests/support/chromium.js';
import { REST_POSE } from '../../../../tests/support/poses.js';
import { openSite, type Site } from '../../../../tests/support/site.js';
import { archivePack, createCompositor, framedFolder, loadPack } from '../../../media/src/presenter/index.js';
import { loadKernel } from '../../../media/src/presenter/kernel.js';
import { DECODER } from '../../../media/src/presenter/packs.js';

const PACKS = fileURLToPath(new URL('../../../../presenters/packs/', import.meta.url));
const EMBED = fileURLToPath(new URL('../../../console/dist/embed/', import.meta.url));
const PAGE = `<!doctype html><script type="module">import * as presenter from '/presenter.js'; globalThis.presenter = presenter</script>`;
const SIZE = { width: 512, height: 512 };
declare const presenter: typeof import('./index.js');

/** Background of the pictures. */
const GREY = '#808080';
const POSES: Pose[] = [
  REST_POSE,
  {
    ...REST_POSE,
    mouth: { open: 0.6, width: 0.4, consonants: { FF: 0.3 }, smile: 0.1 },
    head: { yaw: 0.14, pitch: -0.03, roll: 0.02, x: 3, y: -2 },
  },
  {
    ...REST_POSE,
    lids: 0.7,
    gaze: { x: -4, y: 1 },
    brow: 0.5,
    breath: 2.5,
    sway: -1.5,
    arms: { left: { motion: 'open', amount: 0.8 } },
  },
];

const LOOKS = [
  { name: 'ava', folder: `${PACKS}ava`, isHalved: true },
  { name: 'marcus', folder: `${PACKS}marcus`, isHalved: true },
  { name: 'kofi at full size', folder: `${PACKS}kofi`, isHalved: false },
  { name: 'ava down to the waist', folder: framedFolder(`${PACKS}ava`, 'waist'), isHalved: true },
];

async function fromArchive(gzipped: Buffer): Promise<PresenterPack> {
  const { files, look } = readArchive(new Uint8Array(gunzipSync(gzipped)), 'archive');
  return decodePack(files, look, { ...DECODER, kernel: loadKernel });
}

/** The frames of {@link POSES} over grey. */
async function draw(pack: PresenterPack): Promise<YuvFrame[]> {
  const compositor = await createCompositor();
  const placed = compositor.place(pack, livePlacement(SIZE), SIZE);
  const frames = POSES.map((pose) => {
    const frame = compositor.createFrame(SIZE.width, SIZE.height);
    frame.y.fill(126);
    placed.draw(pose, frame);
    return { ...frame, y: frame.y.slice(), u: frame.u.slice(), v: frame.v.slice() };
  });
  compositor.close();
  return frames;
}

const digest = ({ y, u, v }: YuvFrame): string => createHash('sha256').update(y).update(u).update(v).digest('hex');

/** Decibels between two planes. */
function similarity(a: Uint8Array, b: Uint8Array): number {
  const sum = a.reduce((total, value, i) => total + (value - b[i]!) ** 2, 0);
  return 10 * Math.log10(255 ** 2 / (sum / a.length));
}

it('an archive for viewers draws what its pack draws, from a third of the bytes where px are halved', async () => {
  const folder = `${PACKS}ava`;
  const gzipped = await archivePack(folder, true);
  expect(gzipped.length).toBeLessThan(200_000);
  const [whole, halved] = await Promise.all([draw(await loadPack(folder)), draw(await fromArchive(gzipped))]);
  for (const [i, frame] of whole.entries()) expect(similarity(frame.y, halved[i]!.y)).toBeGreaterThan(42);
});

describe.skipIf(!hasChromium())('in Chromium', () => {
  let site: Site;
  let browser: Browser;
  let page: Page;
  const archives = new Map<string, Buffer>();

  beforeAll(async () => {
    for (const { name, folder, isHalved } of LOOKS) {
      archives.set(`/${encodeURIComponent(name)}.gz`, await archivePack(folder, isHalved));
    }
    site = await openSite(async ({ url = '/' }, response) => {
      const archive = archives.get(url);
      if (archive) return void response.end(archive);
      const type = url.endsWith('.js') ? 'text/javascript' : 'text/html';
      const body = url === '/' ? PAGE : await readFile(EMBED + url.slice(1)).catch(() => '');
      response.writeHead(200, { 'content-type': type }).end(body);
    });
    browser = await launchChromium();
    page = await browser.newPage();
    await page.goto(site.origin);
    await page.waitForFunction(() => 'presenter' in globalThis);
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  it('a page without a graphics card paints the colours that WebGL would show', async () => {
    // Four quarters: white, red, transparent, and half transparent blue over black.
    const luma = [235, 63, 16, 24];
    const overWhite = [235, 63, 235, 134];
    const found = await page.evaluate(
      ({ luma, overWhite }) => {
        const quarters = (values: readonly number[], size: number) =>
          new Uint8Array(size * size).map(
            (_, at) => values[2 * Math.floor(at / size / (size / 2)) + Math.floor((at % size) / (size / 2))]!,
          );
        const frame = {
          width: 8,
          height: 8,
          y: quarters(luma, 8),
          u: quarters([128, 102, 128, 184], 4),
          v: quarters([128, 240, 128, 122], 4),
          yStride: 8,
          uvStride: 4,
        };
        const canvas = document.createElement('canvas');
        const getContext = canvas.getContext.bind(canvas) as (
          kind: string,
          options?: object,
        ) => RenderingContext | null;
        Object.assign(canvas, {
          getContext: (kind: string, options?: object) => (kind === 'webgl' ? null : getContext(kind, options)),
        });
        const screen = presenter.openScreen(canvas, true)!;
        screen.show(frame, { ...frame, y: quarters(overWhite, 8) });
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, 8, 8);
        const pixel = (x: number, y: number) => Array.from(data.slice(4 * (8 * y + x), 4 * (8 * y + x) + 4));
        return {
          isEmulated: screen.isEmulated,
          none: presenter.openScreen(canvas, false) === undefined,
          pixels: [pixel(1, 1), pixel(6, 1), pixel(1, 6), pixel(6, 6)],
        };
      },
      { luma, overWhite },
    );
    expect([found.isEmulated, found.none]).toEqual([true, true]);
    const wanted = [
      [255, 255, 255, 255],
      [255, 0, 0, 255],
      [0, 0, 0, 0],
      [0, 0, 255, 128],
    ];
    for (const [at, pixel] of found.pixels.entries())
      for (const [channel, level] of pixel.entries())
        expect(Math.abs(level - wanted[at]![channel]!)).toBeLessThanOrEqual(6);
  });

  it.each(LOOKS)(
    'the planes of $name are those of Node, byte for byte, in a page without shared memory',
    async ({ name }) => {
      const pack = `/${encodeURIComponent(name)}.gz`;
      const found = await page.evaluate(
        async ({ options, poses }) => {
          const picture = await presenter.openPicture({ ...options, kernel: '/kernel.wasm' });
          const digests: string[] = [];
          for (const pose of poses) {
            const { y, u, v } = picture.draw(pose).frame;
            const bytes = await new Blob([y.slice(), u.slice(), v.slice()]).arrayBuffer();
            const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
            digests.push(Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join(''));
          }
          picture.close();
          return { digests, canShare: typeof SharedArrayBuffer !== 'undefined' };
        },
        { options: { ...SIZE, background: GREY, pack }, poses: POSES },
      );
      const frames = await draw(await fromArchive(archives.get(pack)!));
      expect(found).toEqual({ digests: frames.map(digest), canShare: false });
    },
  );
});
