import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, call, openTestApi, type TestApi } from '../../../../../tests/support/api.js';
import { setWorkspace } from '../administration/index.js';
import { createLimiter } from '../limits/index.js';
import { addMember, bootstrapOwner } from '../workspaces/index.js';
import { createToken } from '../workspaces/tokens/tokens.js';

describe('the console session', () => {
  let api: TestApi;
  let anna: Awaited<ReturnType<typeof person>>;
  beforeAll(async () => {
    api = await openTestApi();
    anna = await person();
  });
  afterAll(() => api.close());

  const origin = { origin: 'http://localhost:0', 'sec-fetch-site': 'same-origin' };
  const signIn = (email: string, password: string) =>
    call(api.http, { method: 'POST', path: '/session', body: { email, password } });
  const cookieOf = (answer: Answer) => String(answer.headers['set-cookie']).split(';')[0] ?? '';

  async function person(role: 'owner' | 'member' = 'owner', settings: Parameters<TestApi['caller']>[0] = {}) {
    const { workspace, token } = await api.caller(settings);
    const email = `${workspace._id}@example.org`;
    await addMember(api.test.kernel, { workspaceId: workspace._id, email, role, password: 'correct horse' });
    const signedIn = await signIn(email.toUpperCase(), 'correct horse');
    const cookie = cookieOf(signedIn);
    const ask = (
      method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
      path: string,
      body?: unknown,
      headers: Record<string, string> = origin,
    ) => call(api.http, { method, path, body, headers: { cookie, ...headers } });
    return { workspace, token, email, signedIn, ask };
  }

  it('starts with e-mail and password, in a cookie that scripts cannot read, and ends', async () => {
    const { email, ask, signedIn: answer } = await person();
    expect(answer.headers['set-cookie']).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(answer.body).toMatchObject({ user: { email }, role: 'owner', workspaces: [{ role: 'owner' }] });
    expect((await ask('GET', '/session')).body.user.email).toBe(email);
    expect((await ask('DELETE', '/session')).body).toEqual({ accepted: true });
    expect((await ask('GET', '/session')).status).toBe(401);
    const wrong = await signIn(email, 'wrong horse');
    expect([wrong.status, wrong.text]).toEqual([401, '']);
  });

  it('stops guessing from one address after sixty attempts per minute, for all accounts', async () => {
    const limiter = createLimiter(api.test.kernel);
    const rule = { perMinute: 60, perHour: 600, counts: 'all' } as const;
    while ((await limiter.take('sign-in-from:127.0.0.1', 'signIn', rule)).allowed);
    const refused = await signIn('guess@example.org', 'x');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, String(refused.body.retryAfter)]);
    await sql`delete from rate_limits where subject = 'sign-in-from:127.0.0.1'`.execute(api.test.kernel.db);
    expect((await signIn('guess@example.org', 'x')).status).toBe(401);
  });

  // Proves: D.plans.11
  it('accepts changes only from the console itself', async () => {
    const { ask } = anna;
    const body = { name: 'x' };
    expect((await ask('POST', '/videos', body)).status).toBe(200);
    expect(
      (await ask('POST', '/videos', body, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })).status,
    ).toBe(403);
    expect((await ask('POST', '/videos', body, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await ask('POST', '/videos', body, {})).status).toBe(403);
    expect((await ask('GET', '/videos', undefined, {})).status).toBe(200);
  });

  it('starts only from the console itself, so that no other site can sign a visitor in to its own account', async () => {
    const credentials = { email: anna.email, password: 'correct horse' };
    const from = (headers: Record<string, string>, body: unknown = credentials) =>
      call(api.http, { method: 'POST', path: '/session', body, headers });
    const form = JSON.stringify(credentials);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example', 'content-type': 'text/plain' },
      { 'sec-fetch-site': 'same-site', origin: 'https://other.example' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example', 'content-type': 'text/plain' },
      { origin: 'null' },
    ]) {
      for (const body of [credentials, form]) {
        const answer = await from(headers, body);
        expect([headers, answer.status, answer.headers['set-cookie']]).toEqual([headers, 403, undefined]);
      }
    }
    for (const headers of [origin, { origin: 'http://localhost:0' }, {}]) {
      expect([headers, (await from(headers)).status]).toEqual([headers, 200]);
    }
  });

  // Proves: 5.3, D.plans.12
  it('works on the Unlimited plan, where a token gets the bare 401', async () => {
    const { workspace, token, ask } = await person();
    await setWorkspace(api.test.kernel, workspace._id, { plan: 'Unlimited' });
    const byToken = await call(api.http, {
      method: 'GET',
      path: '/videos',
      headers: { authorization: `Bearer ${token}` },
    });
    expect([byToken.status, byToken.text]).toEqual([401, '']);
    expect((await ask('GET', '/videos')).status).toBe(200);
  });

  // Proves: 5.1, D.plans.9, D.plans.10, D.plans.11
  it('creates tokens that work until they are revoked; a token cannot create tokens', async () => {
    const { ask, token } = anna;
    const { body: fresh } = await ask('POST', '/tokens', { name: 'CI' });
    expect(fresh.token).toMatch(/^fh_/);
    const use = (method: 'GET' | 'POST', path: string, bearer: string) =>
      call(api.http, { method, path, headers: { authorization: `Bearer ${bearer}` } });
    expect((await use('GET', '/videos', fresh.token)).status).toBe(200);
    const { body: list } = await ask('GET', '/tokens');
    expect(list).toMatchObject({
      total: 2,
      tokens: [{ name: 'CI', prefix: fresh.token.slice(0, 9), lastUsedAt: expect.any(String) }, {}],
    });
    expect(JSON.stringify(list)).not.toContain(fresh.token);
    expect((await use('POST', '/tokens', token)).status).toBe(403);
    expect((await ask('DELETE', `/tokens/${fresh._id}`)).status).toBe(200);
    expect((await use('GET', '/videos', fresh.token)).status).toBe(401);
    expect((await ask('DELETE', `/tokens/${fresh._id}`)).status).toBe(404);
    const { workspace } = await api.caller();
    const theirs = await createToken(api.test.kernel, { workspaceId: workspace._id, userId: 'x', name: 'x' });
    expect((await ask('DELETE', `/tokens/${theirs._id}`)).status).toBe(403);
  });

  it('lets owners manage members, keeps one owner, and ends a removed member’s session and tokens', async () => {
    const { ask } = anna;
    const noPassword = await ask('POST', '/members', { email: 'Mia@Example.org' });
    expect(noPassword.body.errors).toEqual([{ field: 'password', message: expect.any(String) }]);
    const { body: mia } = await ask('POST', '/members', { email: 'Mia@Example.org', password: 'long enough' });
    expect(mia).toMatchObject({ email: 'mia@example.org', role: 'member' });
    const cookie = cookieOf(await signIn('mia@example.org', 'long enough'));
    const asMia = (method: 'GET' | 'POST', path: string) =>
      call(api.http, { method, path, headers: { cookie, ...origin } });
    expect((await asMia('POST', '/tokens')).status).toBe(403);
    const { body: members } = await ask('GET', '/members');
    const me = members.members.find((member: { role: string }) => member.role === 'owner');
    expect((await ask('PATCH', `/members/${me._id}`, { role: 'member' })).status).toBe(400);
    expect((await ask('PATCH', `/members/${mia._id}`, { role: 'owner' })).body.role).toBe('owner');
    const { body: token } = await asMia('POST', '/tokens');
    expect((await ask('DELETE', `/members/${mia._id}`)).body).toEqual({ _id: mia._id, deleted: true });
    expect((await asMia('GET', '/session')).status).toBe(401);
    expect(
      (await call(api.http, { method: 'GET', path: '/videos', headers: { authorization: `Bearer ${token.token}` } }))
        .status,
    ).toBe(401);
    expect((await ask('DELETE', `/members/${me._id}`)).status).toBe(400);
  });

  it('lets owners and tokens change webhook URL and secret, and members only read', async () => {
    const { ask, token } = await person();
    await ask('POST', '/members', { email: 'moe@example.org', password: 'long enough' });
    const cookie = cookieOf(await signIn('moe@example.org', 'long enough'));
    const asMoe = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
      call(api.http, { method, path, body, headers: { cookie, ...origin } });
    const hook = { url: 'https://example.org/hook' };
    const secret = { secret: 'of the owner' };
    expect((await ask('POST', '/webhook', hook)).status).toBe(200);
    const headers = { authorization: `Bearer ${token}` };
    expect((await call(api.http, { method: 'PUT', path: '/webhook/secret', body: secret, headers })).status).toBe(200);
    const before = (await ask('GET', '/apiConfig')).body.webhook;
    const refused = [
      await asMoe('PUT', '/webhook/secret', { secret: 'of a member' }),
      await asMoe('POST', '/webhook', { url: 'https://example.org/elsewhere' }),
      await asMoe('DELETE', '/webhook'),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect((await asMoe('GET', '/apiConfig')).body.webhook).toEqual(before);
  });

  it('changes the password with the current one and ends other sessions', async () => {
    const { email, ask } = await person();
    const elsewhere = cookieOf(await signIn(email, 'correct horse'));
    expect((await ask('PATCH', '/session', { password: { current: 'nope', next: 'another horse' } })).status).toBe(400);
    expect(
      (await ask('PATCH', '/session', { password: { current: 'correct horse', next: 'another horse' } })).status,
    ).toBe(200);
    expect((await call(api.http, { method: 'GET', path: '/session', headers: { cookie: elsewhere } })).status).toBe(
      401,
    );
    expect((await ask('GET', '/session')).status).toBe(200);
    expect((await signIn(email, 'another horse')).status).toBe(200);
  });

  // Proves: D.operating.1
  it('creates one owner on the first start, also when several processes start at once', async () => {
    const owners = await Promise.all([1, 2, 3, 4].map(() => bootstrapOwner(api.test.kernel)));
    const made = owners.filter((owner) => owner !== undefined);
    expect(made).toHaveLength(1);
    const [owner] = made;
    expect((await signIn(owner?.email ?? '', owner?.password ?? '')).status).toBe(200);
    const { status } = await call(api.http, {
      method: 'GET',
      path: '/workspace',
      headers: { authorization: `Bearer ${owner?.token}` },
    });
    expect(status).toBe(200);
    expect(await bootstrapOwner(api.test.kernel)).toBeUndefined();
  });
});
