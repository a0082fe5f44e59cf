// `node scripts/console-pictures.js [NAME …]` after `npm run build` takes the screenshots of docs/console.md and docs/embed.md again, or those with these
// names, with its own server.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { runnerImport } from 'vite';
import { openServer } from '../bench/installation.js';
import { root } from './paths.js';

const MAX_BYTES = 60_000;
const WIDE = 1440;
const PHONE = 390;

/** The screens of docs/console.md: `page` names the picture, `after` prepares it, `end` restores the state. */
function screensOf(ids) {
  return [
    { path: '/videos', page: 'videos' },
    { path: '/videos', page: 'new-from-template', after: newFromTemplate },
    { path: `/videos/${ids.ready}`, page: 'video' },
    { path: `/videos/${ids.ready}?view=lip-sync`, page: 'lip-sync', scheme: 'dark', after: seekInto },
    { path: `/videos/${ids.ready}/edit`, page: 'editor', after: secondSlide },
    { path: `/videos/${ids.ready}/edit`, page: 'editor-rendered', scheme: 'dark', after: asRendered },
    { path: `/templates/${ids.template}`, page: 'templates', after: dropTable },
    { path: `/batches/${ids.batch}`, page: 'batch' },
    { path: '/import', page: 'import' },
    { path: `/outlines/${ids.outline}`, page: 'outline' },
    { path: '/presenters', page: 'presenters' },
    { path: '/presenters?new=photo', page: 'photo', after: choosePhoto },
    { path: '/voices', page: 'voices', scheme: 'dark' },
    { path: '/library', page: 'library' },
    { path: '/live', page: 'live', after: goLive, end: endLive },
    { path: `/agents/${ids.agent}`, page: 'agent', after: typed, end: endTalk },
    { path: `/agents/${ids.agent}?tab=settings`, page: 'agent-settings' },
    { path: '/api', page: 'api' },
    { path: '/usage', page: 'usage' },
    { path: '/settings', page: 'settings' },
    { path: '/admin', page: 'admin' },
    { path: '/admin?tab=machines', page: 'machines', scheme: 'dark' },
    { path: '/videos', page: 'videos-phone', width: PHONE },
    { path: `/videos/${ids.ready}/edit`, page: 'editor-phone', width: PHONE, scheme: 'dark' },
  ];
}

/** Writes a WebP of every screen of docs/console.md, and of the first visit; `only` names some of them. */
async function takePictures(server, only) {
  const stage = await openStage(server);
  if (only.length === 0 || only.includes('first-visit')) {
    const first = await stage.open({ path: '/videos', after: portraits, width: WIDE });
    await take(first, { page: 'first-visit', width: WIDE });
    await first.context().close();
  }
  const screens = screensOf(await seed(server)).filter(({ page }) => only.length === 0 || only.includes(page));
  for (const { width = WIDE, ...screen } of screens) {
    const page = await stage.open({ ...screen, width });
    await take(page, { page: screen.page, width });
    await screen.end?.(page);
    await page.context().close();
  }
  await stage.browser.close();
}

const PAGES = ['#ffffff', '#12151c', 'linear-gradient(135deg, #f6c667, #e2725b 55%, #6a4c93)'];

/** Writes a WebP of the element of docs/embed.md on three pages: before the start, speaking, and speaking without a background. */
async function takeWidget(server) {
  let token = '';
  const element = (background, at) => `<div style="background: ${background}; padding: 40px">
    <figurehead-presenter token="${token}" avatar="zola" ${at === 2 ? 'background="transparent"' : ''}></figurehead-presenter></div>`;
  const site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>Page</title><script type="module" src="${server.url}/embed/figurehead.js"></script>
      <body style="margin: 0; display: grid; grid-template-columns: repeat(3, 1fr)">${PAGES.map(element).join('')}`);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const origin = `http://127.0.0.1:${site.address().port}`;
  const wanted = { origins: [origin], avatarCode: 'zola', maxStreams: 2 };
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
  await take(page, { page: 'widget', width: 1290 }, 'docs/images');
  await browser.close();
  site.close();
}

