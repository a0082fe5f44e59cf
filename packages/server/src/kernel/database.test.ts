import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../../tests/support/postgres.js';
import { openDatabase } from './database.js';
import { DatabaseTooNewError, isMigrated, migrate, migrationNames } from './migrations.js';
import { prepareDatabase } from './preparation.js';

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
  test('is handed out with all migrations done', async () => {
    const { db, close } = await connect(createTestDatabase);
    expect(await isMigrated(db)).toBe(true);
    expect(await migrate(db)).toEqual([]);
    await close();
  });

  test('is brought up to date by five processes at once, each migration once', async () => {
    const { db, url, close } = await connect(createEmptyDatabase);
    expect(await isMigrated(db)).toBe(false);
    const runs = await Promise.all([1, 2, 3, 4, 5].map(() => prepareDatabase(url)));
    expect(runs.flat().sort()).toEqual(await migrationNames());
    await close();
  });

  test('made by a newer program is refused', async () => {
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
});
