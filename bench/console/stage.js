// A separate server with sample content, and a signed-in browser.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { freePort } from '../../tests/support/ports.js';

const PROGRAM = fileURLToPath(new URL('../../packages/server/dist/main.js', import.meta.url));

/** Starts a whole installation in a temporary folder; the caller closes it. @param options `{program, env}` instead of the built program of this checkout, and more configuration */
export async function openServer({ program = PROGRAM, env: more = {} } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'fh-console-'));
  // PostgreSQL runs as another user when this one is root.
  await chmod(folder, 0o711);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    HOST: '127.0.0.1',
    PORT: String(port),
    FIGUREHEAD_URL: url,
    FIGUREHEAD_DATA: folder,
    FIGUREHEAD_NATURAL_VOICES: 'off',
    FIGUREHEAD_MEDIA_ALLOW_PRIVATE: '1',
    FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1',
    ...more,
  };
  const child = spawn(process.execPath, [program, 'start'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  let said = '';
  await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the server did not start:\n${said}`)));
    child.stdout.on('data', (text) => {
      said += text;
      if (/API token\s+fh_\S+\n/.test(said)) resolve();
    });
  });
  const read = (name) => new RegExp(`${name}\\s+(\\S+)`).exec(said)?.[1] ?? '';
  const token = read('API token');
  return {
    url,
    token,
    email: read('E-mail'),
    password: read('Password'),
    async call(method, path, body) {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const read = await answer.json();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${read.message}`);
      return read;
    },
    async close() {
      child.kill('SIGTERM');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function launch() {
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
export async function signedIn(browser, server) {
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
  voice: avatar === 'nora' || avatar === 'mei' ? 'slt' : 'rms',
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
  avatarCode: 'nora',
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
  // The bench ends without waiting for it.
  receiver.unref();
  await once(receiver, 'listening');
  const body = { url: `http://127.0.0.1:${receiver.address().port}/hooks`, techEmail: 'tech@example.com' };
  await server.call('POST', '/webhook', body);
  await server.call('PUT', '/webhook/secret', { secret: 'a secret of the bench' });
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
  const { _id } = await make('Harbour news', [slide(1, 'The new pier opens on Monday.', 'helen')]);
  await server.call('POST', `/videos/render/${_id}`);
  while ((await server.call('GET', `/videos/${_id}`)).status !== 'moderation') {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await moderate('off');
}

/** Videos in several states, a template, an outline, a folder; waits for the rendered ones. */
export async function seed(server) {
  const make = (name, slides, more = {}) => server.call('POST', '/videos', { name, slides, ...more });
  const canvas = (background, ...objects) => ({ canvas: { background, version: '6.0.0', objects } });
  const welcome = await make(
    'Welcome aboard',
    [
      slide(1, 'Welcome aboard. I am glad that you are here, and I will show you around.', 'nora', {
        expression: 'friendly',
      }),
      slide(2, 'Every video starts with a script.', 'leo', canvas('#dfe8f2', title('Write it once', 36, 60))),
      slide(3, 'Then you send it to everyone.', 'mei', canvas('#f6ead7', title('Say it to all', 36, 60))),
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
  const broken = await make('Harbour tour', [slide(1, 'This way, please.', 'ava', { voice: 'unknown' })]);
  await make('Quarterly figures', [slide(1, 'A draft.', 'marcus')]);
  await make('Greeting', [slide(1, 'Hello {{name}}, welcome to {{city}}!', 'helen')], { type: 'template' });
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
      if (status === 'error') throw new Error(`a video of the bench failed: ${error}`);
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
