import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll } from 'vitest';
import { MIGRATIONS_FOLDER } from '../../packages/server/src/kernel/database/migrations.js';
import {
  type EmbeddedPostgres,
  openEmbeddedPostgres,
} from '../../packages/server/src/kernel/database/postgres/embedded.js';
import { prepareDatabase } from '../../packages/server/src/kernel/preparation.js';
import { TEST_RUN_FOLDER } from './test-run.js';

/** A separate database for one test file or test. */
export interface TestDatabase {
  /** For `DATABASE_URL`. */
  readonly url: string;
  /** Drops it, even with open connections. */
  close(): Promise<void>;
}

let server: Promise<EmbeddedPostgres> | undefined;

/**
 * Creates an empty, migrated database (about 50 ms). The first call of a run starts one embedded PostgreSQL per vitest
 * worker; later test files of that worker adopt it, and the global teardown stops it. Without the global setup each
 * file has its own server.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url } = await testServer();
  const template = await ensureTemplate(url);
  return createDatabase(url, `test_${randomBytes(6).toString('hex')}`, template);
}

/** As {@link createTestDatabase}, without tables. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const { url } = await testServer();
  return createDatabase(url, `empty_${randomBytes(6).toString('hex')}`, 'template0');
}

/** The server of this worker, which tests must not stop. */
export function testServer(): Promise<EmbeddedPostgres> {
  server ??= startServer();
  return server;
}

async function startServer(): Promise<EmbeddedPostgres> {
  const run = process.env[TEST_RUN_FOLDER];
  const dataDir = run
    ? join(run, `postgres-${process.env['VITEST_POOL_ID'] ?? '0'}`)
    : await mkdtemp(join(tmpdir(), 'fh-test-'));
  await mkdir(dataDir, { recursive: true });
  // As root, PostgreSQL runs as another user, which needs access.
  await chmod(dataDir, 0o711);
  const opened = await openEmbeddedPostgres({
    dataDir,
    // Tests need no durability; data may be lost in a crash of the machine.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
    notice: (line) => console.error(line),
  });
  return opened;
}

// Without the global setup this file must stop its server and remove its folder.
afterAll(async () => {
  if (process.env[TEST_RUN_FOLDER] !== undefined || server === undefined) return;
  const { url, stop } = await server;
  await stop();
  const sockets = new URL(url.replace('@/', '@localhost/')).searchParams.get('host');
  if (sockets !== null) await rm(join(sockets, '..', '..'), { recursive: true, force: true });
});

/** Migrated once per server and set of migrations. */
async function ensureTemplate(serverUrl: string): Promise<string> {
  const name = `template_${await migrationsHash()}`;
  const client = await connect(serverUrl);
  try {
    await client.query('select pg_advisory_lock(7001)');
    const found = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rowCount !== 0) return name;
    const building = `${name}_building`;
    await client.query(`drop database if exists ${building} with (force)`);
    await client.query(`create database ${building} template template0`);
    await prepareDatabase(withDatabase(serverUrl, building));
    await client.query(`alter database ${building} rename to ${name}`);
    return name;
  } finally {
    await client.end();
  }
}

async function migrationsHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of (await readdir(MIGRATIONS_FOLDER)).sort()) {
    hash.update(file).update(await readFile(join(MIGRATIONS_FOLDER, file)));
  }
  return hash.digest('hex').slice(0, 12);
}

async function createDatabase(serverUrl: string, name: string, template: string): Promise<TestDatabase> {
  const client = await connect(serverUrl);
  try {
    // Copying files takes half the time of copying pages through the log.
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  } finally {
    await client.end();
  }
  return {
    url: withDatabase(serverUrl, name),
    close: async () => {
      const closer = await connect(serverUrl);
      try {
        await closer.query(`drop database if exists ${name} with (force)`);
      } finally {
        await closer.end();
      }
    },
  };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

function withDatabase(url: string, name: string): string {
  return url.replace(/@(.*)\/[^/?]+\?/, `@$1/${name}?`);
}
