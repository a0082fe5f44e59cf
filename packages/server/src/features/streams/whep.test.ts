import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, type TestCaller } from '../../../../../tests/support/api.js';
import { openAll, sessionOf } from '../../../../../tests/support/stream-host.js';
import { readFragment } from './whep.js';

const OFFER = 'v=0\r\ns=a player\r\n';
const FRAGMENT =
  'a=ice-ufrag:abcd\r\na=ice-pwd:x\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\n' +
  'a=candidate:1 1 udp 2113937151 192.0.2.7 50000 typ host\r\na=end-of-candidates\r\n';

describe('WHEP', () => {
  let all: Awaited<ReturnType<typeof openAll>>;
  let alice: TestCaller;
  beforeAll(async () => {
    all = await openAll({
      FIGUREHEAD_TURN_URLS: 'stun:stun.test:3478,turn:turn.test:3478',
      FIGUREHEAD_TURN_SECRET: 's',
    });
    alice = await all.api.caller();
  });
  afterAll(() => all.close());

  const send = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
    all.api.http.app.inject({
      method: method as 'POST',
      url: `/api/v1${path}`,
      headers: { authorization: `Bearer ${alice.token}`, 'content-type': 'application/sdp', ...headers },
      ...(body === undefined ? {} : { payload: body }),
    });
  const idOf = (answer: Awaited<ReturnType<typeof send>>) => String(answer.headers.location).split('/').at(-1) ?? '';

  it('answers an offer with 201, the answer, the stream’s Location and the ICE servers, and accepts candidates until DELETE', async () => {
    const opened = await send('POST', '/whep?avatarCode=nora&width=256&background=%23102030', OFFER);
    expect([opened.statusCode, opened.headers['content-type'], opened.body]).toEqual([
      201,
      'application/sdp',
      `v=0\r\ns=answer to ${OFFER.length}\r\n`,
    ]);
    const id = idOf(opened);
    expect(opened.headers.location).toBe(`whep/${id}`);
    const [stun, turn] = String(opened.headers.link).split(', ');
    expect(stun).toBe('<stun:stun.test:3478>; rel="ice-server"');
    expect(turn).toMatch(
      /^<turn:turn\.test:3478>; rel="ice-server"; username="\d+:\w+"; credential="[\w+/=]+"; credential-type="password"$/,
    );
    expect((await alice.call('GET', `/streams/${id}`)).body).toMatchObject({
      status: 'connecting',
      avatarCode: 'nora',
    });

    const trickled = await send('PATCH', `/whep/${id}`, FRAGMENT, {
      'content-type': 'application/trickle-ice-sdpfrag',
    });
    expect([trickled.statusCode, trickled.body]).toEqual([204, '']);
    expect(sessionOf(all.host, id).candidates).toEqual([
      { candidate: 'candidate:1 1 udp 2113937151 192.0.2.7 50000 typ host', sdpMid: '0' },
      null,
    ]);
    const restart = await send('PATCH', `/whep/${id}`, FRAGMENT, { 'if-match': '*' });
    expect([restart.statusCode, restart.json().message]).toEqual([
      422,
      'This server does not restart ICE. Open the stream again.',
    ]);
    expect((await send('DELETE', `/whep/${id}`)).statusCode).toBe(200);
    expect((await send('DELETE', `/whep/${id}`)).statusCode).toBe(404);
  });

  it('says which content type it expects', async () => {
    const said = async (type: string) => (await send('POST', '/whep', OFFER, { 'content-type': type })).json().message;
    expect(await said('application/json')).toBe(
      'The request is not valid: its Content-Type must be application/sdp, not application/json',
    );
    const opened = await send('POST', '/whep', OFFER, { 'content-type': 'Application/SDP; charset=utf-8' });
    expect(opened.statusCode).toBe(201);
    await send('DELETE', `/whep/${idOf(opened)}`);
    // A body of JSON is read whatever its type.
    const made = await send('POST', '/videos', '{"name":"x"}');
    expect([made.statusCode, made.json().name]).toEqual([200, 'x']);
  });

  it('leaves nothing open when the offer cannot be answered', async () => {
    for (const [body, field] of [
      ['hello', 'offer'],
      ['', ''],
    ] as const) {
      const answer = await send('POST', '/whep', body);
      expect([answer.statusCode, answer.json().errors[0].field]).toEqual([400, field]);
    }
    expect((await send('POST', '/whep', 'v=0\u0000')).statusCode).toBe(400);
    expect((await alice.call('GET', '/streams')).body.total).toBe(0);
  });

  it('is refused without a token, and for a stream of another workspace', async () => {
    expect((await call(all.api.http, { method: 'POST', path: '/whep' })).status).toBe(401);
    const id = idOf(await send('POST', '/whep', OFFER));
    const bob = await all.api.caller();
    expect((await bob.call('DELETE', `/whep/${id}`)).status).toBe(403);
    await send('DELETE', `/whep/${id}`);
  });

  it('refuses a player over the limit, and accepts it after another has left', async () => {
    const opened = await Promise.all(Array.from({ length: 6 }, () => send('POST', '/whep', OFFER)));
    expect(opened.map(({ statusCode }) => statusCode).sort()).toEqual([201, 201, 201, 429, 429, 429]);
    const ids = opened.filter(({ statusCode }) => statusCode === 201).map(idOf);
    await Promise.all(ids.map((id) => send('DELETE', `/whep/${id}`)));
    const last = await send('POST', '/whep', OFFER);
    expect(last.statusCode).toBe(201);
    await send('DELETE', `/whep/${idOf(last)}`);
  });

  it('lets web pages read the Location header', async () => {
    const { headers } = await send('POST', '/whep', 'hello', { origin: 'https://player.test' });
    expect(String(headers['access-control-expose-headers'])).toMatch(/Location, Link/);
  });
});

describe('a trickle fragment', () => {
  it('has candidates of several sections, at most 32', () => {
    const candidate = (n: number) => `a=candidate:${n} 1 udp 1 192.0.2.7 ${1000 + n} typ host`;
    const fragment = ['m=audio 9 x 0', 'a=mid:a', candidate(1), 'm=video 9 x 0', candidate(2)].join('\n');
    expect(readFragment(fragment).map((one) => one?.sdpMid)).toEqual(['a', null]);
    expect(readFragment(Array.from({ length: 100 }, (_, n) => candidate(n)).join('\r\n'))).toHaveLength(32);
    expect(readFragment('nonsense')).toEqual([]);
  });
});
