import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../tests/support/postgres.js';
import { signalled } from '../../../../../tests/support/signalled.js';
import { withAdvisoryLock } from './advisory-lock.js';
import { openDatabase } from './database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describe('an advisory lock', () => {
  test('is held by one process at a time, even for longer than the idle timeout of pool connections', async () => {
    const lock = { url: database.url, key: 42, application: 'test' };
    const silent = signalled<Error>();
    const pool = openDatabase({ url: database.url, silenceMs: 200, onError: silent.signal });
    const done = await withAdvisoryLock(lock, async (signal) => {
      const client = await pool.pool.connect();
      expect((await silent.promise).message).toContain('has not been heard of for 0.2 s');
      client.release(true);
      expect(await withAdvisoryLock(lock, async () => 'second')).toBeUndefined();
      return signal.aborted ? 'lost' : 'held';
    });
    expect(done).toBe('held');
    expect(await withAdvisoryLock(lock, async () => 'next')).toBe('next');
    await pool.close();
  });

  test('aborts the work when it is lost with its connection', async () => {
    const lock = { url: database.url, key: 43, application: 'lost test' };
    const other = openDatabase({ url: database.url, onError: () => undefined });
    await withAdvisoryLock(lock, async (signal) => {
      const lost = new Promise((resolve) => signal.addEventListener('abort', resolve));
      await other.pool.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'figurehead lost test'",
      );
      await lost;
    });
    await other.close();
  });
});
