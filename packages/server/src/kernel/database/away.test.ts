import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDatabaseAway, repeatRead } from './away.js';
import { type DatabaseConnection, openDatabase } from './database.js';
import { type EmbeddedPostgres, openEmbeddedPostgres } from './postgres/embedded.js';

let dataDir: string;
let server: EmbeddedPostgres;
let connection: DatabaseConnection;
const openServer = () => openEmbeddedPostgres({ dataDir, settings: { fsync: 'off' }, notice: () => undefined });
const open = (acquireMs: number, onError: (error: Error) => void = () => undefined) =>
  openDatabase({ url: server.url, maxConnections: 4, acquireMs, onError });

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'fh-away-'));
  await chmod(dataDir, 0o755);
  server = await openServer();
  connection = open(60_000);
  await sql`create table written (n int)`.execute(connection.db);
});
afterAll(async () => {
  await connection.close();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test('a restart of the database only delays work: new work waits, and interrupted work is repeated', async () => {
  const { db, transaction, pool } = connection;
  const started = await pool.query<{ at: string }>('select pg_postmaster_start_time()::text as at');
  let attempts = 0;
  const under = transaction(async (tx) => {
    attempts += 1;
    await sql`insert into written values (1)`.execute(tx);
    if (attempts === 1) await server.stop();
    await sql`insert into written values (2)`.execute(tx);
  });
  // Sleeps only on the server that is about to stop.
  const reading = repeatRead(() =>
    pool.query('select pg_sleep(30) where pg_postmaster_start_time()::text = $1', [started.rows[0]?.at]),
  );
  await server.exited;
  // More statements than connections.
  const during = Array.from({ length: 12 }, () => sql`insert into written values (3)`.execute(db));
  const readDuring = repeatRead(() => pool.query('select 1'));
  server = await openServer();
  await Promise.all([under, ...during, readDuring]);
  expect(attempts).toBe(2);
  const { rows } = await sql<{ n: number; times: number }>`
    select n, count(*)::int as times from written group by n order by n`.execute(db);
  expect(rows).toEqual([
    { n: 1, times: 1 },
    { n: 2, times: 1 },
    { n: 3, times: 12 },
  ]);
  await expect(reading).resolves.toMatchObject({ rows: [] });
});

test('a transaction with an unknown outcome is not repeated', async () => {
  let attempts = 0;
  const unknown = connection.transaction(async (tx) => {
    attempts += 1;
    await sql`insert into written values (4)`.execute(tx);
    await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx).catch(() => undefined);
  });
  await expect(unknown).rejects.toSatisfy(isDatabaseAway);
  expect(attempts).toBe(1);
});

test('a database that has been unavailable for longer than the wait limit is reported at once', async () => {
  const impatient = open(2000);
  await sql`select 1`.execute(impatient.db);
  await server.stop();
  const ask = () => sql`select 1`.execute(impatient.db);
  const isAway = () => expect(ask()).rejects.toSatisfy(isDatabaseAway);
  const durationOf = async (work: () => Promise<unknown>) => {
    const from = performance.now();
    await work();
    return performance.now() - from;
  };
  const waited = await durationOf(isAway);
  // Not longer than the first, which would mean that it waited as well.
  expect(await durationOf(() => Promise.all(Array.from({ length: 20 }, isAway)))).toBeLessThan(waited);
  server = await openServer();
  await expect.poll(ask).toMatchObject({ rows: [expect.anything()] });
  await impatient.close();
});

test('connections that are closed do not report that their database stops', async () => {
  const broken: string[] = [];
  const closed = open(60_000, ({ message }) => broken.push(message));
  await Promise.all([1, 2, 3, 4].map(() => closed.pool.query('select pg_sleep(0.1)')));
  await closed.close();
  await server.stop();
  server = await openServer();
  expect(broken).toEqual([]);
});
