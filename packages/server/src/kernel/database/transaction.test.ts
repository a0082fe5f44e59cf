import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../tests/support/postgres.js';
import type { Tx } from '../contract.js';
import { type DatabaseConnection, openDatabase } from './database.js';
import { createKeyedRead } from './keyed-read.js';
import { NestedConnectionError, PoolBusyError } from './pool.js';

const SOURCES = fileURLToPath(new URL('../../', import.meta.url));

let database: TestDatabase;
let connection: DatabaseConnection;
beforeAll(async () => {
  database = await createTestDatabase();
  connection = openDatabase({ url: database.url, maxConnections: 3, acquireMs: 300, onError: () => undefined });
  await sql`create table marks (name text primary key, n integer not null default 0)`.execute(connection.db);
  await sql`insert into marks (name) values ('a'), ('b')`.execute(connection.db);
});
afterAll(async () => {
  await connection.close();
  await database.close();
});

const raise = (tx: Tx, name: string) => sql`update marks set n = n + 1 where name = ${name}`.execute(tx);

describe('a transaction', () => {
  test('is repeated after a deadlock with another, and both commit exactly once', async () => {
    const { transaction, db } = connection;
    const both = barrier(2);
    let runs = 0;
    const work = (first: string, second: string) =>
      transaction(async (tx) => {
        runs++;
        await raise(tx, first);
        // Both hold their first row before either requests its second.
        await both();
        await raise(tx, second);
      });
    await Promise.all([work('a', 'b'), work('b', 'a')]);
    expect(runs).toBe(3);
    const { rows } = await sql`select name, n from marks order by name`.execute(db);
    expect(rows).toEqual([
      { name: 'a', n: 2 },
      { name: 'b', n: 2 },
    ]);
  });

  test('is not repeated when it fails for another reason', async () => {
    let runs = 0;
    const failing = connection.transaction(async (tx) => {
      runs++;
      await sql`insert into marks (name) values ('a')`.execute(tx);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(runs).toBe(1);
  });

  test('that reads by key is refused alone: reads that share its statement succeed', async () => {
    const { transaction, pool } = connection;
    const read = createKeyedRead(pool);
    const statement = { name: 'same', text: 'select key from unnest($1::text[]) as key' };
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    // In the same turn of the event loop as the call inside the transaction, after it.
    const others = begun.then(() => Promise.all(['a', 'b'].map((key) => read(statement, key))));
    const inside = transaction(() => {
      const nested = read(statement, 'inside');
      begin();
      return nested;
    });
    await expect(inside).rejects.toThrow(NestedConnectionError);
    expect(await others).toEqual([{ key: 'a' }, { key: 'b' }]);
  });

  test('cannot take a second connection in any way; work that continues after it can', async () => {
    const { transaction, db, pool } = connection;
    const ways: (() => Promise<unknown>)[] = [
      () => sql`select 1`.execute(db),
      () => pool.query('select 1'),
      () => pool.connect(),
      () => transaction(async () => undefined),
    ];
    for (const way of ways) await expect(transaction(way)).rejects.toThrow(NestedConnectionError);
    let later: Promise<unknown> | undefined;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    await transaction(async () => {
      later = ended.then(() => sql`select 1`.execute(db));
    });
    end();
    await expect(later).resolves.toMatchObject({ rows: [expect.anything()] });
  });

  test('is opened in one place only, so that every one is guarded and repeated', async () => {
    const opening: string[] = [];
    for (const entry of await readdir(SOURCES, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts') || entry.name.endsWith('.test.ts')) continue;
      const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
      if (/\.(transaction|startTransaction|connection)\(\)/.test(text)) opening.push(entry.name);
    }
    expect(opening).toEqual(['transaction.ts']);
  });
});

test('a pool with only busy connections throws after a while, and works again when one is free', async () => {
  const { pool, db } = connection;
  const held = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
  await expect(sql`select 1`.execute(db)).rejects.toThrow(PoolBusyError);
  for (const client of held) client.release();
  await expect(sql`select 1`.execute(db)).resolves.toMatchObject({ rows: [expect.anything()] });
});

/** A barrier for `count` callers; later ones pass. */
function barrier(count: number): () => Promise<void> {
  let waiting = 0;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    if (++waiting >= count) open();
    return opened;
  };
}
