import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineQueues, openTestKernel, type TestKernel } from '../../../../tests/support/kernel.js';
import { createEmptyDatabase, type TestDatabase } from '../../../../tests/support/postgres.js';
import { loadConfig } from '../kernel/config/config.js';
import { createKernel } from '../kernel/create-kernel.js';
import { sharedSecret } from '../kernel/settings.js';
import { createBackup } from './create.js';
import { restoreBackup } from './restore.js';

let house: TestKernel;
let folder: string;
let empty: TestDatabase;
let file: string;

beforeAll(async () => {
  house = await openTestKernel();
  folder = await mkdtemp(join(tmpdir(), 'fh-backup-'));
  empty = await createEmptyDatabase();
  file = join(folder, 'backup.tar');
});
afterAll(async () => {
  await house.close();
  await empty.close();
  await rm(folder, { recursive: true });
});

describe('a backup', () => {
  // Proves: D.operating.10
  test('restores rows, waiting jobs, secrets and media into another database', async () => {
    const { kernel } = house;
    const odd = 'tab\t newline\n backslash\\ quote" Ünï \\N';
    await sql`insert into mail_outbox (id, recipient, subject, body, status) values ('m1', 'a@b', ${odd}, '', 'kept')`.execute(
      kernel.db,
    );
    await defineQueues(kernel.config.databaseUrl, { backup: { heartbeatSeconds: 10, attempts: 3 } });
    await kernel.transaction((tx) => kernel.queue.enqueue(tx, 'backup', { n: 1 }));
    const key = `w/${'long-'.repeat(38)}/${'name-'.repeat(38)}.txt`;
    await kernel.objects.put(key, Readable.from([Buffer.from('media')]), 'text/plain');
    const cached = ['w/segments/ab12', 'w/speech/flite-1/x.wav', 'w/previews/y.wav'];
    for (const name of cached) await kernel.objects.put(name, Readable.from([Buffer.from('again')]), 'audio/wav');
    await kernel.objects.put('w/segments.txt', Readable.from([Buffer.from('no cache')]), 'text/plain');
    await sql`insert into workspaces (id, name, plan, status) values ('w', 'W', 'Free', 'free')`.execute(kernel.db);
    await sql`insert into segments (workspace_id, key, bytes, used_at) values ('w', 'ab12', 5, now())`.execute(
      kernel.db,
    );
    const secret = await sharedSecret(kernel.db, kernel.ids, 'media-links');
    const made = await createBackup({ url: kernel.config.databaseUrl!, config: kernel.config, file });
    expect(made).toMatchObject({ objects: 2, mediaInBucket: false, leftOut: { objects: 3, bytes: 15 } });

    const config = loadConfig({
      env: { FIGUREHEAD_DATA: join(folder, 'data'), FIGUREHEAD_LOG_LEVEL: 'silent', DATABASE_URL: empty.url },
    });
    const restored = await restoreBackup({ config, url: empty.url, file });
    expect(restored).toEqual({ tables: made.tables, rows: made.rows, objects: 2 });
    const other = await createKernel(config, 'test');
    const { rows } = await sql<{ subject: string }>`select subject from mail_outbox`.execute(other.db);
    expect(rows).toEqual([{ subject: odd }]);
    expect(await other.queue.depth('backup')).toBe(1);
    expect(await sharedSecret(other.db, other.ids, 'media-links')).toBe(secret);
    const object = await other.objects.get(key);
    expect(object?.info.contentType).toBe('text/plain');
    expect(await text(object!.body)).toBe('media');
    // Neither the cached files nor rows that refer to them.
    expect(await Promise.all(cached.map((name) => other.objects.info(name)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect((await sql`select 1 from segments`.execute(other.db)).rows).toEqual([]);
    await other.lifecycle.close();
  });

  test('is not restored over existing data', async () => {
    const config = house.kernel.config;
    await expect(restoreBackup({ config, url: config.databaseUrl!, file })).rejects.toThrow(
      'The database is not empty',
    );
  });

  test('leaves the database empty when the file is not a backup', async () => {
    const target = await createEmptyDatabase();
    const broken = join(folder, 'broken.tar');
    await writeFile(broken, 'not a tar file'.repeat(100));
    const config = loadConfig({ env: { FIGUREHEAD_DATA: join(folder, 'data2') } });
    await expect(restoreBackup({ config, url: target.url, file: broken })).rejects.toThrow('expected a backup made by');
    await expect(restoreBackup({ config, url: target.url, file: join(folder, 'none.tar') })).rejects.toThrow(
      'cannot be read (ENOENT)',
    );
    expect(await restoreBackup({ config, url: target.url, file })).toMatchObject({ objects: 2 });
    await target.close();
  });

  test('is refused before anything is restored when it is truncated', async () => {
    const target = await createEmptyDatabase();
    const whole = await readFile(file);
    const config = loadConfig({ env: { FIGUREHEAD_DATA: join(folder, 'data3') } });
    // The manifest is complete in each; the second ends between two files.
    for (const length of [whole.length >> 1, (whole.length >> 10) * 512, whole.length - 3_000]) {
      const cut = join(folder, 'cut.tar');
      await writeFile(cut, whole.subarray(0, length));
      await expect(restoreBackup({ config, url: target.url, file: cut })).rejects.toThrow(
        /truncated.*Nothing was restored/,
      );
    }
    expect(await restoreBackup({ config, url: target.url, file })).toMatchObject({ objects: 2 });
    await target.close();
  });

  test('is complete while media are stored and deleted, several times at once to the same file', async () => {
    const { kernel } = house;
    const source = { url: kernel.config.databaseUrl!, config: kernel.config, file: join(folder, 'live.tar') };
    let isOver = false;
    const changing = Array.from({ length: 8 }, async (_, n) => {
      for (let turn = 0; !isOver; turn++) {
        const key = `busy/${n}/${turn % 3}.bin`;
        await kernel.objects.put(key, Buffer.alloc(1000 * (1 + (turn % 50)), 1), 'application/octet-stream');
        if (turn % 2 === 0) await kernel.objects.delete(key);
      }
    });
    try {
      for (let round = 0; round < 5; round++) await Promise.all([createBackup(source), createBackup(source)]);
    } finally {
      isOver = true;
      await Promise.all(changing);
    }
    const target = await createEmptyDatabase();
    const env = { FIGUREHEAD_DATA: join(folder, 'live'), FIGUREHEAD_LOG_LEVEL: 'silent', DATABASE_URL: target.url };
    const restored = await restoreBackup({ config: loadConfig({ env }), url: target.url, file: source.file });
    expect(restored.objects).toBeGreaterThanOrEqual(2);
    await target.close();
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('keeps its tables meanwhile in a folder that is removed when the process is killed', async () => {
    const { kernel } = house;
    const { dataDir } = kernel.config;
    const source = { url: kernel.config.databaseUrl!, config: kernel.config, file: join(folder, 'owned.tar') };
    let made: ReturnType<typeof createBackup> | undefined;
    await kernel.transaction(async (tx) => {
      await sql`lock table workspaces in access exclusive mode`.execute(tx);
      made = createBackup(source);
      // With its owner in its name, by which `sweep` finds the folders of dead processes.
      await expect
        .poll(async () => (await readdir(join(dataDir, 'tmp'))).filter((name) => /^backup-[\da-f]{8}~\d/.test(name)))
        .toHaveLength(1);
    });
    await made;
    const left = [...(await readdir(dataDir)), ...(await readdir(join(dataDir, 'tmp')))];
    expect(left.filter((name) => name.startsWith('backup-'))).toEqual([]);
  });

  test('is reported in one sentence when it cannot be written', async () => {
    const { kernel } = house;
    await expect(
      createBackup({ url: kernel.config.databaseUrl!, config: kernel.config, file: folder }),
    ).rejects.toThrow(`The backup cannot be written to ${folder} (`);
    await expect(
      createBackup({
        url: kernel.config.databaseUrl!,
        config: kernel.config,
        file: join(folder, 'no', 'such', 'folder.tar'),
      }),
    ).rejects.toThrow('cannot be written');
  });
});
