import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { openProxy } from '../../../../../tests/chaos/cuttable-proxy.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../../../tests/support/postgres.js';
import { prepareDatabase } from '../preparation.js';
import { openDatabase } from './database.js';
import { DatabaseTooNewError, isMigrated, migrate, migrationNames } from './migrations.js';

const open: TestDatabase[] = [];
afterAll(async () => {
  for (const database of open) await database.close();
});

async function connect(create: () => Promise<TestDatabase>) {
  const database = await create();
  open.push(database);
  return { url: database.url, ...openDatabase({ url: database.url, onError: () => undefined }) };
}

describe('the database', () => {
  test('is opened with all migrations done', async () => {
    const { db, close } = await connect(createTestDatabase);
    expect(await isMigrated(db)).toBe(true);
    expect(await migrate(db)).toEqual([]);
    await close();
  });

  test('is migrated by five processes at once, each migration once', async () => {
    const { db, url, close } = await connect(createEmptyDatabase);
    expect(await isMigrated(db)).toBe(false);
    const runs = await Promise.all([1, 2, 3, 4, 5].map(() => prepareDatabase(url)));
    expect(runs.flat().sort()).toEqual(await migrationNames());
    await close();
  });

  test('whose migrations ran out of order is migrated; later migrations run in order', async () => {
    const { db, close } = await connect(createEmptyDatabase);
    const all = await migrationNames();
    const later = ['0045_sign_in_failures', '0062_host_counts'];
    await migrate(db, { only: all.filter((name) => name <= '0062_host_counts' && !later.includes(name)) });
    // As if 0059 had run a year before the others.
    await sql`update kysely_migration set timestamp = '2025-01-01T00:00:00.000Z' where name = '0059_render_reports'`.execute(
      db,
    );
    expect(await migrate(db)).toEqual([...later, ...all.filter((name) => name > '0062_host_counts')]);
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by timestamp, name`.execute(
      db,
    );
    expect(rows.map(({ name }) => name)).toEqual(all);
    expect(await migrate(db)).toEqual([]);
    await close();
  });

  test('refuses a migration with a lower number than the last one', async () => {
    const { db, close } = await connect(createEmptyDatabase);
    const folder = await mkdtemp(join(tmpdir(), 'fh-migrations-'));
    const add = (name: string) => writeFile(join(folder, `${name}.sql`), 'select 1');
    await add('9001_first');
    await add('9003_third');
    expect(await migrate(db, { folder })).toEqual(['9001_first', '9003_third']);
    await add('9002_second');
    await expect(migrate(db, { folder })).rejects.toThrow('alphabetically after the last executed');
    await rm(folder, { recursive: true });
    await close();
  });

  test('of a newer program is refused', async () => {
    const { db, close } = await connect(createTestDatabase);
    await sql`insert into kysely_migration (name, timestamp) values ('9999_future', '2099')`.execute(db);
    await expect(migrate(db)).rejects.toThrow(DatabaseTooNewError);
    await expect(migrate(db)).rejects.toThrow('newer than this program (it has 9999_future)');
    await close();
  });

  test('keeps the keys inside JSON as they are and turns column names into camelCase', async () => {
    const { db, close } = await connect(createTestDatabase);
    const { rows } = await sql`select '{"snake_key": {"inner_key": 1}}'::jsonb as some_value`.execute(db);
    expect(rows).toEqual([{ someValue: { snake_key: { inner_key: 1 } } }]);
    await close();
  });

  test('is given up by both ends when the network drops packets, and is usable again with the network', async () => {
    const { url, db: direct, close: closeDirect } = await connect(createTestDatabase);
    const address = new URL(url.replace('@/', '@localhost/'));
    const socket = `${address.searchParams.get('host')}/.s.PGSQL.${address.searchParams.get('port') ?? '5432'}`;
    const proxy = await openProxy({ path: socket });
    const far = openDatabase({
      url: `postgres://${address.username}@127.0.0.1:${proxy.port}${address.pathname}`,
      silenceMs: 1000,
      onError: () => undefined,
    });
    await sql`select 1`.execute(far.db);
    const { rows } = await sql<{ limit: string }>`
      select current_setting('idle_in_transaction_session_timeout') as limit`.execute(far.db);
    expect(rows[0]?.limit).toBe('30s');
    const lost = far.transaction(async (tx) => {
      await sql`create table held (n int)`.execute(tx);
      proxy.cut('silent');
      await sql`select 1`.execute(tx);
    });
    await expect(lost).rejects.toThrow();
    proxy.mend();
    await sql`select 1`.execute(far.db);
    await far.close();
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction'`.execute(
      direct,
    );
    await proxy.close();
    await closeDirect();
  });
});
