import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FigureheadPresenter } from '@figurehead/sdk/widget';
import { sql } from 'kysely';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClientTokens } from '../../../packages/server/src/features/streams/client-tokens/client-tokens.js';
import { violationsOf } from '../../support/accessibility.js';
import { openSite, type Site } from '../../support/site.js';
import type { StreamStage } from './stage.js';

const SCRIPT = fileURLToPath(new URL('../../../packages/console/dist/embed/figurehead.js.gz', import.meta.url));
const TEXT = 'Good morning. My name is Nora, and I am happy to show you around the museum today.';

/** The presenter on pages of other sites. */
export function embedScenarios({ has, server, chromium, firefox }: StreamStage): void {
  describe('the script for other pages', () => {
    it('is at most 40 KB, compressed', async () => {
      const { length } = await readFile(SCRIPT);
      console.info(`figurehead.js.gz: ${length} bytes`);
      expect(length).toBeLessThanOrEqual(40 * 1024);
    });
  });

  describe.runIf(has.chromium)('a presenter on a page of another origin', () => {
    let shop: Site;
    let stranger: Site;
    beforeAll(async () => {
      const pages = () =>
        openSite((request, response) => {
          const { searchParams } = new URL(request.url ?? '/', 'http://site');
          response
            .writeHead(200, { 'content-type': 'text/html' })
            .end(decodeURIComponent(searchParams.get('html') ?? ''));
        });
      [shop, stranger] = await Promise.all([pages(), pages()]);
    });
    afterAll(async () => {
      await Promise.all(contexts.map((context) => context.close()));
      await Promise.all([shop?.close(), stranger?.close()]);
    });

    async function makeToken(settings: object = {}): Promise<{ _id: string; token: string }> {
      const { status, body } = await server().call('POST', '/client-tokens', {
        origins: [shop.origin],
        avatarCode: 'nora',
        ...settings,
      });
      expect(status).toBe(200);
      return body;
    }
    const snippet = (token: string, attributes = '') =>
      `<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1>
     <script type="module" src="${server().base}/embed/figurehead.js"></script>
     <figurehead-presenter token="${token}" avatar="nora" label="Nora" ${attributes}></figurehead-presenter></main>
     <script>seen = []; for (const type of ['ready', 'speaking', 'idle', 'captions', 'error', 'ended'])
       addEventListener(type, ({ detail }) => detail && seen.push([type, detail.message ?? detail.reason ?? detail.text ?? '']));</script>`;
    const contexts: BrowserContext[] = [];
    const newContext = async (options: BrowserContextOptions) => {
      const context = await chromium().newContext(options);
      contexts.push(context);
      return context;
    };
    const visit = async (site: Site, html: string, context?: BrowserContext) => {
      const page = await (context ?? (await newContext({ viewport: { width: 500, height: 600 } }))).newPage();
      const url = `${site.origin}/?html=${encodeURIComponent(encodeURIComponent(html))}`;
      await page.goto(url, { waitUntil: 'commit' });
      return page;
    };
    /** Navigates away like a viewer; pages are closed at the end. */
    const leave = (page: Page) => page.goto('about:blank');
    const presenter = (page: Page) => page.locator('figurehead-presenter');
    const message = (page: Page) => presenter(page).getByRole('alert').locator('p');
    const say = (page: Page, text: string) =>
      presenter(page).evaluate(async (element, words) => {
        await (element as FigureheadPresenter).say(words);
      }, text);
    /** The upper half of the presenter, without controls, as small grey pixels. */
    const facePixels = async (page: Page) => {
      const box = await presenter(page).boundingBox();
      if (box === null) throw new Error('the presenter is not shown');
      const { x, y, width, height } = box;
      const clip = { x: x + width * 0.15, y, width: width * 0.7, height: height * 0.6 };
      return sharp(await page.screenshot({ clip }))
        .greyscale()
        .resize(48, 48, { fit: 'fill' })
        .raw()
        .toBuffer();
    };
    const events = (page: Page) => page.evaluate(() => (window as unknown as { seen: [string, string][] }).seen);
    const typesSeen = async (page: Page) => (await events(page)).map(([type]) => type);

    it('says that it is made with AI: in the words of its page from the beginning, then in those of its workspace', async () => {
      await server().call('PUT', '/brand', { aiLabel: 'Made with AI' });
      const { token } = await makeToken();
      const page = await visit(shop, snippet(token, 'ai-label="AI presenter"'));
      const label = presenter(page).locator('.label');
      await expect.poll(() => label.textContent()).toBe('AI presenter');
      await presenter(page).getByRole('button', { name: 'Start: Nora' }).click();
      await expect.poll(() => label.textContent()).toBe('Made with AI');
      await expect.poll(() => typesSeen(page)).toContain('ready');
      expect(await violationsOf(page)).toEqual([]);
      await presenter(page).getByRole('button', { name: 'End' }).click();
      await expect.poll(() => typesSeen(page)).toContain('ended');
      expect(await label.isVisible()).toBe(true);
      await server().call('PUT', '/brand', {});
      await leave(page);
    });

    it('starts by keyboard, speaks a text with captions, can be muted and interrupted, and ends', async () => {
      const { token } = await makeToken();
      const page = await visit(shop, snippet(token));
      await presenter(page).getByRole('button', { name: 'Start: Nora' }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await expect.poll(() => typesSeen(page)).toContain('ready');
      await say(page, TEXT);
      await presenter(page).locator('.captions', { hasText: 'museum' }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await presenter(page).getByRole('button', { name: 'Captions' }).click();
      expect(await presenter(page).locator('.captions').isHidden()).toBe(true);
      await presenter(page).getByRole('button', { name: 'Mute' }).click();
      expect(
        await presenter(page)
          .locator('video')
          .evaluate((video) => (video as HTMLVideoElement).muted),
      ).toBe(true);
      await say(page, `${TEXT} ${TEXT}`);
      await presenter(page).evaluate((element) => (element as FigureheadPresenter).interrupt());
      await expect.poll(() => typesSeen(page)).toContain('idle');
      await presenter(page).getByRole('button', { name: 'End' }).click();
      await expect.poll(() => typesSeen(page)).toContain('ended');
      await presenter(page).getByRole('button', { name: 'Start: Nora' }).waitFor();
      await expect.poll(async () => (await server().call('GET', '/streams')).body.total).toBe(0);
      await leave(page);
    });

    it.each([
      ['an upright box', 'inline-size: 300px; block-size: 420px'],
      ['a wide box', 'inline-size: 480px; block-size: 270px'],
    ])('shows the same picture before the start as at the start: in %s', async (_what, box) => {
      const { token } = await makeToken();
      const page = await visit(shop, snippet(token, `style="${box}; aspect-ratio: auto"`));
      await presenter(page).getByRole('button', { name: 'Start: Nora' }).waitFor();
      await page.waitForLoadState('networkidle');
      const before = await facePixels(page);
      await presenter(page).getByRole('button', { name: 'Start: Nora' }).click();
      await expect.poll(() => typesSeen(page)).toContain('ready');
      const differences: number[] = [];
      // A blink, a glance and the buttons change little (about 10); another size changes everything (45).
      await expect
        .poll(async () => {
          const live = await facePixels(page);
          differences.push(live.reduce((sum, value, at) => sum + Math.abs(value - before[at]!), 0) / live.length);
          return Math.min(...differences);
        })
        .toBeLessThan(18);
      await leave(page);
      await expect.poll(async () => (await server().call('GET', '/streams')).body.total).toBe(0);
    });

    it('with autoplay, starts muted once it is visible', async () => {
      const { token } = await makeToken();
      const page = await visit(shop, snippet(token, 'autoplay'));
      await expect.poll(() => typesSeen(page)).toContain('ready');
      expect(await presenter(page).getByRole('button', { name: 'Mute' }).getAttribute('aria-pressed')).toBe('true');
      await leave(page);
      await expect.poll(async () => (await server().call('GET', '/streams')).body.total).toBe(0);
    });

    it('shows why it cannot start: a page that is not allowed, a revoked token or an invalid one', async () => {
      const [{ token }, revoked] = [await makeToken(), await makeToken()];
      await server().call('DELETE', `/client-tokens/${revoked._id}`);
      for (const [site, given, why] of [
        [stranger, token, `This client token cannot be used on pages of ${stranger.origin}.`],
        [shop, revoked.token, 'This client token was revoked.'],
        [shop, 'a.b.c', 'The server answered 401: not authorised.'],
      ] as const) {
        const page = await visit(site, snippet(given));
        await presenter(page).getByRole('button', { name: 'Start: Nora' }).click();
        await expect.poll(() => message(page).textContent()).toBe(why);
        expect(await events(page)).toContainEqual(['error', why]);
        await leave(page);
      }
    });

    it('shows the reason for a token whose minutes are used up, and for an expired one', async () => {
      const [spent, short] = [await makeToken({ maxMinutes: 0.02 }), await makeToken()];
      const page = await visit(shop, snippet(spent.token));
      await presenter(page).getByRole('button', { name: 'Start: Nora' }).click();
      await expect
        .poll(() => message(page).textContent())
        .toBe('The stream has ended: the minutes of the client token are used up.');
      await presenter(page).getByRole('button', { name: 'Start again' }).click();
      await expect.poll(() => message(page).textContent()).toMatch(/minutes of this client token/);
      await leave(page);
      const late = await visit(shop, snippet(short.token));
      await presenter(late).getByRole('button', { name: 'Start: Nora' }).click();
      await expect.poll(() => typesSeen(late)).toContain('ready');
      // The token has now expired.
      await sql`update client_tokens set expires_at = now() where id = ${short._id}`.execute(server().kernel.db);
      await expect.poll(() => message(late).textContent()).toBe('The stream has ended: the client token has expired.');
      await leave(late);
      // A token also contains its expiry: this one was created two minutes ago and was valid for one.
      const earlier = { ...server().kernel, clock: { ...server().kernel.clock, now: () => Date.now() - 120_000 } };
      const old = await createClientTokens(earlier).create(server().caller, {
        origins: [shop.origin],
        avatarCode: 'nora',
        expiresInSeconds: 60,
      });
      const after = await visit(shop, snippet(old.token));
      await presenter(after).getByRole('button', { name: 'Start: Nora' }).click();
      await expect.poll(() => message(after).textContent()).toMatch(/^This client token expired at /);
      await leave(after);
    });

    it.runIf(has.firefox)(
      'works the same in Firefox: live, transparent, with captions and the reason of a refusal',
      async () => {
        const [{ token }, revoked] = [await makeToken(), await makeToken()];
        await server().call('DELETE', `/client-tokens/${revoked._id}`);
        const open = (html: string) =>
          firefox().goto(`${shop.origin}/?html=${encodeURIComponent(encodeURIComponent(html))}`);
        await open(snippet(token, 'background="transparent"'));
        const seen = await firefox().evaluate(async (text) => {
          const element = document.querySelector('figurehead-presenter') as FigureheadPresenter;
          const captions: string[] = [];
          element.addEventListener('captions', (event) =>
            captions.push((event as CustomEvent<{ text: string }>).detail.text),
          );
          const outcome = await (await element.say(text)).finished;
          const [video, canvas] = ['video', 'canvas'].map((name) => element.shadowRoot?.querySelector(name));
          const { videoWidth, videoHeight } = video as HTMLVideoElement;
          const isTransparent = !(canvas as HTMLCanvasElement).hidden;
          const shape = Math.round((100 * videoHeight) / videoWidth);
          const { state } = element;
          element.stop();
          return { outcome, state, shape, isTransparent, captions: captions.join(' ') };
        }, TEXT);
        expect(seen).toMatchObject({ outcome: 'spoken', state: 'live' });
        // The element is 4 : 5; a transparent picture has twice the height.
        expect(seen.shape).toBe(seen.isTransparent ? 250 : 125);
        expect(seen.captions).toContain('museum');
        await open(snippet(revoked.token));
        const why = await firefox().evaluate(async () => {
          const element = document.querySelector('figurehead-presenter') as FigureheadPresenter;
          await element.start().catch(() => undefined);
          return element.shadowRoot?.querySelector('.message p')?.textContent;
        }, undefined);
        expect(why).toBe('This client token was revoked.');
        await firefox().goto('about:blank');
      },
    );

    it('shows a message when the token is revoked during a stream', async () => {
      const { _id, token } = await makeToken();
      const page = await visit(shop, snippet(token));
      await presenter(page).getByRole('button', { name: 'Start: Nora' }).click();
      await expect.poll(() => typesSeen(page)).toContain('ready');
      await server().call('DELETE', `/client-tokens/${_id}`);
      await expect.poll(() => message(page).textContent()).toBe('The stream has ended: the client token was revoked.');
      await leave(page);
    });

    it('plays as many of fifty concurrent presenters as its token allows, and shows the reason in the others', async () => {
      const { token } = await makeToken({ maxStreams: 5 });
      const small = `<figurehead-presenter token="${token}" avatar="nora" autoplay style="inline-size: 80px; block-size: 100px"></figurehead-presenter>`;
      const row = `<!doctype html><title>Row</title><script type="module" src="${server().base}/embed/figurehead.js"></script>
      <div style="display: flex">${small.repeat(10)}</div>`;
      const context = await newContext({ viewport: { width: 900, height: 200 } });
      const pages = await Promise.all(Array.from({ length: 5 }, () => visit(shop, row, context)));
      const states = (page: Page) =>
        presenter(page).evaluateAll((elements) => elements.map((element) => element.getAttribute('state') ?? ''));
      const isDecided = async (page: Page) => (await states(page)).join(' ').match(/^((failed|live) ?){10}$/) !== null;
      // One after the other, because a busy machine needs minutes for all of them.
      for (const page of pages) await expect.poll(() => isDecided(page), { interval: 500 }).toBe(true);
      const wanted = [...Array(45).fill('failed'), ...Array(5).fill('live')];
      expect((await Promise.all(pages.map(states))).flat().sort()).toEqual(wanted);
      const reasons = pages.map((page) =>
        page.locator('figurehead-presenter[state=failed] [role=alert] p').allTextContents(),
      );
      expect((await Promise.all(reasons)).flat()).toEqual(
        Array(45).fill('All 5 streams of this client token are in use. Try again when one has ended.'),
      );
      await Promise.all(pages.map(leave));
      await expect.poll(async () => (await server().call('GET', '/streams')).body.total).toBe(0);
    });

    it('reconnects after a lost connection', async () => {
      const { token } = await makeToken();
      const page = await visit(shop, snippet(token));
      await presenter(page).getByRole('button', { name: 'Start: Nora' }).click();
      await expect.poll(() => typesSeen(page)).toContain('ready');
      await server().replaceHost();
      const readies = async () => (await typesSeen(page)).filter((type) => type === 'ready').length;
      await expect.poll(readies, { interval: 500 }).toBe(2);
      await say(page, 'Here I am again.');
      await expect.poll(() => typesSeen(page)).toContain('speaking');
      await leave(page);
    });

    it('shows a transparent presenter over the page, and an opaque one without WebGL', async () => {
      const { token } = await makeToken();
      const striped = `background="transparent" style="inline-size: 240px; aspect-ratio: 1; background: repeating-linear-gradient(45deg, #f00 0 10px, #00f 10px 20px)"`;
      const page = await visit(shop, snippet(token, striped));
      await presenter(page).getByRole('button', { name: 'Start: Nora' }).click();
      await expect.poll(() => typesSeen(page)).toContain('ready');
      /** Opacity of the corner and of the chest, and the size, after the first frame. */
      const look = () =>
        presenter(page).evaluate((element) => {
          const canvas = element.shadowRoot?.querySelector('canvas') as HTMLCanvasElement;
          const gl = canvas.getContext('webgl') as WebGLRenderingContext;
          const at = (x: number, y: number) => {
            const pixel = new Uint8Array(4);
            // Coordinates start at the lower left corner.
            gl.readPixels(
              Math.round(x * canvas.width),
              Math.round(y * canvas.height),
              1,
              1,
              gl.RGBA,
              gl.UNSIGNED_BYTE,
              pixel,
            );
            return pixel[3];
          };
          return {
            corner: at(0.02, 0.98),
            chest: at(0.5, 0.1),
            nose: at(0.5, 0.55),
            square: canvas.width === canvas.height,
          };
        });
      await expect.poll(look).toEqual({ corner: 0, chest: 255, nose: 255, square: true });
      await expect
        .poll(async () => {
          const { data } = await sharp(await presenter(page).screenshot())
            .removeAlpha()
            .raw()
            .toBuffer({ resolveWithObject: true });
          // The left edge, next to the controls: red and blue stripes of the page.
          const left = Array.from({ length: 60 }, (_, n) => [
            ...data.subarray(((20 + n) * 240 + 6) * 3, ((20 + n) * 240 + 6) * 3 + 3),
          ]);
          return [
            left.some(([r = 0, , b = 0]) => r > 200 && b < 60),
            left.some(([r = 0, , b = 0]) => b > 200 && r < 60),
          ];
        })
        .toEqual([true, true]);
      await leave(page);

      const context = await newContext({ viewport: { width: 300, height: 300 } });
      await context.addInitScript(() => {
        HTMLCanvasElement.prototype.getContext = () => null;
      });
      const plain = await visit(shop, snippet(token, striped), context);
      await presenter(plain).getByRole('button', { name: 'Start: Nora' }).click();
      await expect.poll(() => typesSeen(plain)).toContain('ready');
      await expect
        .poll(() =>
          presenter(plain)
            .locator('video')
            .evaluate((video) => [(video as HTMLVideoElement).videoWidth, (video as HTMLVideoElement).videoHeight]),
        )
        .toEqual([240, 240]);
      expect(await presenter(plain).locator('canvas').isHidden()).toBe(true);
      await leave(plain);
    });

    it('works in an iframe on the pages that its token allows, controlled by messages', async () => {
      const { token } = await makeToken();
      const frame = `<!doctype html><title>Frame</title><iframe width="300" height="400" allow="autoplay" src="${server().base}/embed?token=${token}"></iframe>
      <script>seen = []; addEventListener('message', ({ data }) => seen.push([data.type, data.detail?.text ?? '']));</script>`;
      const page = await visit(shop, frame);
      const inside = page.frameLocator('iframe').locator('figurehead-presenter');
      await inside.getByRole('button', { name: 'Start' }).waitFor();
      await page.evaluate(
        (text) => document.querySelector('iframe')?.contentWindow?.postMessage({ type: 'figurehead:say', text }, '*'),
        TEXT,
      );
      await expect.poll(() => typesSeen(page)).toContain('figurehead:speaking');
      await expect.poll(async () => (await events(page)).some(([, text]) => text.includes('museum'))).toBe(true);
      await leave(page);

      const elsewhere = await visit(stranger, frame);
      await expect
        .poll(async () => (await elsewhere.frames()[1]?.content())?.includes('figurehead-presenter'))
        .toBe(false);
      await elsewhere.close();
      const { headers } = await fetch(`${server().base}/embed?token=${token}`);
      expect(headers.get('content-security-policy')).toContain(`frame-ancestors ${shop.origin}`);
      expect(headers.get('x-frame-options')).toBeNull();
    });
  });
}
