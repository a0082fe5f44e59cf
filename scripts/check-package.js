// `npm run check:package`: the installed package works. Packs the public packages, installs them into an empty folder
// as an ordinary user, loads every package in it, starts the program there, renders a video, watches a live stream,
// stops it, and removes the package. Prints sizes and times. Fails when the installation is too large. After a failure
// the folder is kept.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Receiver } from '../packages/media/dist/live/testing/receiver.js';
import { freePort } from '../tests/support/ports.js';
import { packAll } from './pack.js';

/** Largest installation on Linux, as `du -sm node_modules` counts (docs/decisions/0021). */
const MOST_MB = 500;

/** Maximum time for start, video and stop together, milliseconds. */
const DEADLINE_MS = 180_000;

/** Runs in the package: loads every bundled package that has code, and checks that every font file exists. */
const LOAD_EVERYTHING = `
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const programs = Object.keys(dependencies).filter((name) => {
  try {
    return /\\.[cm]?js$/.test(import.meta.resolve(name));
  } catch {
    return false;
  }
});
// The root of @noble/hashes only throws: its users load parts of it, as those of @trustnxt/c2pa-ts do.
const parts = ['manifest', 'asset', 'jumbf', 'cose'].map((part) => '@trustnxt/c2pa-ts/' + part);
for (const name of [...programs.filter((name) => name !== '@noble/hashes'), ...parts]) await import(name);
const text = process.cwd() + '/node_modules/@figurehead/media/dist/scene/text/';
const { readSlices } = await import(text + 'font-slices.js');
const catalogue = Object.values(await import(text + 'font-catalogue.js')).flatMap((part) => part.family ? [part] : Object.values(part));
const families = catalogue.filter((entry) => entry.package);
const files = families.flatMap((entry) => readSlices(entry, createRequire(text)).flatMap((slice) => slice.files));
console.log('loaded: ' + programs.length + ' packages, ' + files.length + ' font files');
if (programs.length < 100 || files.length < 500) throw new Error('expected at least 100 packages and 500 font files');
`;

/**
 * The unprivileged account that every system has: PostgreSQL refuses root, and an ordinary user has fewer permissions.
 */
const isRoot = process.getuid?.() === 0;
const account = isRoot ? { uid: 65534, gid: 65534 } : {};

const folder = mkdtempSync(join(tmpdir(), 'figurehead-package-'));
const home = join(folder, 'home');
mkdirSync(home);
writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
const tarballs = await timed('pack', () => packAll(join(folder, 'tarballs')));
if (isRoot)
  for (const name of ['', 'home', 'package.json', 'tarballs']) chownSync(join(folder, name), account.uid, account.gid);

// npm passes the repository's configuration to its scripts as variables, which would reach the npm started here.
const inherited = Object.entries(process.env).filter(
  ([name]) => !/^(npm_|INIT_CWD|FIGUREHEAD_|DATABASE_URL)/i.test(name),
);
const env = {
  ...Object.fromEntries(inherited),
  HOME: home,
  npm_config_update_notifier: 'false',
  FIGUREHEAD_NATURAL_VOICES: 'off',
};
const npm = (...args) =>
  execFileSync('npm', [...args, '--no-audit', '--no-fund'], { cwd: folder, env, ...account, stdio: 'inherit' });

await timed('install', () => npm('install', '--loglevel=error', ...Object.values(tarballs)));
const size = Math.ceil(sizeOf(join(folder, 'node_modules')) / 2 ** 20);
console.log(`installed: ${size} MB in node_modules`);
expect(process.platform !== 'linux' || size <= MOST_MB, `at most ${MOST_MB} MB, found ${size}`);
const version = execFileSync('npx', ['figurehead', '--version'], { cwd: folder, env, ...account })
  .toString()
  .trim();
expect(tarballs.figurehead.endsWith(`figurehead-${version}.tgz`), `the tarball's version, found ${version}`);
evaluate(folder, "await import('@figurehead/sdk'); await import('@figurehead/contract/document');");
evaluate(join(folder, 'node_modules', 'figurehead'), LOAD_EVERYTHING);
await tryServer();
await timed('uninstall', () => npm('uninstall', '--loglevel=error', ...Object.keys(tarballs)));
expect(!existsSync(join(folder, 'node_modules', 'figurehead')), 'nothing of the package after npm uninstall');
rmSync(folder, { recursive: true, force: true });
console.log('check:package: ok');

function evaluate(cwd, script) {
  const args = ['--input-type=module', '--eval', script];
  execFileSync(process.execPath, args, { cwd, env, stdio: ['ignore', 'inherit', 'ignore'], ...account });
}

