// Screenshots: of the screens in docs/console.md, or of every screen at two widths in both colour schemes.
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { launch, seed, signedIn } from './stage.js';

const MAX_BYTES = 60_000;
const WIDE = 1440;
const PHONE = 390;

/**
 * Every screen. `after` prepares the screenshot, `end` restores the state. `page` is the name of the picture in docs/console.md,
 * in the colour scheme `scheme`; a screen without it is only among those of `takeAll`.
 */
function screensOf(ids) {
  return [
    { name: 'videos', path: '/videos', page: 'videos' },
    { name: 'new-video', path: '/videos', after: newVideo },
    { name: 'new-from-template', path: '/videos', page: 'new-from-template', after: newFromTemplate },
    { name: 'video', path: `/videos/${ids.ready}`, page: 'video' },
    { name: 'video-first', path: `/videos/${ids.ready}?first` },
    { name: 'video-failed', path: `/videos/${ids.failed}` },
    { name: 'lip-sync', path: `/videos/${ids.ready}?view=lip-sync`, page: 'lip-sync', scheme: 'dark', after: seekInto },
    { name: 'editor', path: `/videos/${ids.ready}/edit`, page: 'editor', after: secondSlide },
    { name: 'editor-slide', path: `/videos/${ids.ready}/edit` },
    { name: 'editor-video', path: `/videos/${ids.ready}/edit`, after: videoTab },
    { name: 'editor-layouts', path: `/videos/${ids.ready}/edit`, after: layouts },
    { name: 'editor-icons', path: `/videos/${ids.ready}/edit`, after: icons },
    {
      name: 'editor-rendered',
      path: `/videos/${ids.ready}/edit`,
      page: 'editor-rendered',
      scheme: 'dark',
      after: asRendered,
    },
    { name: 'templates', path: '/templates' },
    { name: 'template', path: `/templates/${ids.template}`, page: 'templates', after: dropTable },
    { name: 'batch', path: `/batches/${ids.batch}`, page: 'batch' },
    { name: 'import', path: '/import', page: 'import' },
    { name: 'outlines', path: '/outlines' },
    { name: 'outline', path: `/outlines/${ids.outline}`, page: 'outline' },
    { name: 'presenters', path: '/presenters', page: 'presenters' },
    { name: 'presenter', path: '/presenters?id=nora' },
    { name: 'photo', path: '/presenters?new=photo', page: 'photo', after: choosePhoto },
    { name: 'voices', path: '/voices', page: 'voices', scheme: 'dark' },
    { name: 'library', path: '/library', page: 'library' },
    { name: 'live', path: '/live', page: 'live', after: goLive, end: endLive },
    { name: 'agents', path: '/agents' },
    { name: 'agent', path: `/agents/${ids.agent}`, page: 'agent', after: typed, end: endTalk },
    { name: 'agent-settings', path: `/agents/${ids.agent}?tab=settings`, page: 'agent-settings' },
    { name: 'agent-transcripts', path: `/agents/${ids.agent}?tab=transcripts` },
    { name: 'agent-page', path: `/agents/${ids.agent}?tab=page` },
    { name: 'api', path: '/api', page: 'api' },
    { name: 'api-webhook', path: '/api?tab=webhook' },
    { name: 'api-deliveries', path: '/api?tab=deliveries' },
    { name: 'api-signature', path: '/api?tab=signature' },
    { name: 'api-missed', path: '/api?tab=missed' },
    { name: 'usage', path: '/usage', page: 'usage' },
    { name: 'settings', path: '/settings', page: 'settings' },
    { name: 'admin', path: '/admin', page: 'admin' },
    { name: 'admin-review', path: '/admin?tab=review' },
    { name: 'admin-plans', path: '/admin?tab=plans' },
    { name: 'admin-mail', path: '/admin?tab=mail' },
    { name: 'machines', path: '/admin?tab=machines', page: 'machines', scheme: 'dark' },
    { name: 'not-found', path: '/nowhere' },
    { name: 'videos-phone', path: '/videos', page: 'videos-phone', width: PHONE },
    { name: 'editor-phone', path: `/videos/${ids.ready}/edit`, page: 'editor-phone', width: PHONE, scheme: 'dark' },
  ];
}