/** A signed-in browser that opens screens. */
async function openStage(server) {
  const browser = await launch();
  const { session } = await signedIn(browser, server);
  const open = async ({ path, after, scheme = 'light', width }) => {
    const viewport = { width, height: width < 600 ? 844 : 900 };
    const context = await browser.newContext({
      viewport,
      colorScheme: scheme,
      hasTouch: width < 600,
      isMobile: width < 600,
    });
    await context.addCookies(session);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(server.url + path);
    await page.locator('main h1').first().waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-busy=true], .mantine-Loader-root') === null);
    await after?.(page);
    return page;
  };
  return { browser, open };
}

/** Waits until pictures are loaded and nothing moves any more. */
async function settled(page) {
  await page.waitForFunction(() => [...document.images].every((image) => image.complete || image.loading === 'lazy'));
  await page.waitForTimeout(700);
}

/** One picture of docs/console.md, at the best quality that fits. */
async function take(page, { page: name, width }, folder = 'docs/images/console') {
  await settled(page);
  const picture = await page.screenshot();
  for (let quality = 78; quality > 20; quality -= 10) {
    const small = await sharp(picture)
      .resize({ width: width < 600 ? PHONE : 960 })
      .webp({ quality })
      .toBuffer();
    if (small.length > MAX_BYTES) continue;
    await sharp(small).toFile(join(root, folder, `${name}.webp`));
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

async function newFromTemplate(page) {
  await page.getByRole('button', { name: 'New video' }).click();
  await page.getByRole('dialog').getByLabel('What should they say?').waitFor();
  await page.getByRole('tab', { name: 'From a template' }).click();
  await page.getByRole('button', { name: /^Quarterly report/ }).waitFor();
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

function launch() {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--autoplay-policy=no-user-gesture-required',
    ],
  });
}

/** The session cookie of the owner, in the form for `addCookies`. */
async function signedIn(browser, server) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(server.url);
  await page.getByLabel('E-mail').fill(server.email);
  await page.locator('input[type=password]').fill(server.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Videos', level: 1 }).waitFor();
  const cookies = await context.cookies();
  await context.close();
  return { session: cookies.map(({ name, value }) => ({ name, value, url: server.url })) };
}

const slide = (id, speech, avatar, more = {}) => ({
  id,
  speech,
  voice: avatar === 'omar' || avatar === 'minh' ? 'rms' : 'slt',
  voiceProvider: 'flite',
  language: 'English',
  avatar: { code: avatar },
  hasAvatar: true,
  canvas: { background: '#e7efe9', version: '6.0.0', objects: [] },
  ...more,
});
const title = (text, left, top) => ({
  type: 'textbox',
  text,
  left,
  top,
  width: 300,
  height: 40,
  fontSize: 34,
  fontFamily: 'Playfair Display',
  fontWeight: 'bold',
  fill: '#22211e',
});

const ROWS = [
  { name: 'Ada', city: 'London' },
  { name: 'Grace', city: 'New York' },
  { name: 'Mary', city: 'Edinburgh' },
];

const AGENT = {
  name: 'Museum guide',
  prompt:
    'You are the guide of a small museum of the sea. Tickets cost nine euros, children are free. Answer in two sentences.',
  avatarCode: 'zola',
  greeting: 'Welcome! What would you like to know?',
  apology: 'Sorry, please say that again.',
  tools: [
    {
      name: 'show_map',
      description: 'Shows a room on the map.',
      parameters: { type: 'object', properties: { room: { type: 'string' } }, required: ['room'] },
    },
  ],
};

/** Subscribes a webhook whose receiver refuses each third event. */
async function receive(server) {
  let events = 0;
  const receiver = createServer((request, response) => {
    request.resume();
    events += 1;
    response.writeHead(events % 3 === 0 ? 503 : 200).end(events % 3 === 0 ? 'busy' : 'thanks');
  }).listen(0, '127.0.0.1');
  // The program ends without waiting for it.
  receiver.unref();
  await once(receiver, 'listening');
  const body = { url: `http://127.0.0.1:${receiver.address().port}/hooks`, techEmail: 'tech@example.com' };
  await server.call('POST', '/webhook', body);
  await server.call('PUT', '/webhook/secret', { secret: 'a secret of these pictures' });
}