/** Start, hello video, live stream, stop. */
async function tryServer() {
  const port = await freePort();
  const server = spawn('npx', ['figurehead', 'start'], {
    ...{ cwd: folder, env: { ...env, PORT: String(port) }, detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
    ...account,
  });
  let printed = '';
  server.stdout.on('data', (data) => {
    printed += data;
  });
  const ended = once(server, 'exit');
  const overdue = setTimeout(() => process.kill(-server.pid, 'SIGKILL'), DEADLINE_MS);
  try {
    const call = await timed('first start', async () => {
      const token = await until('a token on the console', () => /\bfh_[\w-]+(?=\s)/.exec(printed)?.[0], server);
      return caller(`http://127.0.0.1:${port}/api/v1`, token);
    });
    await timed('hello video', () => renderHello(call, server));
    await timed('live stream', () => watchStream(call, server));
  } catch (error) {
    console.error(printed);
    throw error;
  } finally {
    await timed('stop', async () => {
      // Ctrl-C: the terminal signals the whole group, because npx does not forward signals.
      process.kill(-server.pid, 'SIGINT');
      await ended;
      // npx may end before the process that it started.
      for (let i = 0; i < 100 && processesBelow().length > 0; i++) await pause(200);
      clearTimeout(overdue);
    });
  }
  const left = processesBelow();
  expect(left.length === 0, `no process 20 s after the stop, found:\n${left.join('\n')}`);
}

async function renderHello(call, server) {
  const slides = [{ id: 1, speech: 'Hello from a package.', avatar: { code: 'nora' } }];
  const { _id } = await call('POST', '/videos', { name: 'Hello', slides });
  await call('POST', `/videos/render/${_id}`);
  const video = await until(
    'a video that is ready',
    async () => {
      const found = await call('GET', `/videos/${_id}`);
      expect(found.status !== 'error', 'a video without error');
      return found.status === 'ready' ? found : undefined;
    },
    server,
  );
  const { headers } = await fetch(video.url, { method: 'HEAD' });
  console.log(`video: ${headers.get('content-type')}, ${headers.get('content-length')} bytes, ${video.duration} s`);
  expect(headers.get('content-type') === 'video/mp4' && Number(headers.get('content-length')) > 50_000, 'an MP4 file');
}

/** A live stream as viewers receive it: pictures arrive, and a text is spoken to its end. */
async function watchStream(call, server) {
  // The stream host measures the machine first, so it is polled until it is ready.
  const { id, webrtcData } = await until(
    'an offer',
    () =>
      call('POST', '/streams', { avatarCode: 'nora' }).catch((error) =>
        [429, 503].includes(error.status) ? undefined : Promise.reject(error),
      ),
    server,
  );
  const events = [];
  const receiver = new Receiver(webrtcData.offer.sdp, { onEvent: ({ type }) => events.push(type) });
  try {
    await call('PUT', `/streams/${id}`, { answer: { type: 'answer', sdp: await receiver.answer() } });
    await call('POST', `/streams/render/${id}`, { text: 'Hello from a package.' });
    await until('the end of the speech', async () => events.includes('speech.ended') || undefined, server);
    console.log(`${receiver.counts.frames} pictures`);
    expect(receiver.counts.frames > 20, `more than 20 pictures of a spoken sentence, got ${receiver.counts.frames}`);
    await call('DELETE', `/streams/${id}`);
  } finally {
    receiver.close();
  }
}

function caller(base, token) {
  return async (method, path, body) => {
    const answer = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok)
      throw Object.assign(new Error(`${method} ${path}: ${answer.status} ${text}`), { status: answer.status });
    return JSON.parse(text);
  };
}

/** Polls until there is an answer; the overall deadline ends the server, and with it the polling. */
async function until(what, ask, server) {
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (server.exitCode !== null || server.signalCode !== null)
      throw new Error(`the server ended before there was ${what}`);
    await pause(200);
  }
}

/** Command lines of programs that were started from the installation. */
function processesBelow() {
  const lines = execFileSync('ps', ['-eo', 'pid,args']).toString().split('\n');
  return lines.filter((line) => line.includes(folder) && !line.includes(basename(import.meta.filename)));
}

async function timed(what, work) {
  const started = Date.now();
  const result = await work();
  console.log(`${what}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return result;
}

/** Bytes on the disk, where a small file takes a whole block. */
function sizeOf(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).blocks * 512, 0);
}

function expect(isTrue, what) {
  if (!isTrue) throw new Error(`check:package: expected ${what} (${folder})`);
}
