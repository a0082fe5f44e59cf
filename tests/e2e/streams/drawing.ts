import type { FigureheadPresenter } from '@figurehead/sdk/widget';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSite, type Site } from '../../support/site.js';
import type { StreamStage } from './stage.js';

const TEXT = 'Good morning. My name is Nora, and I am happy to show you around the museum today.';
/** The lower part of the face, px of the picture of 300 × 420. */
const MOUTH = { left: 90, top: 230, width: 120, height: 70 };

/** Presenters that are drawn by the page that shows them. */
export function drawingScenarios({ has, server, chromium }: StreamStage): void {
  it('a stream that is recorded is drawn by the server, and so is one of a presenter that viewers may not have', async () => {
    const { status, body } = await server().call('POST', '/streams', { drawing: 'viewer', record: true });
    expect([status, body.errors?.[0].field]).toEqual([400, 'drawing']);
    expect((await fetch(`${server().base}/presenters/nobody/half.pack.gz`)).status).toBe(404);
  });

  describe.runIf(has.chromium)('a page that draws the presenter', () => {
    let shop: Site;
    beforeAll(async () => {
      shop = await openSite(async ({ url = '' }, response) => {
        const token = new URL(url, 'http://site').searchParams.get('token');
        response.writeHead(200, { 'content-type': 'text/html' }).end(
          `<!doctype html><script type="module" src="${server().base}/embed/figurehead.js"></script>
           <figurehead-presenter token="${token}" drawing="viewer" background="#336699" style="inline-size: 300px; block-size: 420px; aspect-ratio: auto"></figurehead-presenter>`,
        );
      });
    });
    afterAll(() => shop?.close());

    async function open(prepare: (page: Page) => Promise<unknown> = async () => undefined): Promise<Page> {
      const { body } = await server().call('POST', '/client-tokens', { origins: [shop.origin], avatarCode: 'nora' });
      const page = await chromium().newPage();
      await prepare(page);
      await page.goto(`${shop.origin}/?token=${body.token}`);
      await element(page).evaluate((presenter) => (presenter as FigureheadPresenter).start());
      return page;
    }
    const element = (page: Page) => page.locator('figurehead-presenter');
    const say = (page: Page) =>
      element(page).evaluate(async (presenter, text) => {
        await (presenter as FigureheadPresenter).say(text);
      }, TEXT);
    /** The picture on the canvas; undefined before the first. */
    const picture = async (page: Page): Promise<Buffer | undefined> => {
      const url = await element(page)
        .locator('canvas')
        .evaluate(
          (canvas) => (canvas as HTMLCanvasElement).height === 420 && (canvas as HTMLCanvasElement).toDataURL(),
        );
      return url ? Buffer.from(url.slice(url.indexOf(',') + 1), 'base64') : undefined;
    };
    /** Begins to note the least level of the mouth's region: an open mouth is dark. In the page, which sees each picture also on a busy machine. */
    const watchMouth = (page: Page) =>
      element(page)
        .locator('canvas')
        .evaluate((shown, { left, top, width, height }) => {
          const canvas = shown as HTMLCanvasElement;
          const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
          const look = () => {
            copy?.drawImage(canvas, left, top, width, height, 0, 0, width, height);
            const { data } = copy?.getImageData(0, 0, width, height) ?? { data: [255] };
            const levels = Array.from({ length: data.length / 4 }, (_, at) => data[4 * at + 1] ?? 255);
            canvas.dataset['darkest'] = String(Math.min(Number(canvas.dataset['darkest'] ?? 255), ...levels));
            requestAnimationFrame(look);
          };
          look();
        }, MOUTH);
    const darkest = async (page: Page): Promise<number> =>
      Number(await element(page).locator('canvas').getAttribute('data-darkest'));
    const streamStats = async () => {
      const { body } = await server().call('GET', '/streams');
      const stream = body.streams.find(({ status }: { status: string }) => status === 'connected');
      return stream && (await server().call('GET', `/streams/stats/${stream.id}`)).body;
    };

    it('shows it on its background, and moves its mouth with the speech, without any video', async () => {
      const page = await open();
      await expect.poll(() => picture(page)).toBeDefined();
      const png = await picture(page);
      if (png === undefined) throw new Error('there is no picture');
      const corner = await sharp(png).extract({ left: 2, top: 2, width: 1, height: 1 }).raw().toBuffer();
      for (const [i, level] of [0x33, 0x66, 0x99].entries()) expect(Math.abs(corner[i]! - level)).toBeLessThan(4);
      await watchMouth(page);
      const before = await darkest(page);
      await say(page);
      await expect.poll(() => darkest(page)).toBeLessThan(before - 15);
      expect(await streamStats()).toMatchObject({ codec: null, bitrate: 0, fps: 0, speaking: true });
      const hasVideo = await element(page)
        .locator('video')
        .evaluate((video) => ((video as HTMLVideoElement).srcObject as MediaStream).getVideoTracks().length);
      expect(hasVideo).toBe(0);
      await page.close();
      await expect.poll(async () => (await server().call('GET', '/streams')).body.total).toBe(0);
    });

    it('shows the video instead when it cannot draw, in the same stream', async () => {
      const page = await open((opened) => opened.route('**/*.pack.gz*', (route) => route.abort()));
      await say(page);
      await expect
        .poll(() =>
          element(page)
            .locator('video')
            .evaluate((video) => (video as HTMLVideoElement).videoWidth),
        )
        .toBeGreaterThan(100);
      expect(await element(page).locator('canvas').isHidden()).toBe(true);
      await expect.poll(async () => (await streamStats())?.codec).toBe('H264');
      await page.close();
      await expect.poll(async () => (await server().call('GET', '/streams')).body.total).toBe(0);
    });
  });
}
