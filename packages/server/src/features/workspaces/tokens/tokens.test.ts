import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTestApi, type TestApi } from '../../../../../../tests/support/api.js';
import { createKeyedRead } from '../../../kernel/database/keyed-read.js';
import { createToken, createTokenReader, revokeToken } from './tokens.js';

describe('callers by token', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openTestApi();
  });
  afterAll(() => api.close());

  it('that arrive together are looked up individually in one statement, and a revoked one is refused at the next call', async () => {
    const { kernel } = api.test;
    const [first, second, unlimited] = await Promise.all([
      api.caller(),
      api.caller(),
      api.caller({ plan: 'Unlimited' }),
    ]);
    const extra = await createToken(kernel, { workspaceId: first.workspace._id, userId: 'someone', name: 'extra' });
    const pool = new pg.Pool({ connectionString: kernel.config.databaseUrl });
    const statements = vi.spyOn(pool, 'query');
    const callerOf = createTokenReader({ ...kernel, read: createKeyedRead(pool) });
    const ask = async (tokens: string[]) => (await Promise.all(tokens.map(callerOf))).map((who) => who?.workspace.id);

    const one = first.workspace._id;
    const tokens = [extra.token, second.token, 'fh_nobody', first.token, unlimited.token, extra.token];
    expect(await ask(tokens)).toEqual([one, second.workspace._id, undefined, one, undefined, one]);
    expect(statements).toHaveBeenCalledTimes(1);

    await revokeToken(kernel, extra._id);
    expect(await ask([first.token, extra.token])).toEqual([one, undefined]);
    expect(statements).toHaveBeenCalledTimes(2);
    await pool.end();
  });
});
