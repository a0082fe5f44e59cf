import { hkdfSync } from 'node:crypto';
import { type Route, routes } from '@figurehead/contract';
import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, call, type TestCaller } from '../../../../../../tests/support/api.js';
import { openAll, sessionOf, until } from '../../../../../../tests/support/stream-host.js';
import { signInAs } from '../../../../../../tests/support/web.js';

const PAGE = 'https://shop.example.org';
const ANSWER = { answer: { type: 'answer', sdp: 'v=0\r\n' } };
type Method = Parameters<TestCaller['call']>[0];

describe('a client token', () => {
  let all: Awaited<ReturnType<typeof openAll>>;
  let alice: TestCaller;
  beforeAll(async () => {
    all = await openAll({ FIGUREHEAD_STRANGERS_PER_MINUTE: '30' }, { capacity: 40 });
    alice = await all.api.caller();
  });
  afterAll(() => all.close());

  /** Creates a token and returns a function that calls the API with it from a page of an origin. */
  async function make(settings: object = {}, caller: TestCaller = alice) {
    const { status, body, text } = await caller.call('POST', '/client-tokens', {
      origins: [PAGE],
      avatarCode: 'nora',
      ...settings,
    });
    if (status !== 200) throw new Error(`POST /client-tokens answered ${status}: ${text}`);
    const from =
      (origin: string) =>
      (method: Method, path: string, sent?: unknown): Promise<Answer> =>
        call(all.api.http, { method, path, body: sent, headers: { authorization: `Bearer ${body.token}`, origin } });
    return { id: body._id as string, token: body.token as string, body, from, page: from(PAGE) };
  }
  const reason = ({ status, text, headers }: Answer) => [status, text, headers['www-authenticate']];
  const expire = (id: string) =>
    sql`update client_tokens set expires_at = now() - interval '1 second' where id = ${id}`.execute(
      all.api.test.kernel.db,
    );

  // Proves: D.clientTokens.2
  it('opens, drives, reads and closes its own streams from a page of an allowed origin', async () => {
    const { id, page } = await make({ maxStreams: 2 });
    const opened = await page('POST', '/streams', { width: 256, height: 256 });
    expect([opened.status, opened.body.avatarCode]).toEqual([200, 'nora']);
    const stream = opened.body.id;
    expect((await page('PUT', `/streams/${stream}`, ANSWER)).body).toEqual({ status: 'ok' });
    expect((await page('POST', `/streams/candidate/${stream}`, { candidate: null })).body).toEqual({ status: 'ok' });
    expect((await page('POST', `/streams/render/${stream}`, { text: 'Hello.' })).body.accepted).toBe(true);
    expect((await page('DELETE', `/streams/render/${stream}`)).status).toBe(200);
    expect((await page('GET', `/streams/${stream}`)).body.id).toBe(stream);
    const { body } = await alice.call('GET', '/client-tokens');
    expect(body.clientTokens.find((one: { _id: string }) => one._id === id)).toMatchObject({ openStreams: 1 });
    expect((await page('DELETE', `/streams/${stream}`)).body).toEqual({ id: stream, deleted: true });
  });

  // Proves: D.clientTokens.2
  it('is refused everything else, with a message', async () => {
    const { page } = await make();
    const allowed = Object.values<Route & { readonly id: string }>(routes).filter(({ auth }) => auth === 'client');
    expect(allowed.map(({ id }) => id).sort()).toEqual([
      'addCandidate',
      'answerStream',
      'appendText',
      'closeStream',
      'closeWhep',
      'converse',
      'createStream',
      'interrupt',
      'openPipecat',
      'openUtterance',
      'openWhep',
      'readStream',
      'reconnectStream',
      'speak',
      'speakSound',
      'startPipecat',
      'tricklePipecat',
      'trickleWhep',
      'watchStream',
    ]);
    for (const route of Object.values<Route & { readonly id: string }>(routes)) {
      if (route.auth === 'client' || route.auth === 'public') continue;
      const answer = await page(route.method, route.path.replace(/\{\w+\}/g, '000000000000000000000000'));
      expect([route.id, answer.status]).toEqual([route.id, 403]);
      if ('multipart' in route) continue;
      expect(answer.body.message).toBe('A client token can only open, drive, read and close its own streams.');
    }
  });

  // Proves: D.clientTokens.2
  it('cannot access other streams of its workspace or streams of another token', async () => {
    const [mine, other] = [await make(), await make()];
    const { body: byApi } = await alice.call('POST', '/streams', {});
    const { body: byOther } = await other.page('POST', '/streams', {});
    for (const { id } of [byApi, byOther]) {
      for (const [method, path, body] of [
        ['GET', `/streams/${id}`],
        ['PUT', `/streams/${id}`, ANSWER],
        ['POST', `/streams/connection/${id}`],
        ['POST', `/streams/candidate/${id}`, { candidate: null }],
        ['POST', `/streams/render/${id}`, { text: 'x' }],
        ['DELETE', `/streams/render/${id}`],
        ['POST', `/streams/utterance/${id}`],
        ['PUT', `/streams/utterance/${id}/x`, { index: 0, text: 'x' }],
        ['DELETE', `/streams/${id}`],
      ] as const) {
        const answer = await mine.page(method, path, body);
        expect([method, path, answer.status]).toEqual([method, path, 403]);
        expect(answer.body.message).toBe('This stream was not opened with this client token.');
      }
      await alice.call('DELETE', `/streams/${id}`);
    }
  });

  // Proves: D.clientTokens.3
  it('works only on pages of its origins', async () => {
    const { from, token } = await make({ origins: [PAGE, 'http://localhost:5173'] });
    for (const origin of ['https://evil.example.org', `${PAGE}.evil.org`, 'http://shop.example.org', 'null']) {
      const answer = await from(origin)('POST', '/streams', {});
      expect([answer.status, answer.body.message]).toEqual([
        403,
        `This client token cannot be used on pages of ${origin}.`,
      ]);
    }
    const authorization = `Bearer ${token}`;
    const bare = await call(all.api.http, { method: 'POST', path: '/streams', body: {}, headers: { authorization } });
    expect(bare.status).toBe(403);
    expect((await from('http://localhost:5173')('POST', '/streams', {})).status).toBe(200);
  });

  // Proves: D.clientTokens.3
  it('answers preflights from any page, and lets the page read why it was refused', async () => {
    const preflight = await all.api.http.app.inject({
      method: 'OPTIONS',
      url: '/api/v1/streams',
      headers: {
        origin: PAGE,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': expect.stringContaining('Authorization'),
    });
    const { page } = await make();
    const { headers } = await page('GET', '/streams/000000000000000000000000');
    expect(headers['access-control-expose-headers']).toContain('WWW-Authenticate');
  });

  // Proves: D.clientTokens.4
  it('keeps to its stream limit when many pages open a stream at once', async () => {
    const { page } = await make({ maxStreams: 5 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => page('POST', '/streams', {})));
    const opened = answers.filter(({ status }) => status === 200);
    expect(opened).toHaveLength(5);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect([answer.status, answer.body]).toEqual([
        429,
        { message: 'All 5 streams of this client token are in use. Try again when one has ended.' },
      ]);
    }
    await page('DELETE', `/streams/${opened[0]?.body.id}`);
    expect((await page('POST', '/streams', {})).status).toBe(200);
    expect((await page('POST', '/streams', {})).status).toBe(429);
  });

  // Proves: D.clientTokens.4
  it('shares its minutes between all its streams: when they are used up, open streams end and new ones are refused', async () => {
    const { id, page } = await make({ maxMinutes: 0.5, maxStreams: 3 });
    const streams = [(await page('POST', '/streams', {})).body.id, (await page('POST', '/streams', {})).body.id];
    for (const stream of streams) {
      await page('PUT', `/streams/${stream}`, ANSWER);
      const session = sessionOf(all.host, stream);
      session.connect();
      session.connectedMs = 10_000;
    }
    await until('both are reported', async () => {
      const { body } = await alice.call('GET', '/client-tokens');
      return body.clientTokens.find((one: { _id: string }) => one._id === id)?.usedMinutes === 20 / 60;
    });
    const sessions = streams.map((stream) => sessionOf(all.host, stream));
    for (const session of sessions) session.connectedMs = 20_000;
    await until('both have ended', async () => (await page('GET', `/streams/${streams[1]}`)).status === 404);
    expect(sessions.map(({ closedWith }) => closedWith)).toEqual(
      Array(2).fill('the minutes of the client token are used up'),
    );
    const refused = await page('POST', '/streams', {});
    expect([refused.status, refused.body]).toEqual([429, { message: 'The minutes of this client token are used up.' }]);
  });

  // Proves: D.clientTokens.5
  it('is refused once it has expired, with the reason in a header, and its streams end', async () => {
    const { id, page } = await make({ expiresInSeconds: 60 });
    const { body: stream } = await page('POST', '/streams', {});
    const session = sessionOf(all.host, stream.id);
    await expire(id);
    await until('its stream has ended', async () => (await alice.call('GET', `/streams/${stream.id}`)).status === 404);
    expect(session.closedWith).toBe('the client token has expired');
    expect(
      (await alice.call('GET', '/client-tokens')).body.clientTokens.map((one: { _id: string }) => one._id),
    ).not.toContain(id);
    const late = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setJti(id)
      .setExpirationTime(1_700_000_000)
      .sign(keyOf(all.api.test.kernel.internalSecret));
    const answer = await call(all.api.http, {
      method: 'POST',
      path: '/streams',
      body: {},
      headers: { authorization: `Bearer ${late}`, origin: PAGE },
    });
    expect(reason(answer)).toEqual([
      401,
      '',
      'Bearer error="invalid_token", error_description="This client token expired at 2023-11-14T22:13:20.000Z."',
    ]);
  });

  // Proves: D.clientTokens.5
  it('is refused at once when it is replayed after it was revoked, and its streams end', async () => {
    const { id, page } = await make();
    const { body: stream } = await page('POST', '/streams', {});
    const session = sessionOf(all.host, stream.id);
    expect((await alice.call('DELETE', `/client-tokens/${id}`)).body).toEqual({ _id: id, deleted: true });
    for (const answer of [
      await page('POST', '/streams', {}),
      await page('POST', `/streams/render/${stream.id}`, { text: 'x' }),
    ])
      expect(reason(answer)).toEqual([
        401,
        '',
        'Bearer error="invalid_token", error_description="This client token was revoked."',
      ]);
    await until('its stream has ended', async () => (await alice.call('GET', `/streams/${stream.id}`)).status === 404);
    expect(session.closedWith).toBe('the client token was revoked');
  });

  // Proves: D.clientTokens.5
  it('is an unknown credential when it was forged, is spelled otherwise or belongs to another installation', async () => {
    const { id, token } = await make();
    const next = (letter: string) => String.fromCharCode(letter.charCodeAt(0) + 1);
    const exp = Math.floor(Date.now() / 1000) + 600;
    const sign = (secret: string, alg = 'HS256') =>
      new SignJWT().setProtectedHeader({ alg }).setJti(id).setExpirationTime(exp).sign(keyOf(secret, alg));
    const secret = all.api.test.kernel.internalSecret;
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`;
    const forged = [
      `${token.slice(0, -4)}AAAA`,
      none,
      await sign('another'),
      await sign(secret, 'HS384'),
      'a.b.c',
      '...',
      // Other spellings of the same bytes.
      `${token}=`,
      `${token.slice(0, -1)}${next(token.slice(-1))}`,
    ];
    for (const one of forged) {
      const headers = { authorization: `Bearer ${one}`, origin: PAGE };
      const answer = await call(all.api.http, { method: 'POST', path: '/streams', body: {}, headers });
      expect([one, ...reason(answer)]).toEqual([one, 401, '', 'Bearer']);
    }
  });

  // Proves: D.clientTokens.2
  it('can use only its own avatar and voice', async () => {
    const { page } = await make({ voiceId: 'slt', voiceProvider: 'flite' });
    for (const [field, value] of [
      ['avatarCode', 'leo'],
      ['voiceId', 'rms'],
      ['voiceProvider', 'espeak'],
      ['language', 'German'],
    ] as const) {
      const answer = await page('POST', '/streams', { [field]: value });
      expect([answer.status, answer.body.message]).toEqual([
        403,
        `This client token does not allow ${field} "${value}".`,
      ]);
    }
    const { body } = await page('POST', '/streams', { avatarCode: 'nora' });
    expect(body).toMatchObject({ avatarCode: 'nora', voiceId: 'slt', voiceProvider: 'flite' });
  });

  // Proves: D.clientTokens.1
  it('is created with defaults and limits, and only for valid avatars, voices and origins', async () => {
    const { body } = await make();
    expect(body).toMatchObject({ maxMinutes: 10, maxStreams: 1, usedMinutes: 0, openStreams: 0, voiceId: null });
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(3_600_000);
    for (const wrong of [
      { origins: [] },
      { origins: ['https://shop.example.org/'] },
      { origins: ['*'] },
      { origins: ['https://*.example.org'] },
      { origins: ['javascript:alert(1)'] },
      { avatarCode: 'nobody-at-all' },
      { voiceId: 'nobody', voiceProvider: 'flite' },
      { maxMinutes: 0 },
      { maxMinutes: 601 },
      { maxStreams: 101 },
      { expiresInSeconds: 59 },
      { expiresInSeconds: 86_401 },
    ]) {
      const answer = await alice.call('POST', '/client-tokens', { origins: [PAGE], avatarCode: 'nora', ...wrong });
      expect([wrong, answer.status]).toEqual([wrong, 400]);
    }
  });

  // Proves: D.clientTokens.1
  it('is created and revoked by owners and API tokens, not by members', async () => {
    const { id } = await make();
    const member = await signInAs(all.api, { workspaceId: alice.workspace._id, role: 'member' });
    expect((await member('POST', '/client-tokens', { origins: [PAGE], avatarCode: 'nora' })).status).toBe(403);
    expect((await member('DELETE', `/client-tokens/${id}`)).status).toBe(403);
    const owner = await signInAs(all.api, { workspaceId: alice.workspace._id, role: 'owner' });
    expect((await owner('POST', '/client-tokens', { origins: [PAGE], avatarCode: 'nora' })).status).toBe(200);
    const bob = await all.api.caller();
    expect((await bob.call('DELETE', `/client-tokens/${id}`)).status).toBe(403);
  });

  // Proves: D.clientTokens.6
  it('never counts as a failed sign-in, because many visitors share an address', async () => {
    const tokens = await Promise.all(Array.from({ length: 40 }, () => make()));
    const answers = await Promise.all(tokens.map(({ page }) => page('GET', '/streams/000000000000000000000000')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
  });
});

function keyOf(secret: string, alg = 'HS256'): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'client tokens', alg === 'HS256' ? 32 : 48));
}
