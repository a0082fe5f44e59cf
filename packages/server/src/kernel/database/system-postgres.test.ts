import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineQueues } from '../../../../../tests/support/kernel.js';
import { freePort } from '../../../../../tests/support/ports.js';
import { findSystemPostgres, startSystemPostgres } from '../../../../../tests/support/system-postgres.js';
import { loadConfig } from '../config/config.js';
import { createKernel } from '../create-kernel.js';
import { waitForDatabase } from './wait.js';

const postgres = findSystemPostgres();

test.runIf(postgres !== undefined)('a system PostgreSQL works as DATABASE_URL', async () => {
  const { url, stop } = await startSystemPostgres(postgres!);
  const dataDir = mkdtempSync(join(tmpdir(), 'fh-data-'));
  try {
    await waitForDatabase(url, () => undefined);
    const kernel = await createKernel(
      loadConfig({ env: { DATABASE_URL: url, FIGUREHEAD_DATA: dataDir, FIGUREHEAD_LOG_LEVEL: 'silent' } }),
      'test',
    );
    await defineQueues(kernel.config.databaseUrl, { jobs: { heartbeatSeconds: 10, attempts: 2 } });
    const done = new Promise<unknown>((resolve) => {
      void kernel.queue.work('jobs', { concurrency: 1 }, async (job) => resolve(job.data));
    });
    await kernel.transaction((tx) => kernel.queue.enqueue(tx, 'jobs', { n: 1 }));
    expect(await done).toEqual({ n: 1 });
    await kernel.lifecycle.close();
  } finally {
    await stop();
    rmSync(dataDir, { recursive: true });
  }
});

test('a database that refuses the connection is reported in one sentence, without its password', async () => {
  const closed = await freePort();
  const away = waitForDatabase(`postgres://u:hunter2@127.0.0.1:${closed}/d`, () => undefined, 0);
  await expect(away).rejects.toThrow(/^The database d on 127\.0\.0\.1 cannot be reached \(ECONNREFUSED\)\.$/);
});

test('a database that ends connections while it starts is waited for', async () => {
  const ended = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end()));
  ended.listen(0, '127.0.0.1');
  await once(ended, 'listening');
  const { port } = ended.address() as AddressInfo;
  const notices: string[] = [];
  const waiting = waitForDatabase(`postgres://u@127.0.0.1:${port}/d`, (line) => notices.push(line), 600);
  await expect(waiting).rejects.toThrow('cannot be reached (Connection terminated unexpectedly)');
  expect(notices).toEqual([expect.stringContaining('waiting')]);
  ended.close();
});