/** Writes a WebP of every screen of docs/console.md, and of the first visit, into `folder`; `only` names some of them. */
export async function takePictures(server, folder, only = []) {
  const stage = await openStage(server, folder);
  const first = await stage.open({ path: '/videos', after: portraits });
  await take(stage, first, { page: 'first-visit', width: WIDE });
  await first.context().close();
  const screens = screensOf(await seed(server)).filter(
    ({ page }) => page !== undefined && (only.length === 0 || only.includes(page)),
  );
  for (const screen of screens) {
    await stage
      .visit({ ...screen, width: screen.width ?? WIDE }, (page, shown) => take(stage, page, shown))
      .catch((error) => console.error(`${screen.name}: ${error.message}`));
  }
  await stage.browser.close();
}

const PAGES = ['#ffffff', '#12151c', 'linear-gradient(135deg, #f6c667, #e2725b 55%, #6a4c93)'];

/** Writes a WebP of the element of docs/embed.md on three pages: before the start, speaking, and speaking without a background. */
export async function takeWidget(server, folder) {
  await mkdir(folder, { recursive: true });
  let token = '';
  const element = (background, at) => `<div style="background: ${background}; padding: 40px">
    <figurehead-presenter token="${token}" avatar="nora" ${at === 2 ? 'background="transparent"' : ''}></figurehead-presenter></div>`;
  const site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>Page</title><script type="module" src="${server.url}/embed/figurehead.js"></script>
      <body style="margin: 0; display: grid; grid-template-columns: repeat(3, 1fr)">${PAGES.map(element).join('')}`);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const origin = `http://127.0.0.1:${site.address().port}`;
  const wanted = { origins: [origin], avatarCode: 'nora', maxStreams: 2 };
  ({ token } = await server.call('POST', '/client-tokens', wanted));
  const browser = await launch();
  const page = await browser.newPage({ viewport: { width: 1290, height: 520 } });
  await page.goto(origin);
  await page.evaluate(async () => {
    await customElements.whenDefined('figurehead-presenter');
    const [, ...live] = document.querySelectorAll('figurehead-presenter');
    const text = 'Welcome. What are you looking for? I can show you every room of the museum, one after the other.';
    await Promise.all(live.map((presenter) => presenter.say(text)));
  });
  await page.waitForFunction(() =>
    [...document.querySelectorAll('figurehead-presenter')]
      .slice(1)
      .every(({ shadowRoot }) => shadowRoot.querySelector('.captions').textContent.trim() !== ''),
  );
  await take({ folder }, page, { page: 'widget', width: 1290 });
  await browser.close();
  site.close();
}

/** Writes a PNG of every screen as `WIDTH-SCHEME-NAME.png` into `folder`, the whole page each; `only` names some of them. */
export async function takeAll(server, folder, only = []) {
  const stage = await openStage(server, folder);
  const kinds = [WIDE, PHONE].flatMap((width) => ['light', 'dark'].map((scheme) => ({ width, scheme })));
  const wanted = ({ name }) => only.length === 0 || only.includes(name);
  const shoot = async (page, { name, width, scheme }) => {
    await settled(page);
    await page.screenshot({ path: join(folder, `${width}-${scheme}-${name}.png`), fullPage: true });
  };
  const before = [
    { name: 'sign-in', path: '/', stranger: true },
    { name: 'first-visit', path: '/videos', after: portraits },
  ];
  for (const screen of before.filter(wanted)) {
    for (const kind of kinds) await stage.visit({ ...screen, ...kind }, shoot);
  }
  const screens = screensOf(await seed(server)).filter((screen) => screen.width === undefined && wanted(screen));
  for (const screen of screens) {
    for (const kind of kinds) {
      // One screen that cannot be prepared does not hide the others.
      await stage
        .visit({ ...screen, ...kind }, shoot)
        .catch((error) => console.error(`${screen.name}: ${error.message}`));
    }
  }
  await stage.browser.close();
}

