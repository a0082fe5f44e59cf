import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.js';
import { openConsole, type TestConsole } from '../support/console.js';

/** One page with the word "Harbour"; offsets are left to the reader's repair. */
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 640 360]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length 43>>stream
BT /F1 48 Tf 60 160 Td (Harbour) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R/Size 6>>
%%EOF`;

describe.skipIf(!hasChromium())('the console in a real browser', () => {
  let fixture: TestConsole;
  let videoId = '';
  let outlineId = '';
  let templateId = '';

  beforeAll(async () => {
    fixture = await openConsole();
  });
  afterAll(() => fixture?.close());

  const page = () => fixture.page;
  const go = (path: string) => page().goto(fixture.url + path);
  const button = (name: string | RegExp) => page().getByRole('button', { name, exact: typeof name === 'string' });

  it('serves its page under a strict policy, its hashed files for a year, and no page in the place of a file', async () => {
    const html = { headers: { accept: 'text/html' } };
    const answer = await fetch(`${fixture.url}/videos/anything`, html);
    expect(answer.status).toBe(200);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const asset = /\/assets\/[^"]+\.js/.exec(await answer.text())?.[0];
    const script = await fetch(fixture.url + asset);
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await fetch(`${fixture.url}/assets/gone.js`, html)).status).toBe(404);
    expect((await fetch(`${fixture.url}/gone.png`, html)).status).toBe(404);
    expect((await fetch(`${fixture.url}/api/v1/nothing`, html)).status).toBe(401);
  });

  it('refuses a wrong password in words, and lets the right one in', async () => {
    await go('/');
    await page().getByLabel('E-mail').fill(fixture.email);
    await page().locator('input[type=password]').fill('not this one');
    await button('Sign in').click();
    await page().getByText('E-mail and password do not fit together.').waitFor();
    expect(await fixture.violations()).toEqual([]);
    // The browser itself reports the refused call.
    expect(fixture.complaints.splice(0)).toHaveLength(1);
    await page().locator('input[type=password]').fill(fixture.password);
    await button('Sign in').click();
    await page().getByRole('heading', { name: 'Make your first video' }).waitFor();
  });

  it('makes a first video with one click, and plays it with subtitles', async () => {
    await page().getByLabel('What should they say?').fill('Hello harbour.');
    await page().getByRole('radio', { name: 'Nora' }).click();
    await button('Make the video').click();
    const player = page().locator('video[src]');
    await player.waitFor({ timeout: 60_000 });
    videoId = page().url().split('/').at(-1) ?? '';
    await page().waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 1);
    expect(await player.evaluate((video: HTMLVideoElement) => video.duration)).toBeGreaterThan(0.5);
    expect(await page().locator('track').getAttribute('src')).toContain('.vtt');
    expect(await page().getByRole('link', { name: 'Download MP4' }).getAttribute('href')).toContain('.mp4');
    await page().getByRole('combobox', { name: 'Tags' }).fill('greeting');
    await page().keyboard.press('Enter');
    await expect.poll(async () => (await fixture.call('GET', `/videos/${videoId}`)).tags).toEqual(['greeting']);
    await go('/videos?tags=greeting');
    await page().getByRole('link', { name: 'My first video' }).waitFor();
    await go('/videos?status=error');
    await page().getByText('No video matches these filters.').waitFor();
  });

  it('edits a slide: text on the canvas, dragging, undo, speech, a check of everything', async () => {
    await go(`/videos/${videoId}/edit`);
    await button('Text').click();
    await page().getByLabel('Text', { exact: true }).fill('Ahoy');
    await expect.poll(() => objects()).toMatchObject([{ type: 'textbox', text: 'Ahoy', left: 40 }]);
    const [text] = await objects();
    const canvas = page().getByRole('application');
    const box = await canvas.boundingBox();
    const scale = (box?.width ?? 0) / 640;
    const [x, y] = [(box?.x ?? 0) + (text.left + 30) * scale, (box?.y ?? 0) + (text.top + 18) * scale];
    await page().mouse.move(x, y);
    await page().mouse.down();
    await page().mouse.move(x + 50 * scale, y + 60 * scale, { steps: 6 });
    await page().mouse.up();
    await expect.poll(async () => Math.round((await objects())[0].left)).toBe(90);
    await canvas.press('ArrowRight');
    await expect.poll(async () => Math.round((await objects())[0].left)).toBe(91);
    await button('Undo').click();
    await button('Undo').click();
    await expect.poll(async () => (await objects())[0].left).toBe(40);
    await button('Redo').click();
    await expect.poll(async () => Math.round((await objects())[0].left)).toBe(90);
    expect(await fixture.violations()).toEqual([]);

    await page().getByRole('tab', { name: 'Slide', exact: true }).click();
    await page().getByLabel('Speech', { exact: true }).fill('Ahoy there.');
    await button('Listen').click();
    await page().locator('audio[src]').waitFor();
    expect(await fixture.violations()).toEqual([]);
    await button('Check').click();
    await page().getByText('Nothing stands in the way').waitFor();
    expect((await fixture.call('GET', `/videos/${videoId}`)).slides[0].speech).toBe('Ahoy there.');
  });

  it('makes a token that works and is shown once, and revokes it', async () => {
    await go('/api');
    await page().getByLabel('New token for').fill('Tests');
    await button('Create token').click();
    const token = (await page().getByTestId('new-token').textContent()) ?? '';
    const read = () => fetch(`${fixture.url}/api/v1/videos`, { headers: { authorization: `Bearer ${token}` } });
    expect((await read()).status).toBe(200);
    await page().reload();
    await button('Revoke Tests').waitFor();
    expect(await page().getByText(token).count()).toBe(0);
    page().once('dialog', (dialog) => void dialog.accept());
    await button('Revoke Tests').click();
    await expect.poll(async () => (await read()).status).toBe(401);
  });

  it('subscribes a webhook, shows the bytes of a test event, and explains its signature', async () => {
    const receiver = createServer((_request, response) => response.end('thanks'));
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    try {
      await go('/api?tab=webhook');
      await page()
        .getByLabel('Address')
        .fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`);
      await button('Subscribe').click();
      await page().getByText('0 of 10').waitFor();
      await page().getByLabel('Secret', { exact: true }).fill('s3cret');
      await button('Set secret').click();
      await page().getByText('A secret is set').waitFor();
      await button('Send a test event').click();
      await page().getByRole('tab', { name: 'Deliveries' }).click();
      await page().locator('.mantine-Badge-root', { hasText: 'Delivered' }).waitFor();
      await page()
        .getByRole('button', { name: /video_ready/ })
        .click();
      await page().getByText('thanks').waitFor();
      expect(await fixture.violations()).toEqual([]);
    } finally {
      receiver.close();
    }
    const [delivery] = (await fixture.call('GET', '/webhook/deliveries')).deliveries;
    const sent = Object.fromEntries(
      Object.entries<string>(delivery.requestHeaders).map(([name, value]) => [name.toLowerCase(), value]),
    );
    await page().getByRole('tab', { name: 'Signature' }).click();
    await page().getByLabel('Body, byte for byte').fill(delivery.requestBody);
    await page()
      .getByLabel('Service-Timestamp')
      .fill(sent['service-timestamp'] ?? '');
    await page()
      .getByLabel('Service-Signature')
      .fill(sent['service-signature'] ?? '');
    await page().getByLabel('Secret', { exact: true }).fill('s3cret ');
    await button('Check').click();
    await page().getByText('The secret has blanks or a line break around it.').waitFor();
    await page().getByLabel('Secret', { exact: true }).fill('s3cret');
    await button('Check').click();
    await page().getByText('Genuine').waitFor();
  });

  it('fills a template in from a CSV and sends every row off', async () => {
    const slides = [{ id: 1, speech: 'Hello {{name}}!', voice: 'slt', voiceProvider: 'flite', language: 'English' }];
    const template = await fixture.call('POST', '/videos', { name: 'Greeting', type: 'template', slides });
    templateId = template._id;
    await go('/templates');
    await page().getByRole('link', { name: 'Fill in Greeting' }).click();
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('Name,City\nAda,London\nGrace,\n') };
    await page().locator('input[type=file]').setInputFiles(file);
    await page().getByText('people.csv: 2 rows').waitFor();
    expect(await fixture.violations()).toEqual([]);
    await button('Render 2 videos').click();
    await page().waitForURL(/tags=batch-/);
    await page().getByText('2 videos', { exact: true }).waitFor();
  });

  it('takes a presentation and turns an outline into a draft', async () => {
    await go('/import');
    const file = { name: 'harbour.pdf', mimeType: 'application/pdf', buffer: Buffer.from(PDF) };
    await page().locator('input[type=file]').setInputFiles(file);
    await page().getByText('1 slide, 0 with notes').waitFor({ timeout: 30_000 });

    await go('/outlines');
    await button('New outline').first().click();
    await page().getByLabel('Topic').fill('Tides');
    await page()
      .getByLabel('Text to work from')
      .fill('# Ebb\nWater goes out. It leaves sand.\n# Flood\nWater comes in. It lifts boats.');
    await button('Create outline').click();
    await button('Write chapters').click();
    await button('Write all scripts').click();
    await page().getByLabel('Script').first().waitFor();
    outlineId = page().url().split('/').at(-1) ?? '';
    await button('Make a video').click();
    await page().waitForURL(/\/edit$/);
  });

  it('previews a voice with other settings and saves them', async () => {
    await go('/voices');
    await page().getByRole('slider', { name: 'Speed' }).focus();
    for (let press = 0; press < 5; press += 1) await page().keyboard.press('ArrowRight');
    await button('Listen').click();
    await page().locator('audio[src]').waitFor();
    await button('Save').click();
    await page().getByText('Adjusted').waitFor();
  });

  it('goes live, shows each word as it is spoken, interrupts, ends', async () => {
    await go('/live');
    await button('Check the connection').click();
    await page().getByText('Picture and sound can travel').waitFor();
    await page().getByLabel('What to say').fill('The tide comes in, and every boat in the harbour rises with it.');
    await button('Go live').click();
    await page().waitForFunction(() => (document.querySelector('video')?.videoWidth ?? 0) > 0, undefined, {
      timeout: 30_000,
    });
    await button('Say it').click();
    await page().locator('.fh-captions [data-now=true]').waitFor({ timeout: 20_000 });
    await button('Interrupt').click();
    await page().getByText('Listening').waitFor();
    expect(await fixture.violations()).toEqual([]);
    await button('End the stream').click();
    await page().getByText('The stream is over').waitFor();
  });

  it('renames the workspace and adds a person', async () => {
    await go('/settings');
    await page().getByLabel('Name', { exact: true }).fill('New harbour');
    await button('Rename').click();
    await page().getByText('Renamed.').waitFor();
    await button('Add a person').click();
    await page().getByRole('dialog').getByLabel('E-mail').fill('grace@example.com');
    await page().getByRole('dialog').locator('input[type=password]').fill('hoppers-moth');
    await button('Add').click();
    await page().getByText('grace@example.com').waitFor();
  });

  it('has no violation on any screen, light or dark, and fits from 360 to 2560 px', { timeout: 120_000 }, async () => {
    const screens = [
      '/videos',
      `/videos/${videoId}`,
      `/videos/${videoId}/edit`,
      '/templates',
      `/templates/${templateId}`,
      '/import',
      '/outlines',
      `/outlines/${outlineId}`,
      '/presenters',
      '/voices',
      '/library',
      '/live',
      '/api',
      '/api?tab=missed',
      '/usage',
      '/settings',
      '/admin',
      '/nowhere',
    ];
    const found: string[] = [];
    await go('/videos');
    for (const path of screens) {
      // As a click on a link would, without loading the application anew.
      await page().evaluate((to) => window.history.pushState(null, '', to), path);
      await page().locator('main h1').waitFor();
      await page().waitForFunction(() => document.querySelector('[aria-busy=true], .mantine-Loader-root') === null);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page().emulateMedia({ colorScheme });
        // Colours fade over; a half-way colour has a contrast of its own.
        await page().evaluate(() =>
          Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))),
        );
        found.push(
          ...(await fixture.violations(colorScheme === 'dark')).map((line) => `${path} ${colorScheme} ${line}`),
        );
      }
      for (const width of [360, 2560]) {
        await page().setViewportSize({ width, height: 800 });
        // The frame slides into its new place first.
        const fits = page().waitForFunction(
          () => document.documentElement.scrollWidth <= window.innerWidth && document.getAnimations().length === 0,
          undefined,
          { timeout: 3000 },
        );
        await fits.catch(() => found.push(`${path} is too wide at ${width}`));
      }
      await page().setViewportSize({ width: 1280, height: 800 });
    }
    expect(found).toEqual([]);
  });

  it('never complained, and never asked another server', () => {
    expect(fixture.complaints).toEqual([]);
  });

  // biome-ignore lint/suspicious/noExplicitAny: Fabric's objects
  async function objects(): Promise<any[]> {
    return (await fixture.call('GET', `/videos/${videoId}`)).slides[0].canvas.objects;
  }
});
