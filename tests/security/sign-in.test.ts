import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLimiter } from '../../packages/server/src/features/limits/index.js';
import { bindSessions, createAuthenticator } from '../../packages/server/src/features/sessions/routes.js';
import { noteFailure } from '../../packages/server/src/features/sessions/sign-in-guard.js';
import { createClientTokens } from '../../packages/server/src/features/streams/routes.js';
import { addMember } from '../../packages/server/src/features/workspaces/index.js';
import { loadConfig } from '../../packages/server/src/kernel/config/config.js';
import type { Kernel } from '../../packages/server/src/kernel/contract.js';
import { createKernel } from '../../packages/server/src/kernel/create-kernel.js';
import type { Http } from '../../packages/server/src/kernel/http/contract.js';
import { createHttp } from '../../packages/server/src/kernel/http/http.js';
import { openTestApi, type TestApi } from '../support/api.js';

const PASSWORD = 'correct horse battery';

/** Guessing passwords is slow, the same in all processes, and does not reveal which accounts exist. */
describe('signing in', () => {
  let api: TestApi;
  let now = Date.now();
  const others: Kernel[] = [];
  let first: Http;
  let second: Http;
  let people = 0;

  /** A separate API process on the same database, with the test's clock. */
  async function openProcess(env: Record<string, string> = {}): Promise<Http> {
    const config = loadConfig({ env: { ...api.test.env, ...env }, cwd: api.test.kernel.config.dataDir });
    const real = await createKernel(config, 'test');
    const kernel = { ...real, clock: { ...real.clock, now: () => now } };
    others.push(kernel);
    const limiter = createLimiter(kernel);
    const http = createHttp(kernel, {
      authenticator: createAuthenticator(kernel, createClientTokens(kernel)),
      limiter,
    });
    bindSessions(http, kernel, limiter);
    return http;
  }

  beforeAll(async () => {
    api = await openTestApi();
    [first, second] = [await openProcess(), await openProcess()];
  });
  afterAll(async () => {
    for (const kernel of others) await kernel.lifecycle.close();
    await api.close();
  });

  async function person(): Promise<string> {
    const { workspace } = await api.caller();
    people += 1;
    const email = `person${people}@example.org`;
    await addMember(api.test.kernel, { workspaceId: workspace._id, email, role: 'owner', password: PASSWORD });
    return email;
  }

  async function signIn(
    http: Http,
    email: string,
    password: string,
    from: { remoteAddress?: string; headers?: Record<string, string> } = {},
  ) {
    const answer = await http.app.inject({
      method: 'POST',
      url: '/api/v1/session',
      headers: { 'content-type': 'application/json', ...from.headers },
      remoteAddress: from.remoteAddress ?? '198.51.100.7',
      payload: JSON.stringify({ email, password }),
    });
    return { status: answer.statusCode, wait: Number(answer.headers['retry-after'] ?? 0), text: answer.body };
  }

  /** Records wrong passwords without the tenth of a second that each would take. */
  async function failed(count: number, email: string, network = '198.51.100.7'): Promise<void> {
    for (let i = 0; i < count; i++)
      await noteFailure(
        { ...api.test.kernel, clock: { ...api.test.kernel.clock, now: () => now } },
        { email, network },
      );
  }

  it('costs a wait that doubles after five wrong passwords, counted over all API processes', async () => {
    const email = await person();
    for (let i = 0; i < 6; i++) {
      now += 61_000;
      const answer = await signIn(i % 2 === 0 ? first : second, email, 'wrong');
      expect([i, answer.status, answer.text]).toEqual([i, 401, '']);
    }
    const waits: number[] = [];
    for (let i = 0; i < 4; i++) {
      const blocked = await signIn(i % 2 === 0 ? first : second, email, PASSWORD);
      expect(blocked.status).toBe(429);
      waits.push(blocked.wait);
      now += blocked.wait * 1000;
      expect((await signIn(first, email, 'wrong')).status).toBe(401);
    }
    expect(waits).toEqual([1, 2, 4, 8]);
    now += 20_000;
    expect((await signIn(second, email, PASSWORD)).status).toBe(200);
    // The right password cleared the failures.
    now += 61_000;
    expect((await signIn(first, email, 'wrong')).status).toBe(401);
    expect((await signIn(first, email, PASSWORD)).status).toBe(200);
  });

  it('waits at most 15 minutes, and resets after a day', async () => {
    const email = 'nobody-at-all@example.org';
    await failed(40, email);
    const blocked = await signIn(first, email, 'wrong');
    expect([blocked.status, blocked.wait]).toEqual([429, 900]);
    now += 25 * 3600_000;
    await failed(5, email);
    now += 61_000;
    expect((await signIn(first, email, 'wrong')).status).toBe(401);
  });

  it('is not blocked for a user by attackers at other addresses', async () => {
    const email = await person();
    await failed(6, email, '203.0.113.66');
    expect((await signIn(first, email, 'wrong', { remoteAddress: '203.0.113.66' })).status).toBe(429);
    expect((await signIn(first, email, PASSWORD)).status).toBe(200);
  });

  it('lets the owner sign in from a new address during an attack, while each attacking address soon has only one guess', async () => {
    const email = await person();
    for (let i = 1; i <= 12; i++) {
      expect((await signIn(first, email, 'wrong', { remoteAddress: `203.0.113.${i}` })).status).toBe(401);
    }
    for (let i = 1; i <= 150; i++) await failed(1, email, `192.0.2.${i}`);
    expect((await signIn(second, email, PASSWORD, { remoteAddress: '198.51.100.77' })).status).toBe(200);
    const stranger = { remoteAddress: '203.0.113.200' };
    expect((await signIn(first, email, 'wrong', stranger)).status).toBe(401);
    expect((await signIn(first, email, 'wrong', stranger)).status).toBe(401);
    expect((await signIn(first, email, 'wrong', stranger)).status).toBe(429);
    expect((await signIn(first, email, PASSWORD, { remoteAddress: '198.51.100.78' })).status).toBe(200);
  });

  it('counts an IPv6 network as one address', async () => {
    const email = await person();
    for (let i = 1; i <= 6; i++) {
      expect((await signIn(first, email, 'wrong', { remoteAddress: `2001:db8:0:7::${i}` })).status).toBe(401);
    }
    expect((await signIn(first, email, PASSWORD, { remoteAddress: '2001:db8:0:7:ffff::1' })).status).toBe(429);
    expect((await signIn(first, email, PASSWORD, { remoteAddress: '2001:db8:0:8::1' })).status).toBe(200);
  });

  it('trusts X-Forwarded-For only from a configured proxy', async () => {
    const email = await person();
    const forged = (n: number) => ({ headers: { 'x-forwarded-for': `10.9.9.${n}` }, remoteAddress: '198.51.100.9' });
    await failed(5, email, '198.51.100.9');
    expect((await signIn(first, email, 'wrong', forged(1))).status).toBe(401);
    // A new forged address for each request made no difference.
    expect((await signIn(first, email, 'wrong', forged(99))).status).toBe(429);
    const behind = await openProcess({ FIGUREHEAD_TRUST_PROXY: '198.51.100.9' });
    expect((await signIn(behind, email, PASSWORD, forged(50))).status).toBe(200);
  });

  it('refuses many attempts from one address, for all accounts', async () => {
    now += 3600_000;
    const from = { remoteAddress: '192.0.2.200' };
    const limiter = createLimiter({ db: api.test.kernel.db, clock: { now: () => now } });
    const rule = { perMinute: 60, perHour: 600, counts: 'all' } as const;
    for (let i = 0; i < 60; i++) await limiter.take('sign-in-from:192.0.2.200', 'signIn', rule);
    expect((await signIn(first, 'somebody@example.org', 'x', from)).status).toBe(429);
  });

  it('does not reveal accounts by its answer, its delays or its duration', async () => {
    const known = await person();
    const time = async (email: string) => {
      const started = process.cpuUsage();
      const answer = await signIn(first, email, 'wrong');
      const { user, system } = process.cpuUsage(started);
      return { answer, cost: user + system };
    };
    const costs: { known: number[]; unknown: number[] } = { known: [], unknown: [] };
    for (let i = 0; i < 5; i++) {
      now += 61_000;
      const [a, b] = [await time(known), await time('stranger@example.org')];
      expect(a.answer).toEqual(b.answer);
      costs.known.push(a.cost);
      costs.unknown.push(b.cost);
    }
    // Hashing takes nearly all of the time: without a hash for unknown accounts the ratio would be a hundred.
    const ratio = Math.min(...costs.known) / Math.min(...costs.unknown);
    expect(ratio).toBeGreaterThan(0.2);
    expect(ratio).toBeLessThan(5);
    for (const email of [known, 'stranger@example.org']) {
      now += 61_000;
      expect((await signIn(first, email, 'wrong')).status).toBe(401);
      expect((await signIn(first, email, 'wrong')).status).toBe(429);
    }
  });

  it('stores no address and no account name with the failures', async () => {
    const { rows } = await (await import('kysely')).sql<{ text: string }>`
      select row_to_json(f)::text as text from sign_in_failures f`.execute(api.test.kernel.db);
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toMatch(/example\.org|198\.51\.100|203\.0\.113/);
  });
});
