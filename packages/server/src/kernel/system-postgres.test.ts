import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../config.js';
import { createKernel } from './create-kernel.js';
import { waitForDatabase } from './database-wait.js';

const postgres = findPostgres();

test.runIf(postgres !== undefined)('a PostgreSQL of the system serves as DATABASE_URL', async () => {
  const { url, stop } = await startServer(postgres!);
  const dataDir = mkdtempSync(join(tmpdir(), 'fh-data-'));
  try {
    await waitForDatabase(url, () => undefined);
    const kernel = await createKernel(
      loadConfig({ env: { DATABASE_URL: url, FIGUREHEAD_DATA: dataDir, FIGUREHEAD_LOG_LEVEL: 'silent' } }),
      'test',
    );
    await kernel.queue.define('jobs', { heartbeatSeconds: 10, attempts: 2 });
    const done = new Promise<unknown>((resolve) => {
      void kernel.queue.work('jobs', { concurrency: 1 }, async (job) => resolve(job.data));
    });
    await kernel.db.transaction().execute((tx) => kernel.queue.enqueue(tx, 'jobs', { n: 1 }));
    expect(await done).toEqual({ n: 1 });
    await kernel.lifecycle.close();
  } finally {
    await stop();
    rmSync(dataDir, { recursive: true });
  }
});

test('a database that refuses us is named in one sentence, without its password', async () => {
  const closed = await freePort();
  const away = waitForDatabase(`postgres://u:hunter2@127.0.0.1:${closed}/d`, () => undefined, 0);
  await expect(away).rejects.toThrow(/^The database d on 127\.0\.0\.1 cannot be reached \(ECONNREFUSED\)\.$/);
});

function findPostgres(): string | undefined {
  const found = spawnSync('sh', ['-c', 'command -v postgres']).stdout?.toString().trim();
  if (!found) return undefined;
  const folder = dirname(realpathSync(found));
  return existsSync(join(folder, 'initdb')) ? folder : undefined;
}

async function startServer(folder: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'fh-system-'));
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  chmodSync(home, 0o755);
  const cluster = join(home, 'cluster');
  mkdirSync(cluster, { mode: 0o700 });
  if (account.uid !== undefined) chownSync(cluster, account.uid, account.gid);
  execFileSync(
    join(folder, 'initdb'),
    ['-D', cluster, '-U', 'figurehead', '--auth=trust', '--encoding=UTF8', '--locale=C', '-N'],
    {
      ...account,
      cwd: cluster,
      stdio: 'ignore',
    },
  );
  const port = await freePort();
  const args = ['-D', cluster, '-k', '', '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-p', String(port)];
  const server = spawn(join(folder, 'postgres'), args, { ...account, cwd: cluster, stdio: 'ignore' });
  return {
    url: `postgres://figurehead@127.0.0.1:${port}/postgres`,
    stop: async () => {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      await gone;
      rmSync(home, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
