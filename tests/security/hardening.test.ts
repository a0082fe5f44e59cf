import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMember } from '../../packages/server/src/features/workspaces/index.js';
import { createApi } from '../../packages/server/src/roles/api.js';
import { createEngine } from '../../packages/server/src/roles/engine.js';
import { call, openTestApi, type TestApi, type TestCaller } from '../support/api.js';
import { openTestKernel } from '../support/kernel.js';

describe('every answer', () => {
  let api: TestApi;
  let me: TestCaller;
  beforeAll(async () => {
    api = await openTestApi();
    me = await api.caller();
  });
  afterAll(() => api.close());

  const get = (url: string, headers: Record<string, string> = {}) =>
    api.http.app.inject({ method: 'GET', url, headers });

  it('forbids sniffing and foreign frames, and keeps paths from other sites', async () => {
    for (const url of [
      '/',
      '/healthz',
      '/metrics',
      '/openapi.json',
      '/nothing',
      '/api/v1/videos',
      '/media/x',
      '/%zz',
    ]) {
      const { headers } = await get(url, { accept: 'text/html' });
      expect([url, headers['x-request-id'] !== undefined]).toEqual([url, true]);
      if (url === '/%zz') continue;
      expect([url, headers['x-content-type-options']]).toEqual([url, 'nosniff']);
      expect([url, headers['x-frame-options']]).toEqual([url, 'SAMEORIGIN']);
      expect([url, headers['referrer-policy']]).toEqual([url, 'strict-origin-when-cross-origin']);
      expect([url, headers['server'], headers['x-powered-by']]).toEqual([url, undefined, undefined]);
    }
  });

  it('of the API is not treated as a page: no content is executed or cached', async () => {
    const { body } = await me.call('POST', '/videos', { name: '<script>alert(1)</script>' });
    const { headers } = await me.call('GET', `/videos/${body._id}`);
    expect(headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/json/),
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    });
    const missing = await me.call('GET', '/videos/<img src=x>');
    expect([missing.status, String(missing.headers['content-type'])]).toEqual([404, expect.stringMatching(/json/)]);
  });

  it('of the console runs only its own scripts, and cannot be framed by other sites', async () => {
    const { headers, body } = await get('/', { accept: 'text/html' });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).not.toMatch(/script-src[^;]*(unsafe|\*|https:)/);
    expect(body).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>[^<]*\w/);
    const [nonce] = /'nonce-[^']+'/.exec(policy) ?? [];
    expect((await get('/', { accept: 'text/html' })).headers['content-security-policy']).not.toContain(nonce);
  });

  it('of a stored file is never executed by a browser', async () => {
    const { objects } = api.test.kernel;
    await objects.put('w/evil.html', Readable.from([Buffer.from('<script>alert(1)</script>')]), 'text/html');
    const link = new URL(objects.link('w/evil.html', 60));
    const { headers, statusCode } = await get(link.pathname + link.search);
    expect(statusCode).toBe(200);
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('with an https address makes browsers stay with https, and sends cookies only over it', async () => {
    const { kernel, close } = await openTestKernel({ FIGUREHEAD_URL: 'https://talk.example.org' });
    const http = createApi(kernel, createEngine(kernel));
    const { headers } = await http.app.inject({ method: 'GET', url: '/healthz' });
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
    const { workspace } = { workspace: { _id: '0'.repeat(24) } };
    await sql`insert into workspaces (id, name, plan, status) values (${workspace._id}, 'W', 'Team', 'active')`.execute(
      kernel.db,
    );
    await addMember(kernel, {
      workspaceId: workspace._id,
      email: 'a@example.org',
      role: 'owner',
      password: 'correct horse',
    });
    const answer = await call(http, {
      method: 'POST',
      path: '/session',
      body: { email: 'a@example.org', password: 'correct horse' },
    });
    expect(String(answer.headers['set-cookie'])).toMatch(/; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    await close();
    expect((await get('/healthz')).headers['strict-transport-security']).toBeUndefined();
  });

  it('to a path outside of the store is a refusal', async () => {
    for (const path of [
      '/media/../../../etc/passwd',
      '/media/..%2f..%2f..%2fetc%2fpasswd',
      '/media/%2e%2e/%2e%2e/etc/passwd',
      '/media/w/%00',
      '/media//etc/passwd',
      '/assets/../../../package.json',
      '/assets/..%2f..%2f..%2fpackage.json',
    ]) {
      for (const query of ['', '?expires=9999999999&signature=AAAA']) {
        const answer = await get(path + query);
        expect([path, [400, 403, 404].includes(answer.statusCode)]).toEqual([path, true]);
        expect(answer.body).not.toContain('root:');
        expect(answer.body).not.toContain('figurehead-repository');
      }
    }
  });

  it('to a path that leaves the folder of the console or of the embedded page is a refusal, not a failure', async () => {
    const port = await api.http.listen();
    // Node's client sends a path as it is; `inject` and `fetch` would resolve its dots first.
    const statusOf = async (path: string) => {
      const [answer] = (await once(request({ port, path, agent: false }).end(), 'response')) as [IncomingMessage];
      return answer.resume().statusCode ?? 0;
    };
    for (const folder of ['/assets/', '/embed/']) {
      for (const rest of ['..', '../', '%2e%2e', '%2e%2e/', '..%2f', 'x/../..', '..%5c', '.%2e', '%00', '%zz']) {
        const status = await statusOf(folder + rest);
        expect([folder + rest, status >= 400 && status < 500]).toEqual([folder + rest, true]);
      }
    }
  });

  it('to a body with prototype keys or very deep nesting is an error without a crash', async () => {
    const poisoned = '{"name":"x","data":{"__proto__":{"polluted":1}}}';
    expect((await me.call('POST', '/videos', poisoned)).status).toBe(400);
    const constructed = '{"name":"x","data":{"constructor":{"prototype":{"polluted":1}}}}';
    expect((await me.call('POST', '/videos', constructed)).status).toBe(200);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const deep = `{"name":"x","data":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`;
    expect((await me.call('POST', '/videos', deep)).status).toBeLessThan(500);
  });
});

describe('metrics', () => {
  const statusOf = async (app: TestApi['http']['app'], from: { remoteAddress?: string; headers?: object } = {}) =>
    (await app.inject({ method: 'GET', url: '/metrics', ...from, headers: { ...from.headers } })).statusCode;

  it('require the token, if one is configured', async () => {
    const { kernel, close } = await openTestKernel({ FIGUREHEAD_METRICS_TOKEN: 'hush' });
    const { app } = createApi(kernel, createEngine(kernel));
    const bearer = (authorization: string) => statusOf(app, { headers: { authorization } });
    expect(await statusOf(app)).toBe(401);
    expect([await bearer('Bearer wrong'), await bearer('Bearer hus'), await bearer('Bearer hush')]).toEqual([
      401, 401, 200,
    ]);
    expect(await statusOf(app, { remoteAddress: '203.0.113.9', headers: { authorization: 'Bearer hush' } })).toBe(200);
    await close();
  });

  it('without a token are readable only on the same machine, regardless of proxy headers', async () => {
    const { kernel, close } = await openTestKernel({ FIGUREHEAD_TRUST_PROXY: '127.0.0.1,203.0.113.9' });
    const { app } = createApi(kernel, createEngine(kernel));
    const forwarded = { 'x-forwarded-for': '127.0.0.1' };
    expect(await statusOf(app)).toBe(200);
    expect(await statusOf(app, { remoteAddress: '::1' })).toBe(200);
    expect(await statusOf(app, { remoteAddress: '203.0.113.9' })).toBe(403);
    expect(await statusOf(app, { remoteAddress: '203.0.113.9', headers: forwarded })).toBe(403);
    expect(await statusOf(app, { headers: forwarded })).toBe(403);
    expect(await statusOf(app, { headers: { via: '1.1 caddy' } })).toBe(403);
    await close();
  });
});
