import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../tests/chaos/ports.js';
import { createWire } from './wire.js';

const PROGRAM = fileURLToPath(new URL('../../packages/server/bin/figurehead.js', import.meta.url));

const READY_WITHIN_MS = 90_000;
const GONE_WITHIN_MS = 15_000;

/**
 * A server of its own: `figurehead start` on the loopback with a temporary data folder, its embedded PostgreSQL, and two workspaces: the attacker's
 * (the owner's, Enterprise) and an innocent one (Team). Close it.
 * @param options `folder`: where the data folder is made; `env`: settings beside the usual ones.
 */
export async function openStage({ folder, env = {} } = {}) {
  const base = folder ?? mkdtempSync(join(tmpdir(), 'figurehead-pressure-'));
  // PostgreSQL runs as another user when this is run by root.
  chmodSync(base, 0o755);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    PATH: process.env.PATH,
    FIGUREHEAD_DATA: join(base, 'data'),
    HOST: '127.0.0.1',
    PORT: String(port),
    FIGUREHEAD_URL: url,
    FIGUREHEAD_LOG_LEVEL: 'warn',
    FIGUREHEAD_TRUST_PROXY: '127.0.0.1',
    FIGUREHEAD_REQUEST_TIMEOUT_SECONDS: '5',
    FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1',
    FIGUREHEAD_DISK_RESERVE_MB: '64',
    ...env,
  };
  let server = await startServer(settings, base);
  const [, email] = /E-mail +(\S+)/.exec(server.output());
  const [, password] = /Password +(\S+)/.exec(server.output());
  const [, token] = /API token +(\S+)/.exec(server.output());
  const innocent = { token: await createInnocent(settings, base) };
  const wire = createWire(url);
  const stage = {
    url,
    folder: base,
    attacker: { token },
    innocent,
    owner: { email, password },
    call: wire.call,
    /** Calls with the attacker's token. */
    attack: (method, path, options = {}) => wire.call(method, `/api/v1${path}`, { token, ...options }),
    output: () => server.output(),
    /** Process id of a role's child process. */
    pidOf: (role) => rolesOf(server.pid)[role],
    postmaster: () =>
      Number(readFileSync(join(base, 'data', 'postgres', '18', 'postmaster.pid'), 'utf8').split('\n')[0]),
    async restart() {
      await server.stop();
      server = await startServer(settings, base);
    },
    async close() {
      wire.close();
      await server.stop();
      if (folder === undefined) rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return stage;
}

async function startServer(env, cwd) {
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
  const onExit = () => child.kill('SIGKILL');
  process.once('exit', onExit);
  const stop = async () => {
    // The first signal drains, the second ends the roles at once: what they work on is of no use here.
    child.kill('SIGTERM');
    await Promise.race([gone, sleep(1000)]);
    child.kill('SIGTERM');
    await Promise.race([gone, sleep(GONE_WITHIN_MS)]);
    // Without its supervisor a role ends by itself, unless it hangs.
    const left = Object.values(rolesOf(child.pid));
    child.kill('SIGKILL');
    for (const pid of left) kill(pid);
    await gone;
    process.off('exit', onExit);
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

/** A second workspace with a token, made by the command line as an operator would. */
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
function rolesOf(supervisor) {
  const roles = {};
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [stat, command] = ['stat', 'cmdline'].map((name) => read(`/proc/${entry}/${name}`));
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    const role = /--role\0(\w+)/.exec(command)?.[1];
    if (parent === supervisor && role !== undefined) roles[role] = Number(entry);
  }
  return roles;
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