/** A signed-in browser that opens screens. */
async function openStage(server, folder) {
  await mkdir(folder, { recursive: true });
  const browser = await launch();
  const { session } = await signedIn(browser, server);
  const open = async ({ path, after, scheme = 'light', width = WIDE, stranger = false }) => {
    const viewport = { width, height: width < 600 ? 844 : 900 };
    const context = await browser.newContext({
      viewport,
      colorScheme: scheme,
      hasTouch: width < 600,
      isMobile: width < 600,
    });
    if (!stranger) await context.addCookies(session);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(server.url + path);
    await page
      .locator(stranger ? 'h1' : 'main h1')
      .first()
      .waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-busy=true], .mantine-Loader-root') === null);
    await after?.(page);
    return page;
  };
  const visit = async (screen, shoot) => {
    const page = await open(screen);
    await shoot(page, screen);
    await screen.end?.(page);
    await page.context().close();
  };
  return { folder, browser, open, visit };
}

/** Waits until pictures are loaded and nothing moves any more. */
async function settled(page) {
  await page.waitForFunction(() => [...document.images].every((image) => image.complete || image.loading === 'lazy'));
  await page.waitForTimeout(700);
}

/** One picture of docs/console.md, at the best quality that fits. */
async function take({ folder }, page, { page: name, width }) {
  await settled(page);
  const picture = await page.screenshot();
  for (let quality = 78; quality > 20; quality -= 10) {
    const small = await sharp(picture)
      .resize({ width: width < 600 ? PHONE : 960 })
      .webp({ quality })
      .toBuffer();
    if (small.length > MAX_BYTES) continue;
    await sharp(small).toFile(join(folder, `${name}.webp`));
    console.log(`${name}.webp ${(small.length / 1024).toFixed(0)} KB`);
    return;
  }
}

/** Portraits are drawn on the first request. */
async function portraits(page) {
  await page.waitForFunction(() =>
    [...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0),
  );
}

async function newVideo(page) {
  await page.getByRole('button', { name: 'New video' }).click();
  await page.getByRole('dialog').getByLabel('What should they say?').waitFor();
}

async function newFromTemplate(page) {
  await newVideo(page);
  await page.getByRole('tab', { name: 'From a template' }).click();
  await page.getByRole('button', { name: /^Quarterly report/ }).waitFor();
}

async function videoTab(page) {
  await page.getByRole('tab', { name: 'Video', exact: true }).click();
}

async function layouts(page) {
  await page.getByRole('button', { name: 'Slide', exact: true }).click();
  await page.getByRole('dialog', { name: 'New slide' }).waitFor();
}

async function icons(page) {
  await page.getByRole('button', { name: 'Icon', exact: true }).click();
  await page.getByRole('dialog', { name: 'Icons' }).getByLabel('Search icons').waitFor();
}

async function dropTable(page) {
  const rows = 'Name,City\nAda,London\nGrace,New York\nMary,Edinburgh\nKatherine,\n';
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
  await page.getByText('people.csv: 4 rows').waitFor();
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

async function typed(page) {
  await page.getByRole('switch', { name: 'Microphone' }).uncheck({ force: true });
  await page.getByRole('button', { name: 'Start the conversation' }).click();
  await page.waitForFunction(() => (document.querySelector('video')?.videoWidth ?? 0) > 0);
  const transcript = page.getByRole('log', { name: 'Transcript' });
  await transcript.getByText('Welcome!').waitFor();
  await page.getByLabel('Type instead of speaking').fill('What does a ticket cost?');
  await page.keyboard.press('Enter');
  await transcript.getByText('children are free').waitFor();
}

async function endTalk(page) {
  await page.getByRole('button', { name: 'End the conversation' }).click();
  await page.getByText('The conversation has ended').waitFor();
}

async function endLive(page) {
  await page.getByRole('button', { name: 'End the stream' }).click();
  await page.getByText('The stream has ended').waitFor();
}
