import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../../packages/server/src/kernel/storage/processes.js';

/** Stops the servers of a test run and removes its folder. For the global teardown. */
export async function stopTestServers(run: string): Promise<void> {
  for (const entry of await readdir(run)) {
    const opened = await findServer(join(run, entry));
    if (opened === undefined || !isAlive(opened)) continue;
    process.kill(opened, 'SIGQUIT');
    while (isAlive(opened)) await delay(20);
  }
  await rm(run, { recursive: true, force: true, maxRetries: 5 });
}

async function findServer(dataDir: string): Promise<number | undefined> {
  const path = join(dataDir, 'postgres', '18', 'postmaster.pid');
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '';
    throw error;
  });
  const pid = Number(content.split('\n')[0]);
  return pid > 1 ? pid : undefined;
}
