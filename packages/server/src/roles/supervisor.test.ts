import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { isAlive } from '../kernel/storage/processes.js';

const PROGRAM = fileURLToPath(new URL('../../bin/figurehead.js', import.meta.url));

let folder: string;
let dataDir: string;
const running = new Set<Server>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-start-'));
  chmodSync(folder, 0o755);
  dataDir = join(folder, 'data');
});
afterAll(async () => {
  for (const server of running) {
    server.process.kill('SIGTERM');
    await server.exited;
  }
  await rm(folder, { recursive: true, force: true });
});

interface Server {
  readonly process: ChildProcess;
  readonly output: () => string;
  /** Resolves with the address once it is printed. */
  readonly ready: Promise<string>;
  readonly exited: Promise<number | string | null>;
}

function environment(extra: Record<string, string>): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    FIGUREHEAD_DATA: dataDir,
    HOST: '127.0.0.1',
    PORT: '0',
    FIGUREHEAD_LOG_LEVEL: 'warn',
    // A role that gets SIGUSR1 opens its inspector on any free port; tests use that to block it.
    NODE_OPTIONS: '--inspect-port=127.0.0.1:0',
    ...extra,
  };
}

function start(extra: Record<string, string> = {}): Server {
  const child = spawn(process.execPath, [PROGRAM, 'start'], { cwd: folder, env: environment(extra) });
  let output = '';
  let announce = (_url: string): void => undefined;
  const ready = new Promise<string>((resolve) => {
    announce = resolve;
  });
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
    const address = /is ready: (\S+)/.exec(output)?.[1];
    if (address !== undefined) announce(address);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const server: Server = {
    process: child,
    output: () => output,
    ready,
    exited: new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        running.delete(server);
        resolve(signal ?? code);
      });
    }),
  };
  running.add(server);
  return server;
}

/** Runs a command until it ends. */
async function figurehead(
  args: string[],
  extra: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [PROGRAM, ...args],
      { cwd: folder, env: environment(extra) },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
  });
}

async function until(check: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function statusOf(url: string, token?: string): Promise<number> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return fetch(url, { headers }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );
}

/** Children of a supervisor by role. */
async function rolesOf(server: Server): Promise<Record<string, number>> {
  const roles: Record<string, number> = {};
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const [stat, command] = await Promise.all(
      ['stat', 'cmdline'].map((name) => readFile(`/proc/${entry}/${name}`, 'utf8').catch(() => '')),
    );
    const parent = Number(stat!.slice(stat!.lastIndexOf(')') + 2).split(' ')[1]);
    const role = /--role\0(\w+)/.exec(command!)?.[1];
    if (parent === server.process.pid && role !== undefined) roles[role] = Number(entry);
  }
  return roles;
}

async function postmaster(): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres', '18', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/**
 * Connects to the inspector of a process that `server` started, to run JavaScript in it.
 * @returns a function that sends an expression.
 */
async function openInspector(server: Server, pid: number): Promise<(expression: string) => Promise<void>> {
  const earlier = server.output().length;
  process.kill(pid, 'SIGUSR1');
  const address = () => /Debugger listening on (ws:\S+)/.exec(server.output().slice(earlier))?.[1];
  await until(() => address() !== undefined);
  const socket = new WebSocket(address() ?? '');
  await once(socket, 'open');
  return async (expression) => {
    const params = { expression, awaitPromise: true };
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
    await once(socket, 'message');
  };
}

