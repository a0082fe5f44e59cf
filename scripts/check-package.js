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
import { freePort } from '../tests/support/ports.js';
import { caller, expect, renderHello, timed, until, watchStream } from './first-contact.js';
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
evaluate(
  folder,
  "await import('@figurehead/sdk'); await import('@figurehead/contract/document'); await import('@figurehead/presenter-web');",
);
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
  // The overall deadline ends the server, and with it all waiting.
  const assertAlive = (what) =>
    expect(server.exitCode === null && server.signalCode === null, `${what} before the server ended`);
  try {
    const call = await timed('first start', async () => {
      const token = await until('a token on the console', () => /\bfh_[\w-]+(?=\s)/.exec(printed)?.[0], assertAlive);
      return caller(`http://127.0.0.1:${port}/api/v1`, token);
    });
    await timed('hello video', () => renderHello(call, assertAlive));
    await timed('live stream', () => watchStream(call, assertAlive));
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

/** Command lines of programs that were started from the installation. */
function processesBelow() {
  const lines = execFileSync('ps', ['-eo', 'pid,args']).toString().split('\n');
  return lines.filter((line) => line.includes(folder) && !line.includes(basename(import.meta.filename)));
}

/** Bytes on the disk, where a small file takes a whole block. */
function sizeOf(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).blocks * 512, 0);
}
