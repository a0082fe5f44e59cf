import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/ports.js';
import { createWire } from './wire.js';

const PROGRAM = fileURLToPath(new URL('../../packages/server/bin/figurehead.js', import.meta.url));

const READY_WITHIN_MS = 90_000;
const GONE_WITHIN_MS = 15_000;

/**
 * A separate server: `figurehead start` on the loopback interface with its own data folder, and two workspaces: the attacker's (the owner's,
 * Enterprise) and an innocent one (Team). Close it.
 * @param folder for the data; a temporary folder when absent.
 */
export async function openStage(folder) {
  const base = folder ?? openFolder();
  const env = environment(base, await freePort());
  let server = await startServer(env, base);
  const told = (pattern) => pattern.exec(server.output())[1];
  const owner = { email: told(/E-mail +(\S+)/), password: told(/Password +(\S+)/) };
  const attacker = { token: told(/API token +(\S+)/) };
  const innocent = { token: await createInnocent(env, base) };
  const wire = createWire(env.FIGUREHEAD_URL);
  return {
    url: env.FIGUREHEAD_URL,
    folder: base,
    owner,
    attacker,
    innocent,
    call: wire.call,
    /** Calls with the attacker's token. */
    attack: (method, path, options = {}) => wire.call(method, `/api/v1${path}`, { token: attacker.token, ...options }),
    output: () => server.output(),
    /** Process id of a role's child process. */
    pidOf: (role) => rolesOf(server.pid)[role],
    postmaster: () => postmasterOf(base),
    async restart() {
      await server.stop();
      server = await startServer(env, base);
    },
    async close() {
      wire.close();
      await server.stop();
      if (folder === undefined) rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Signs the owner in: some routes are for the console only, and outlines with API tokens are limited to five per minute. */
export async function cookieOf(stage) {
  const { headers } = await stage.call('POST', '/api/v1/session', { body: stage.owner });
  return String(headers['set-cookie']).split(';')[0];
}

/** A temporary folder that PostgreSQL can access: it runs as another user when this runs as root. */
export function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'figurehead-pressure-'));
  chmodSync(folder, 0o755);
  return folder;
}

function environment(folder, port) {
  return {
    PATH: process.env.PATH,
    FIGUREHEAD_DATA: join(folder, 'data'),
    FIGUREHEAD_NATURAL_VOICES: 'off',
    HOST: '127.0.0.1',
    PORT: String(port),
    FIGUREHEAD_URL: `http://127.0.0.1:${port}`,
    FIGUREHEAD_LOG_LEVEL: 'warn',
    FIGUREHEAD_TRUST_PROXY: '127.0.0.1',
    FIGUREHEAD_REQUEST_TIMEOUT_SECONDS: '5',
    FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1',
    FIGUREHEAD_DISK_RESERVE_MB: '64',
  };
}

/** Starts `figurehead start` and waits until it is ready. @returns `{pid, output(), stop()}`. */
export async function startServer(env, cwd) {
  const child = spawn(process.execPath, [PROGRAM, 'start'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  let isGone = false;
  const gone = new Promise((resolve) =>
    child.once('exit', () => {
      isGone = true;
      resolve();
    }),
  );
  const killAll = () => {
    const left = [child.pid, ...Object.values(rolesOf(child.pid)), postmasterOf(cwd)];
    for (const pid of left) if (pid !== undefined) kill(pid);
  };
  process.once('exit', killAll);
  const stop = async () => {
    // The first signal drains, the second ends the roles at once, because their work is not needed.
    child.kill('SIGTERM');
    await Promise.race([gone, sleep(1000)]);
    child.kill('SIGTERM');
    await Promise.race([gone, sleep(GONE_WITHIN_MS)]);
    if (!isGone) killAll();
    await gone;
    process.off('exit', killAll);
  };
  const until = Date.now() + READY_WITHIN_MS;
  while (!output.includes('is ready:')) {
    if (isGone || Date.now() > until) {
      await stop();
      throw new Error(`the server did not start:\n${output}`);
    }
    await sleep(50);
  }
  return { pid: child.pid, output: () => output, stop };
}

/** Creates a second workspace with a token on the command line, like an operator. */
async function createInnocent(env, cwd) {
  const figurehead = (...args) =>
    new Promise((resolve, reject) =>
      execFile(process.execPath, [PROGRAM, ...args, '--json'], { cwd, env }, (error, stdout) =>
        error === null ? resolve(JSON.parse(stdout)) : reject(error),
      ),
    );
  const settings = ['--name', 'Innocent', '--plan', 'Team', '--status', 'active', '--minutes', '100'];
  const { _id } = await figurehead('workspace', 'create', ...settings);
  return (await figurehead('token', 'create', '--workspace', _id)).token;
}

/** Children of a supervisor by role: `{api: pid, …}`. Linux only. */
export function rolesOf(supervisor) {
  const roles = {};
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [stat, command] = ['stat', 'cmdline'].map((name) => read(`/proc/${entry}/${name}`));
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    const role = /--role\0(\w+)/.exec(command)?.[1];
    if (parent === supervisor && role !== undefined) roles[role] = Number(entry);
  }
  return roles;
}

/** Process id of the embedded PostgreSQL of a folder; `undefined` when it does not run. */
export function postmasterOf(folder) {
  const [pid] = read(join(folder, 'data', 'postgres', '18', 'postmaster.pid')).split('\n');
  return pid === '' ? undefined : Number(pid);
}

/** A file of a process, empty when the process is gone. */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