describe.runIf(process.platform === 'linux')('figurehead start', () => {
  let server: Server;
  let url: string;
  let token: string;

  // Proves: D.operating.1
  test('prints the address when it is ready, and login and token on its first start', async () => {
    server = start();
    url = await server.ready;
    expect(await statusOf(`${url}/readyz`)).toBe(200);
    expect(server.output()).toMatch(/E-mail {5}\S+@\S+\n/);
    expect(server.output()).toMatch(/Password {3}\S{12,}\n/);
    token = /API token {2}(fh_\S+)/.exec(server.output())?.[1] ?? '';
    expect(await statusOf(`${url}/api/v1/videos`, token)).toBe(200);
  });

  test('a second one on the same folder, and one on a port in use, end with one sentence', async () => {
    const second = await figurehead(['start']);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toBe(
      `figurehead: Figurehead runs on ${dataDir} already (process ${server.process.pid}); stop it, or set FIGUREHEAD_DATA to another folder.\n`,
    );
    const { port } = new URL(url);
    const taken = await figurehead(['start'], { PORT: port, FIGUREHEAD_DATA: join(folder, 'other') });
    expect(taken).toMatchObject({
      code: 1,
      stderr: `figurehead: Port ${port} on 127.0.0.1 is in use by another program; set PORT to a free one.\n`,
    });
  });

  // Proves: D.operating.5, D.operating.12
  test('commands act on the database of the running server', async () => {
    const made = await figurehead([
      'workspace',
      'create',
      '--name',
      'W',
      '--plan',
      'Team',
      '--status',
      'active',
      '--minutes',
      '2.5',
      '--json',
    ]);
    const workspace = JSON.parse(made.stdout) as { _id: string };
    expect(workspace).toMatchObject({
      name: 'W',
      plan: 'Team',
      status: 'active',
      minutes: 2.5,
      allowOverlimit: false,
      moderation: 'off',
    });
    const fresh = JSON.parse(
      (await figurehead(['token', 'create', '--workspace', workspace._id, '--json'])).stdout,
    ) as { _id: string; token: string };
    expect(await statusOf(`${url}/api/v1/videos`, fresh.token)).toBe(200);
    expect((await figurehead(['token', 'revoke', fresh._id])).code).toBe(0);
    expect(await statusOf(`${url}/api/v1/videos`, fresh.token)).toBe(401);
    expect(await figurehead(['workspace', 'set', 'f'.repeat(24), '--minutes', '1'])).toMatchObject({
      code: 1,
      stderr: `figurehead: There is no workspace ${'f'.repeat(24)}.\n`,
    });
  });

  test('killed roles and PostgreSQL are restarted', async () => {
    const before = await rolesOf(server);
    for (const pid of Object.values(before)) process.kill(pid, 'SIGKILL');
    process.kill(await postmaster(), 'SIGKILL');
    await until(async () => {
      const now = await rolesOf(server);
      return Object.keys(before).every((role) => now[role] !== undefined && now[role] !== before[role]);
    });
    // Until they are ready, roles may be silent for longer.
    await until(() =>
      Object.keys(before).every((role) => server.output().includes(`The role ${role} is running again.`)),
    );
    await until(async () => (await statusOf(`${url}/api/v1/videos`, token)) === 200);
    await until(async () => (await statusOf(`${url}/readyz`)) === 200);
  });

  test('a slow but running role is not killed', async () => {
    const { worker } = await rolesOf(server);
    const evaluate = await openInspector(server, worker!);
    // Together longer than a role may be silent, with one turn of its event loop in between.
    await evaluate(`(async () => {
      for (let n = 0; n < 4; n++) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })()`);
    expect((await rolesOf(server))['worker']).toBe(worker);
    expect(server.output()).not.toContain('has not reported');
  });

  test('roles that hang, stopped or in an endless loop, are replaced, and their work is reported', async () => {
    const before = await rolesOf(server);
    const headers = { Authorization: `Bearer ${token}` };
    const events = await fetch(`${url}/api/v1/videos/events`, { headers });
    const evaluate = await openInspector(server, before['api']!);
    // The next report names the open request; the loop starts after it.
    void evaluate('setTimeout(() => { for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }, 1500)');
    process.kill(before['worker']!, 'SIGSTOP');
    await until(async () => {
      const now = await rolesOf(server);
      return ['api', 'worker'].every((role) => now[role] !== undefined && now[role] !== before[role]);
    });
    expect((await rolesOf(server))['streams']).toBe(before['streams']);
    expect(server.output()).toMatch(
      /The role api \(process \d+\) has not reported for 12 s; killing it\. Its last report: GET \/api\/v1\/videos\/events for \d+ s\./,
    );
    expect(server.output()).toMatch(/The role worker \(process \d+\) has not reported for 12 s; killing it\./);
    await until(async () => (await statusOf(`${url}/readyz`)) === 200);
    // The connection broke with the role.
    await events.body?.cancel().catch(() => undefined);
  });

  test('goes on while a role that was ready before cannot be started', async () => {
    const before = await rolesOf(server);
    let killed = before['worker']!;
    process.kill(killed, 'SIGKILL');
    for (let n = 0; n < 5; n++) {
      await until(async () => ![undefined, killed].includes((await rolesOf(server))['worker']));
      killed = (await rolesOf(server))['worker']!;
      process.kill(killed, 'SIGKILL');
    }
    const ended = server.output().length;
    await until(() => server.output().slice(ended).includes('The role worker is running again.'));
    const after = await rolesOf(server);
    expect([after['api'], after['streams']]).toEqual([before['api'], before['streams']]);
  });

  test('goes on without a reader of its output, and restarts roles', async () => {
    const before = await rolesOf(server);
    server.process.stdout?.destroy();
    server.process.stderr?.destroy();
    // Both the role and the supervisor have something to say about it.
    process.kill(before['worker']!, 'SIGKILL');
    await until(async () => {
      const { worker } = await rolesOf(server);
      return worker !== undefined && worker !== before['worker'];
    });
    expect(await statusOf(`${url}/api/v1/videos`, token)).toBe(200);
    const database = await postmaster();
    process.kill(database, 'SIGKILL');
    // Too short to be seen at /readyz.
    await until(async () => ![0, database].includes(await postmaster().catch(() => 0)));
    await until(async () => (await statusOf(`${url}/readyz`)) === 200);
    const after = await rolesOf(server);
    expect([after['api'], after['streams']]).toEqual([before['api'], before['streams']]);
    expect(server.process.exitCode).toBeNull();
  });

  test('the roles of a killed supervisor end, and the next start adopts PostgreSQL', async () => {
    const roles = Object.values(await rolesOf(server));
    const database = await postmaster();
    server.process.kill('SIGKILL');
    await server.exited;
    await until(() => roles.every((pid) => !isAlive(pid)));
    expect(isAlive(database)).toBe(true);
    server = start({ PORT: new URL(url).port });
    expect(await server.ready).toBe(url);
    expect(await postmaster()).toBe(database);
    expect(server.output()).toContain(`Adopted the PostgreSQL that was left running (process ${database}).`);
    expect(server.output()).not.toContain('Password');
    expect(await statusOf(`${url}/api/v1/videos`, token)).toBe(200);
  });

  test('a first signal ends everything in order', async () => {
    const pids = [...Object.values(await rolesOf(server)), await postmaster()];
    server.process.kill('SIGINT');
    expect(await server.exited).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await readdir(dataDir)).not.toContain('lock');
    expect(server.output()).toContain('a second signal stops at once');
  });

  // Proves: D.operating.12
  test('commands start the database when no server runs, and leave nothing running', async () => {
    const listed = await figurehead(['workspace', 'list', '--json']);
    expect((JSON.parse(listed.stdout) as { name: string }[]).map((item) => item.name)).toEqual(['My workspace', 'W']);
    await expect(readFile(join(dataDir, 'postgres', '18', 'postmaster.pid'))).rejects.toThrow('ENOENT');
  });

  // Proves: D.operating.3
  test('problems of configuration or folder are reported in one sentence each', async () => {
    const wrong = await figurehead(['start'], { FIGUREHEAD_SMTP_ULR: 'x', PORT: 'http' });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr.trim().split('\n')).toHaveLength(2);
    await writeFile(join(folder, 'file'), '');
    const place = join(folder, 'file', 'data');
    expect(await figurehead(['start'], { FIGUREHEAD_DATA: place })).toMatchObject({
      code: 1,
      stderr: `figurehead: The data folder ${place} is not writable (ENOTDIR); set FIGUREHEAD_DATA to one that is.\n`,
    });
    expect(await figurehead(['start', '--role', 'api'], { FIGUREHEAD_DATA: join(folder, 'none') })).toMatchObject({
      code: 1,
      stderr:
        'figurehead: The role api needs DATABASE_URL; without --role, `figurehead start` starts its own database.\n',
    });
  });

  // Proves: D.operating.4
  test('config prints every key as text and as JSON', async () => {
    const { stdout } = await figurehead(['config', '--json'], { FIGUREHEAD_TURN_SECRET: 'hush' });
    const lines = JSON.parse(stdout) as { key: string; value: string; source: string; meaning: string }[];
    expect(lines.find((line) => line.key === 'FIGUREHEAD_TURN_SECRET')).toMatchObject({
      value: '********',
      source: 'environment',
    });
    expect(lines.every((line) => line.meaning.endsWith('.'))).toBe(true);
    expect((await figurehead(['config'])).stdout).toContain('FIGUREHEAD_STREAM_IDLE_SECONDS=120\n');
  });
});
