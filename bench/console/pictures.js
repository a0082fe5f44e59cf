// Screenshots of every screen for docs/console.md.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { launch, seed, signedIn } from './stage.js';

const MAX_BYTES = 60_000;

/** Screens in the order of the page; `after` prepares the screenshot, `end` restores the state. */
function screensOf(ids) {
  return [
    { name: 'videos', path: '/videos' },
    { name: 'video', path: `/videos/${ids.ready}` },
    { name: 'lip-sync', path: `/videos/${ids.ready}?view=lip-sync`, scheme: 'dark', after: seekInto },
    { name: 'editor', path: `/videos/${ids.ready}/edit`, after: secondSlide },
    { name: 'editor-rendered', path: `/videos/${ids.ready}/edit`, scheme: 'dark', after: asRendered },
    { name: 'templates', path: `/templates/${ids.template}` },
    { name: 'import', path: '/import' },
    { name: 'outline', path: `/outlines/${ids.outline}` },
    { name: 'presenters', path: '/presenters' },
    { name: 'photo', path: '/presenters?new=photo', after: choosePhoto },
    { name: 'voices', path: '/voices', scheme: 'dark' },
    { name: 'library', path: '/library' },
    { name: 'live', path: '/live', after: goLive, end: endLive },
    { name: 'api', path: '/api' },
    { name: 'usage', path: '/usage' },
    { name: 'settings', path: '/settings' },
    { name: 'admin', path: '/admin' },
    { name: 'machines', path: '/admin?tab=machines', scheme: 'dark' },
    { name: 'videos-phone', path: '/videos', width: 360 },
    { name: 'editor-phone', path: `/videos/${ids.ready}/edit`, width: 360, scheme: 'dark' },
  ];
}

/** Writes a WebP of every screen and of the first visit into `folder`. */
export async function takePictures(server, folder) {
  await mkdir(folder, { recursive: true });
  const browser = await launch();
  const { session } = await signedIn(browser, server);
  const take = async (page, { name, width = 1440 }) => {
    await page.waitForFunction(() => [...document.images].every((image) => image.complete || image.loading === 'lazy'));
    await page.waitForTimeout(700);
    const picture = await page.screenshot();
    for (let quality = 78; quality > 20; quality -= 10) {
      const small = await sharp(picture)
        .resize({ width: width < 600 ? 360 : 960 })
        .webp({ quality })
        .toBuffer();
      if (small.length > MAX_BYTES) continue;
      await sharp(small).toFile(join(folder, `${name}.webp`));
      console.log(`${name}.webp ${(small.length / 1024).toFixed(0)} KB`);
      return;
    }
  };
  const open = async ({ path, scheme = 'light', width = 1440 }) => {
    const viewport = { width, height: width < 600 ? 760 : 900 };
    const context = await browser.newContext({ viewport, colorScheme: scheme });
    await context.addCookies(session);
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(server.url + path);
    await page.locator('main h1').first().waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-busy=true], .mantine-Loader-root') === null);
    return page;
  };

  const first = await open({ path: '/videos' });
  // Portraits are drawn on the first request.
  await first.waitForFunction(() =>
    [...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0),
  );
  await take(first, { name: 'first-visit' });
  await first.context().close();
  for (const screen of screensOf(await seed(server))) {
    const page = await open(screen);
    await screen.after?.(page);
    await take(page, screen);
    await screen.end?.(page);
    await page.context().close();
  }
  await browser.close();
}

async function seekInto(page) {
  const playhead = page.getByRole('slider', { name: /Playhead/ });
  await playhead.focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('Shift+ArrowRight');
  await page.getByRole('region', { name: 'Lip-sync' }).scrollIntoViewIfNeeded();
}

async function secondSlide(page) {
  await page.getByRole('button', { name: /^Slide 2/ }).click();
  await page.getByRole('tab', { name: 'Objects' }).click();
  await page.getByRole('button', { name: 'Write it once' }).click();
}

async function asRendered(page) {
  await page.getByText('As rendered').click();
  await page.getByRole('img', { name: /as the video will show it/ }).waitFor();
}

/** Uses the picture of a built-in presenter as a photo. */
async function choosePhoto(page) {
  const url = await page.locator('article img[alt^="Mei"]').getAttribute('src');
  const buffer = Buffer.from(await (await fetch(url)).arrayBuffer());
  await page.locator('input[type=file]').setInputFiles({ name: 'portrait.webp', mimeType: 'image/webp', buffer });
  await page.getByRole('button', { name: /^Right eye, inner/ }).focus();
}

async function goLive(page) {
  await page.getByRole('button', { name: 'Go live' }).click();
  await page.waitForFunction(() => (document.querySelector('video')?.videoWidth ?? 0) > 0);
  await page.getByLabel('What to say').fill('The tide comes in, and every boat in the harbour rises with it.');
  await page.getByRole('button', { name: 'Say it' }).click();
  await page.locator('.fh-captions [data-now=true]').waitFor();
  await page.waitForTimeout(1500);
}

async function endLive(page) {
  await page.getByRole('button', { name: 'End the stream' }).click();
  await page.getByText('The stream has ended').waitFor();
}
