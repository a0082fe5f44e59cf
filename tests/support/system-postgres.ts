import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from './ports.js';

/** Folder of the machine's PostgreSQL programs; `undefined` without one. */
export function findSystemPostgres(): string | undefined {
  const found = spawnSync('sh', ['-c', 'command -v postgres']).stdout?.toString().trim();
  if (!found) return undefined;
  const folder = dirname(realpathSync(found));
  return existsSync(join(folder, 'initdb')) ? folder : undefined;
}

/** Starts a separate server on the loopback without authentication. The caller stops it. */
export async function startSystemPostgres(folder: string): Promise<{ url: string; stop: () => Promise<void> }> {
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
