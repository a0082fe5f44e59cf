import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';
import { registerHost } from '../../features/streams/hosts.js';

describe('every call of the API', () => {
  let api: TestApi;
  let alice: TestCaller;
  let bob: TestCaller;

  beforeAll(async () => {
    api = await openTestApi();
    alice = await api.caller();
    bob = await api.caller();
  });
  afterAll(() => api.close());

  const anonymous = (path: string, headers: Record<string, string> = {}) =>
    call(api.http, { method: 'GET', path, headers });

  // Proves: 5.1, 5.2, 7.6, D.calls.12
  it.each([
    ['no token', {}],
    ['an unknown token', { authorization: 'Bearer fh_unknown' }],
    ['another scheme', { authorization: 'Basic Zm9vOmJhcg==' }],
    ['an unknown cookie', { cookie: 'figurehead_session=nobody' }],
  ])('answers %s with a bare 401', async (_what, headers) => {
    const answer = await anonymous('/videos', headers);
    expect(answer.status).toBe(401);
    expect(answer.text).toBe('');
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{24}$/);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  // Proves: 7.8, D.calls.5
  it('answers an unknown path and a method that a path lacks with 404, after the 401', async () => {
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['PUT', '/videos'],
      ['GET', '/videos/%zz'],
    ] as const) {
      expect((await call(api.http, { method, path })).status).toBe(401);
      const answer = await alice.call(method, path);
      expect(answer.status).toBe(404);
      expect(answer.body.message).toContain(method);
      expect(answer.headers['x-request-id']).toBeDefined();
      expect(answer.headers['error-code']).toBe('unknownPath');
    }
  });

  // Proves: D.calls.4
  it('checks 401, unreadable body, 404, 403 and content in this order', async () => {
    const { body: video } = await alice.call('POST', '/videos', { name: 'mine' });
    expect((await call(api.http, { method: 'PATCH', path: '/videos/x', body: '{' })).status).toBe(401);
    const unreadable = await bob.call('PATCH', `/videos/${video._id}`, '{"name":');
    expect([unreadable.status, unreadable.body.message]).toEqual([400, expect.stringContaining('not valid JSON')]);
    const missing = await alice.call('PATCH', '/videos/000000000000000000000000', { name: 1 });
    expect([missing.status, missing.headers['error-code']]).toEqual([404, 'notFound']);
    expect((await bob.call('PATCH', `/videos/${video._id}`, { name: 1 })).status).toBe(403);
    expect((await alice.call('PATCH', `/videos/${video._id}`, { name: 1 })).status).toBe(400);
  });

  it('does not read a large body for a caller that is unknown', async () => {
    const send = async (url: string, bytes: number) => {
      const payload = JSON.stringify({ x: 'a'.repeat(bytes) });
      const headers = { authorization: 'Bearer fh_unknown', 'content-type': 'application/json' };
      const { statusCode } = await api.http.app.inject({ method: 'POST', url, payload, headers });
      return [url, statusCode];
    };
    expect(await send('/mcp', 1_000_000)).toEqual(['/mcp', 401]);
    expect(await send('/bey/v1/sessions', 100_000)).toEqual(['/bey/v1/sessions', 400]);
    for (const [url, status] of [
      ['/mcp', 401],
      ['/nowhere', 404],
    ] as const) {
      const unreadable = { method: 'POST' as const, url, payload: '{', headers: { authorization: 'Bearer x' } };
      expect([url, (await api.http.app.inject(unreadable)).statusCode]).toEqual([url, status]);
    }
  });

  // Proves: 7.2.1, D.calls.3
  it('names invalid fields by their path', async () => {
    const answer = await alice.call('POST', '/videos', { name: 'x', slides: [{ id: 'one', voice: 7 }], tags: 'all' });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual(
      expect.arrayContaining([
        { field: 'slides[0].id', message: 'must be integer' },
        { field: 'slides[0].voice', message: 'must be string' },
        { field: 'tags', message: 'must be array' },
      ]),
    );
    expect((await alice.call('POST', '/videos', {})).body.errors).toEqual([{ field: 'name', message: 'is required' }]);
    expect((await alice.call('POST', '/videos')).status).toBe(400);
  });

  // Proves: D.calls.7, D.videos.23
  it('requires exact types in bodies and parses them from text in queries', async () => {
    // Only video documents may have numbers as text.
    const agent = { name: 'x', prompt: 'Be kind.', maxTurns: '5' };
    const message = 'must be integer';
    expect((await alice.call('POST', '/agents', agent)).body.errors).toEqual([{ field: 'maxTurns', message }]);
    expect((await alice.call('GET', '/videos?page=2&limit=5')).body).toMatchObject({ page: 2, limit: 5 });
    expect(
      (await alice.call('GET', '/videos?page=1&limit=25&status=ready,error&type=&tags=&folderId=&deleted=')).status,
    ).toBe(200);
    expect((await alice.call('GET', '/videos?limit=101')).status).toBe(400);
    expect((await alice.call('GET', '/videos?page=x')).status).toBe(400);
  });

  // Proves: D.calls.6
  it('ignores unknown fields, also those that only the server may set', async () => {
    const { body } = await alice.call('POST', '/videos', {
      name: 'x',
      status: 'ready',
      userId: 'me',
      accountId: bob.workspace._id,
      url: 'http://x',
      slides: [{ id: 1, nonsense: true, audio: { url: `${bob.workspace._id}/videos/x`, duration: 1, words: [] } }],
    });
    expect(body).toMatchObject({ status: 'draft', userId: alice.workspace._id, accountId: alice.workspace._id });
    expect(body.url).toBeUndefined();
    expect(body.slides).toEqual([{ id: 1 }]);
  });

  // Proves: D.calls.2
  it('accepts DELETE and GET with a JSON content type and no body', async () => {
    const headers = { 'content-type': 'application/json' };
    const { body: video } = await alice.call('POST', '/videos', { name: 'x' });
    expect((await alice.call('GET', `/videos/${video._id}`, undefined, headers)).status).toBe(200);
    expect((await alice.call('POST', `/videos/render/${video._id}`, undefined, headers)).status).toBe(200);
    expect((await alice.call('DELETE', `/videos/render/${video._id}`, undefined, headers)).status).toBe(200);
    expect((await alice.call('DELETE', `/videos/${video._id}`, undefined, headers)).status).toBe(200);
  });

  // Proves: 4.0.2
  it('reads JSON with any content type, and refuses other bodies', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await alice.call('POST', '/videos', '{"name":"curl -d"}', headers)).status).toBe(200);
    expect((await alice.call('POST', '/videos', 'name=curl', headers)).status).toBe(400);
    expect((await alice.call('POST', '/videos', '{"name":"x","__proto__":{"admin":true}}')).status).toBe(400);
    expect((await alice.call('POST', '/videos', '{"name":"a\\u0000b"}')).status).toBe(400);
    expect((await alice.call('POST', '/videos', '{"name":"x","data":{"k":"\\ud800"}}')).status).toBe(400);
    for (const large of ['-1e400', `${'9'.repeat(250)}e99`])
      expect((await alice.call('POST', '/videos', `{"name":"x","data":{"k":${large}}}`)).status).toBe(400);
    expect((await alice.call('POST', '/videos', Buffer.from('{"name":"caf\xe9"}', 'latin1'))).status).toBe(400);
    expect((await alice.call('POST', '/videos', '\ufeff{"name":"marked 1e300"}')).body.name).toBe('marked 1e300');
    expect((await alice.call('GET', '/videos?tags=a%00b')).status).toBe(400);
    expect((await alice.call('GET', '/videos/%00')).status).toBe(404);
    expect((await alice.call('POST', '/videos', '{"name":"back\\\\u0000slash 🎬"}')).body.name).toBe(
      'back\\u0000slash 🎬',
    );
  });

  // Proves: D.calls.8
  it('refuses a body over 5 MB with a sentence that names the limit', async () => {
    const answer = await alice.call('POST', '/videos', { name: 'x', data: { filler: 'x'.repeat(5 * 1024 * 1024) } });
    expect([answer.status, answer.body.message]).toEqual([400, 'The body is larger than the limit of 5 MB.']);
    const signIn = await call(api.http, { method: 'POST', path: '/session', body: { email: 'x'.repeat(20_000) } });
    expect([signIn.status, signIn.body.message]).toEqual([400, 'The body is larger than the limit of 16 kB.']);
  });

  // Proves: D.calls.11
  it('lets pages of any origin call it', async () => {
    const answer = await api.http.app.inject({
      method: 'OPTIONS',
      url: '/api/v1/videos',
      headers: {
        origin: 'https://example.org',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization',
      },
    });
    expect(answer.statusCode).toBeLessThan(300);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-allow-methods']).toContain('PATCH');
    expect(answer.headers['access-control-allow-headers']).toMatch(/Authorization.*Content-Type/i);
    const get = await alice.call('GET', '/videos', undefined, { origin: 'https://example.org' });
    expect(get.headers['access-control-expose-headers']).toContain('X-RateLimit-Remaining-Min');
  });

  // Proves: D.names.4, D.operating.13
  it('serves health, metrics and documentation outside the prefix', async () => {
    const get = (url: string) => api.http.app.inject({ method: 'GET', url });
    expect((await get('/healthz')).json()).toEqual({ status: 'ok' });
    expect((await get('/readyz')).json()).toMatchObject({
      status: 'not ready',
      database: true,
      migrated: true,
      streamHosts: false,
    });
    await registerHost(api.test.kernel, {
      id: 'h',
      url: 'http://127.0.0.1:9',
      capacity: 1,
      engines: ['cpu'],
      version: '0',
    });
    expect((await get('/readyz')).json()).toMatchObject({ status: 'ready', streamHosts: true });
    const { body } = await get('/metrics');
    const labels = 'route="healthz",method="GET",status="200"';
    expect(body).toContain(`figurehead_http_request_duration_seconds_bucket{le="+Inf",${labels}} 1\n`);
    expect(body).toContain(`figurehead_http_request_duration_seconds_count{${labels}} 1\n`);
    expect(body).toContain('# TYPE figurehead_http_request_duration_seconds histogram');
    const openapi = (await get('/openapi.json')).json();
    expect(openapi.openapi).toBe('3.1.0');
    expect(openapi.paths['/videos/{videoId}'].get.operationId).toBe('readVideo');
    const docs = await get('/docs/');
    expect(docs.statusCode).toBe(200);
    // Nothing that the browser loads comes from another server.
    expect(docs.body.match(/(?:src|href)="https?:\/\//g)).toBeNull();
  });
});
