import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestKernel, type TestKernel } from '../../../../tests/support/kernel.js';
import { loadConfig } from '../kernel/config/config.js';
import { sharedSecret } from '../kernel/settings.js';
import { createSupportBundle } from './bundle.js';
import { createScrubber } from './scrub.js';

const SECRETS = {
  FIGUREHEAD_SMTP_URL: 'smtp://mailer:p%40ss-word-17@127.0.0.1:1',
  FIGUREHEAD_LLM_KEY: 'sk-llm-55aa66bb',
  FIGUREHEAD_TURN_SECRET: 'turn/secret+with="quotes"',
  FIGUREHEAD_INTERNAL_SECRET: 'internal-9988',
  OTEL_EXPORTER_OTLP_HEADERS: 'x-key=otlp-4455',
};

describe('a support bundle', () => {
  let test_: TestKernel;
  let folder: string;
  beforeAll(async () => {
    test_ = await openTestKernel(SECRETS);
    folder = await mkdtemp(join(tmpdir(), 'fh-bundle-'));
  });
  afterAll(async () => {
    await test_.close();
    await rm(folder, { recursive: true });
  });

  test('contains versions, configuration, findings, database state and the last log lines, and no secret', async () => {
    const { kernel, env } = test_;
    const linkSecret = await sharedSecret(kernel.db, kernel.ids, 'media-links');
    const logs = join(kernel.config.dataDir, 'logs');
    await mkdir(logs, { recursive: true });
    const spoken = [
      { msg: 'mail', url: SECRETS.FIGUREHEAD_SMTP_URL, to: 'anna.schmidt@example.org' },
      { msg: 'plain password p@ss-word-17 and p%40ss-word-17' },
      { msg: `token fh_AbCdEfGhIjKlMnOp`, header: 'Bearer sk-llm-55aa66bb', key: SECRETS.FIGUREHEAD_TURN_SECRET },
      { msg: `link /media/w/v.mp4?expires=1&signature=AAAABBBB`, internal: linkSecret },
      { msg: `basic ${Buffer.from('internal-9988').toString('base64')}`, dsn: 'postgres://u:hunter2@db/x' },
    ].map((line) => JSON.stringify(line));
    const filler = `${JSON.stringify({ msg: 'x'.repeat(500) })}\n`.repeat(3000);
    await writeFile(join(logs, 'api-2026-01-02.jsonl'), `${filler}${spoken.join('\n')}\n`);
    const file = join(folder, 'bundle.tar.gz');
    const origin = { env, cwd: kernel.config.dataDir };
    const names = await createSupportBundle({ config: loadConfig(origin), origin, file, notice: () => undefined });
    expect(names).toEqual([
      'about.json',
      'configuration.json',
      'doctor.json',
      'database.json',
      'logs/api-2026-01-02.jsonl',
    ]);
    expect((await stat(file)).mode & 0o077).toBe(0);

    const parts = new Map<string, string>();
    const tar = createReadStream(file).pipe(createGunzip()).pipe(extract());
    for await (const entry of tar) parts.set(entry.header.name, await text(entry as unknown as AsyncIterable<Buffer>));
    const all = [...parts.values()].join('\n');
    for (const secret of [
      ...['p@ss-word-17', 'p%40ss-word-17', 'sk-llm-55aa66bb', 'turn/secret', 'internal-9988', 'otlp-4455', 'hunter2'],
      ...[linkSecret, 'fh_AbCdEf', 'AAAABBBB', 'anna.schmidt', Buffer.from('internal-9988').toString('base64')],
    ]) {
      expect([secret, all.includes(secret)]).toEqual([secret, false]);
    }
    expect(all).toContain('[person]@example.org');
    const part = (name: string) => JSON.parse(parts.get(`figurehead-support/${name}`) ?? '');
    expect(part('about.json')).toMatchObject({
      figurehead: expect.any(String),
      versions: { node: process.versions.node },
    });
    expect(part('configuration.json')).toContainEqual(
      expect.objectContaining({ key: 'FIGUREHEAD_LLM_KEY', value: '********' }),
    );
    expect(part('doctor.json')).toContainEqual(expect.objectContaining({ check: 'Node', status: 'ok' }));
    expect(part('database.json')).toMatchObject({
      migrations: { pending: [], done: expect.arrayContaining(['0001_kernel']) },
      tables: expect.arrayContaining([expect.objectContaining({ name: 'videos' })]),
      queues: expect.any(Array),
      deliveries: [],
    });
    const log = parts.get('figurehead-support/logs/api-2026-01-02.jsonl') ?? '';
    expect(log.length).toBeLessThanOrEqual(1024 * 1024);
    expect(
      log
        .split('\n')
        .filter((line) => line !== '')
        .every((line) => line.startsWith('{')),
    ).toBe(true);
  });

  test('is written also without a database, and reports when it cannot be written', async () => {
    const env = { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d', FIGUREHEAD_DATA: join(folder, 'data') };
    const origin = { env, cwd: folder };
    const config = loadConfig(origin);
    const bundle = (file: string) => createSupportBundle({ config, origin, file, notice: () => undefined });
    await expect(bundle(join(folder, 'no', 'such.tar.gz'))).rejects.toThrow('cannot be written');
  });

  test('keeps ordinary words', () => {
    const scrub = createScrubber(['abc', 'a-long-secret']);
    expect(scrub('abc the token is a-long-secret, token=xyz; see a@b')).toBe(
      'abc the token is [secret], token=[secret]; see a@b',
    );
  });
});
