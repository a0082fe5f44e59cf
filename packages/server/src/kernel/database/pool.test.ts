import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '../../../../../tests/support/postgres.js';
import { inContext } from '../observability/call-context.js';
import { type DatabaseConnection, openDatabase } from './database.js';

describe('the connections of a process', () => {
  const max = 5;
  let database: TestDatabase;
  let connection: DatabaseConnection;
  beforeAll(async () => {
    database = await createEmptyDatabase();
    connection = openDatabase({ url: database.url, maxConnections: max, acquireMs: 2000, onError: () => undefined });
  });
  afterAll(async () => {
    await connection.close();
    await database.close();
  });

  const connectAs = (workspaceId: string) => inContext({ workspaceId }, () => connection.pool.connect());
  const readAs = (workspaceId: string) =>
    inContext({ workspaceId }, () => connection.pool.query<{ one: number }>('select 1 as one'));

  it('are never all taken by requests of one workspace or of all: one is left for the process itself', async () => {
    const taken = await Promise.all(['a', 'a', 'a'].map(connectAs));
    const waiting = Array.from({ length: 50 }, () => readAs('a'));
    expect((await readAs('b')).rows).toEqual([{ one: 1 }]);
    const other = await connectAs('b');
    expect((await connection.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    expect(connection.pool.callersWaiting).toBe(50);
    for (const client of [...taken, other]) client.release();
    await Promise.all(waiting);
    expect(connection.pool.callersWaiting).toBe(0);
  });

  it('are shared fairly: a read of one workspace does not wait for all earlier writes of another', async () => {
    const order: string[] = [];
    const held = await Promise.all(['a', 'a', 'a', 'x'].map(connectAs));
    const reads = ['a', 'a', 'a', 'a', 'a', 'a', 'b'].map(async (workspaceId) => {
      const client = await connectAs(workspaceId);
      order.push(workspaceId);
      client.release();
    });
    for (const client of held) client.release();
    await Promise.all(reads);
    expect(order.indexOf('b')).toBeLessThan(4);
  });

  it('are released when they fail or are closed by their users', async () => {
    for (let i = 0; i < 3 * max; i++) {
      const failing = inContext({ workspaceId: 'a' }, () => connection.pool.query('select 1 / 0'));
      await expect(failing).rejects.toMatchObject({ code: '22012' });
      (await connectAs('a')).release(true);
    }
    expect((await readAs('a')).rows).toEqual([{ one: 1 }]);
  });
});