/** A video that waits for a reviewer. */
async function review(server, make) {
  // An API token cannot administrate.
  const { email, password } = server;
  const send = (method, path, body, cookie = '') =>
    fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin: server.url, cookie },
      ...(body && { body: JSON.stringify(body) }),
    });
  const entered = await send('POST', '/session', { email, password });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0];
  const { workspace } = await entered.json();
  const moderate = (moderation) => send('PATCH', `/admin/workspaces/${workspace._id}`, { moderation }, cookie);
  await moderate('all');
  const { _id } = await make('Harbour news', [slide(1, 'The new pier opens on Monday.', 'lian')]);
  await server.call('POST', `/videos/render/${_id}`);
  while ((await server.call('GET', `/videos/${_id}`)).status !== 'moderation') {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await moderate('off');
}

/** Videos in several states, a template, an outline, a folder; waits for the rendered ones. */
async function seed(server) {
  const make = (name, slides, more = {}) => server.call('POST', '/videos', { name, slides, ...more });
  const canvas = (background, ...objects) => ({ canvas: { background, version: '6.0.0', objects } });
  const welcome = await make(
    'Welcome aboard',
    [
      slide(1, 'Welcome aboard. I am glad that you are here, and I will show you around.', 'zola', {
        expression: 'friendly',
      }),
      slide(2, 'Every video starts with a script.', 'minh', canvas('#dfe8f2', title('Write it once', 36, 60))),
      slide(3, 'Then you send it to everyone.', 'vera', canvas('#f6ead7', title('Say it to all', 36, 60))),
    ],
    { tags: ['onboarding'] },
  );
  const tides = await make(
    'Tide tables, explained',
    [slide(1, 'High water comes twice a day.', 'walter', canvas('#dfe8f2'))],
    {
      tags: ['course'],
    },
  );
  const broken = await make('Harbour tour', [slide(1, 'This way, please.', 'clara', { voice: 'unknown' })]);
  await make('Quarterly figures', [slide(1, 'A draft.', 'omar')]);
  await make('Greeting', [slide(1, 'Hello {{name}}, welcome to {{city}}!', 'lian')], { type: 'template' });
  await server.call('POST', '/folders', { name: 'Onboarding' });
  const { _id: agent } = await server.call('POST', '/agents', AGENT);
  await receive(server);
  const outline = await server.call('POST', '/outline', {
    title: 'Tides',
    source:
      '# Ebb\nWater goes out. It leaves sand and shells.\n# Flood\nWater comes in. It lifts every boat in the harbour.',
  });
  await server.call('POST', `/outline/${outline._id}/generate-chapters`, {});
  await server.call('POST', `/outline/${outline._id}/generate-script`, {});
  for (const { _id } of [welcome, tides, broken]) await server.call('POST', `/videos/render/${_id}`);
  const template = (await server.call('GET', '/videos?type=template')).videos[0];
  for (const { _id } of [welcome, tides]) {
    for (;;) {
      const { status, error } = await server.call('GET', `/videos/${_id}`);
      if (status === 'error') throw new Error(`a video of these pictures failed: ${error}`);
      if (status === 'ready') break;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
  const { requestId } = await server.call('POST', `/videos/renderTemplate/${template._id}`, {
    templateData: ROWS,
    nameKey: 'name',
  });
  while ((await server.call('GET', `/batches/${requestId}`)).videos.some(({ status }) => status !== 'ready')) {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await review(server, make);
  return {
    agent,
    ready: welcome._id,
    failed: broken._id,
    template: template._id,
    outline: outline._id,
    batch: requestId,
  };
}

/** A scripted language model and recogniser, for outlines and the conversation with an agent. */
async function openModels() {
  const path = fileURLToPath(new URL('../tests/support/language-model.ts', import.meta.url));
  const opened = await (await runnerImport(path)).module.openLanguageModel();
  const chapters = [
    { title: 'Ebb', summary: 'Water goes out. It leaves sand and shells.' },
    { title: 'Flood', summary: 'Water comes in. It lifts every boat in the harbour.' },
  ];
  const outline = { chapters, script: 'Twice a day the sea comes and goes. Today we look at what it leaves behind.' };
  opened.script(({ stream }) =>
    stream ? 'A ticket costs nine euros, and children are free.' : JSON.stringify(outline),
  );
  return opened;
}

const only = process.argv.slice(2);
const models = await openModels();
const server = await openServer({ env: { FIGUREHEAD_LLM_URL: models.url, FIGUREHEAD_STT_URL: models.url } });
try {
  await takePictures(server, only);
  if (only.length === 0 || only.includes('widget')) await takeWidget(server);
} finally {
  await server.close();
  await models.close();
}
