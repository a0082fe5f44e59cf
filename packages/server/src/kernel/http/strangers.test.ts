import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';

const MOST = 20;

describe('an unknown caller', () => {
  let api: TestApi;
  let me: TestCaller;
  beforeAll(async () => {
    api = await openTestApi({ FIGUREHEAD_STRANGERS_PER_MINUTE: String(MOST), FIGUREHEAD_TRUST_PROXY: '198.51.100.1' });
    me = await api.caller();
  });
  afterAll(() => api.close());

  async function ask(token: string, remoteAddress: string, headers: Record<string, string> = {}) {
    const { statusCode, headers: answered } = await api.http.app.inject({
      url: '/api/v1/videos',
      remoteAddress,
      headers: { ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...headers },
    });
    return { status: statusCode, retryAfter: answered['retry-after'] };
  }
  /** One after the other, like incoming connections. */
  async function statuses(count: number, request: (i: number) => Parameters<typeof ask>): Promise<number[]> {
    const found: number[] = [];
    for (let i = 0; i < count; i++) found.push((await ask(...request(i))).status);
    return found;
  }
  const counted = (all: number[], status: number) => all.filter((one) => one === status).length;

  it('blocks guesses from an address, and accepts tokens that were valid before', async () => {
    const from = () => '203.0.113.1';
    expect(await ask(me.token, from())).toMatchObject({ status: 200 });
    const guesses = await statuses(3 * MOST, (i) => [`fh_guess${i}`, from()]);
    expect([counted(guesses, 401), counted(guesses, 429)]).toEqual([MOST - 1, 2 * MOST + 1]);
    const refused = await ask('fh_another', from());
    expect([refused.status, Number(refused.retryAfter) > 0]).toEqual([429, true]);
    const mine = await statuses(2 * MOST, () => [me.token, from()]);
    expect(counted(mine, 200)).toBe(2 * MOST);
    // Another address is not affected.
    expect(await ask('fh_guess', '203.0.113.2')).toMatchObject({ status: 401 });
  });

  it('is counted with its IPv6 network, and behind a trusted proxy by the address that it names', async () => {
    const guesses = await statuses(2 * MOST, (i) => [`fh_six${i}`, `2001:db8:1:1::${i + 1}`]);
    expect([counted(guesses, 401), counted(guesses, 429)]).toEqual([MOST, MOST]);
    expect((await ask('fh_six', '2001:db8:1:2::1')).status).toBe(401);
    const named = (address: string) => ({ 'x-forwarded-for': address });
    const proxied = await statuses(2 * MOST, (i) => [`fh_p${i}`, '198.51.100.1', named('192.0.2.1')]);
    expect(counted(proxied, 429)).toBe(MOST);
    expect((await ask('fh_p', '198.51.100.1', named('192.0.2.2'))).status).toBe(401);
    // The proxy is not trusted, so its requests count for its own address.
    const forged = await statuses(2 * MOST, (i) => [`fh_f${i}`, '203.0.113.3', named(`192.0.2.${i}`)]);
    expect(counted(forged, 429)).toBe(MOST);
  });

  it('with a revoked token is unknown again', async () => {
    const { token } = await api.caller();
    const from = '203.0.113.4';
    expect((await ask(token, from)).status).toBe(200);
    await sql`update tokens set revoked_at = now() where prefix = ${token.slice(0, 9)}`.execute(api.test.kernel.db);
    const after = await statuses(2 * MOST, () => [token, from]);
    expect([counted(after, 200), counted(after, 401), counted(after, 429)]).toEqual([0, MOST, MOST]);
  });

  it('has the same limit for sign-ins and none for health checks', async () => {
    const remoteAddress = '203.0.113.5';
    const answers: number[] = [];
    for (let i = 0; i < 2 * MOST; i++) {
      const options = { method: 'POST', url: '/api/v1/session', remoteAddress, payload: '{"email":1}' } as const;
      answers.push((await api.http.app.inject(options)).statusCode);
    }
    expect([counted(answers, 400), counted(answers, 429)]).toEqual([MOST, MOST]);
    const large = await api.http.app.inject({
      method: 'POST',
      url: '/api/v1/session',
      payload: JSON.stringify({ email: 'a@example.org', password: 'x'.repeat(20_000) }),
    });
    expect(large.statusCode).toBe(400);
    for (let i = 0; i < 2 * MOST; i++) {
      expect((await api.http.app.inject({ url: '/healthz', remoteAddress })).statusCode).toBe(200);
    }
  });
});
