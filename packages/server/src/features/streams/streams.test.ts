import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { MAX_STREAM_QUEUE } from '@figurehead/contract';
import { LiveError } from '@figurehead/media';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';
import {
  type Host,
  type HostSettings,
  openAll,
  openHost,
  PACK,
  sessionOf,
  until,
} from '../../../../../tests/support/stream-host.js';
import { registerHost } from './hosts.js';
import { endHost, sweepDeadHosts } from './sweeper.js';

const UNKNOWN = '0123456789abcdef01234567';
const ANSWER = { answer: { type: 'answer', sdp: 'v=0\r\n' } };

async function open(caller: TestCaller, body: object = {}): Promise<string> {
  const { status, body: stream, text } = await caller.call('POST', '/streams', body);
  if (status !== 200) throw new Error(`POST /streams answered ${status}: ${text}`);
  return stream.id;
}

const statusOf = async (caller: TestCaller, id: string) => {
  const answer = await caller.call('GET', `/streams/${id}`);
  return answer.status === 200 ? answer.body.status : answer.status;
};
const minutesOf = async (caller: TestCaller): Promise<number> => (await caller.call('GET', '/apiConfig')).body.minutes;

describe('a live stream', () => {
  let all: Awaited<ReturnType<typeof openAll>>;
  let alice: TestCaller;
  let bob: TestCaller;
  beforeAll(async () => {
    all = await openAll(
      { FIGUREHEAD_TURN_URLS: 'stun:stun.test:3478,turn:turn.test:3478', FIGUREHEAD_TURN_SECRET: 's' },
      { capacity: 20 },
    );
    alice = await all.api.caller();
    bob = await all.api.caller();
  });
  afterAll(() => all.close());

  it('comes with the label of its workspace, for the page to show', async () => {
    const carol = await all.api.caller();
    await carol.call('PUT', '/brand', { aiLabel: 'Made with AI' });
    const { body } = await carol.call('POST', '/streams', {});
    expect(body.aiLabel).toBe('Made with AI');
    await carol.call('DELETE', `/streams/${body.id}`);
  });

  // Proves: 2.3.1, 3.3.1, 4.2.1, D.streams.1, D.streams.5
  it('is created with an offer, and read with the same fields', async () => {
    const { status, body } = await alice.call('POST', '/streams', {
      avatarCode: 'nora',
      voiceId: 'slt',
      voiceProvider: 'flite',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'new', avatarCode: 'nora', voiceId: 'slt', voiceProvider: 'flite' });
    expect(body).not.toHaveProperty('aiLabel');
    expect(body.webrtcData.offer).toEqual({ type: 'offer', sdp: sessionOf(all.host, body.id).offer });
    // A report of its host, whose two minutes began a moment later, may come first.
    const livesMs = Date.parse(body.expiresAt) - Date.parse(body.createdAt);
    expect(Math.floor(livesMs / 60_000)).toBe(2);
    expect((await alice.call('GET', `/streams/${body.id}`)).body).toMatchObject({
      id: body.id,
      webrtcData: body.webrtcData,
    });
  });

  // Proves: D.streams.3
  it('uses defaults for all omitted fields, also without a body', async () => {
    const { status, body } = await alice.call('POST', '/streams');
    expect(status).toBe(200);
    expect(body).toMatchObject({ avatarCode: expect.any(String), voiceId: expect.any(String), voiceProvider: 'flite' });
    const german = await alice.call('POST', '/streams', { language: 'German' });
    expect(german.body).toMatchObject({ voiceProvider: 'espeak', voiceId: expect.stringMatching(/^de/) });
  });

  it('returns TURN credentials of its own', async () => {
    const [one, two] = [(await alice.call('POST', '/streams')).body, (await alice.call('POST', '/streams')).body];
    const turn = one.webrtcData.iceServers[1];
    expect(one.webrtcData.iceServers[0]).toEqual({ urls: ['stun:stun.test:3478'] });
    expect(turn).toMatchObject({ urls: ['turn:turn.test:3478'], credential: expect.stringMatching(/^[\w+/]{27}=$/) });
    expect(turn.username).toMatch(new RegExp(`^\\d{10}:${one.id}$`));
    expect(two.webrtcData.iceServers[1].credential).not.toBe(turn.credential);
  });

  // Proves: D.streams.5
  it('is listed while it is open, in its workspace only', async () => {
    const carol = await all.api.caller();
    const [first, second] = [await open(carol), await open(carol)];
    const { body } = await carol.call('GET', '/streams');
    expect(body).toMatchObject({ page: 1, limit: 25, total: 2, streams: [{ id: second }, { id: first }] });
    await carol.call('DELETE', `/streams/${first}`);
    expect((await carol.call('GET', '/streams?limit=1')).body).toMatchObject({ total: 1, streams: [{ id: second }] });
    await carol.call('DELETE', `/streams/${second}`);
  });

  // Proves: 3.3.2, 3.3.3, 4.3.1, D.streams.6
  it('goes from new to connecting to connected, and accepts the same answer twice', async () => {
    const id = await open(alice);
    const session = sessionOf(all.host, id);
    expect(
      (
        await alice.call('POST', `/streams/candidate/${id}`, {
          candidate: { candidate: 'candidate:1 1 udp 1 h.local 9 typ host', sdpMid: '0' },
        })
      ).body,
    ).toEqual({ status: 'ok' });
    expect((await alice.call('PUT', `/streams/${id}`, ANSWER)).body).toEqual({ status: 'ok' });
    expect((await alice.call('PUT', `/streams/${id}`, ANSWER)).body).toEqual({ status: 'ok' });
    expect((await alice.call('POST', `/streams/candidate/${id}`, { candidate: null })).body).toEqual({ status: 'ok' });
    expect(session.candidates).toEqual([{ candidate: 'candidate:1 1 udp 1 h.local 9 typ host', sdpMid: '0' }, null]);
    expect(await statusOf(alice, id)).toBe('connecting');
    session.connect();
    await until('it is connected', async () => (await statusOf(alice, id)) === 'connected');
    await alice.call('PUT', `/streams/${id}`, ANSWER);
    expect(await statusOf(alice, id)).toBe('connected');
    await alice.call('DELETE', `/streams/${id}`);
  });

  it('offers another connection to an open stream, whose speech and queue go on; a closed or foreign one is refused', async () => {
    const id = await open(alice);
    const session = sessionOf(all.host, id);
    await alice.call('PUT', `/streams/${id}`, ANSWER);
    session.connect();
    await until('it is connected', async () => (await statusOf(alice, id)) === 'connected');
    const { status, body } = await alice.call('POST', `/streams/connection/${id}`, { received: 7 });
    expect([status, body.id, body.status]).toEqual([200, id, 'connected']);
    expect(body.webrtcData.offer).toEqual({ type: 'offer', sdp: 'v=0\r\ns=offer after 7 events\r\n' });
    expect((await alice.call('GET', `/streams/${id}`)).body.webrtcData).toEqual(body.webrtcData);
    expect((await alice.call('PUT', `/streams/${id}`, ANSWER)).body).toEqual({ status: 'ok' });
    expect((await alice.call('POST', `/streams/connection/${id}`)).status).toBe(200);
    const many = await Promise.all(
      Array.from({ length: 20 }, () => alice.call('POST', `/streams/connection/${id}`, {})),
    );
    expect(new Set(many.map((one) => one.status))).toEqual(new Set([200]));
    expect((await alice.call('POST', `/streams/connection/${id}`, { received: -1 })).status).toBe(400);
    const carol = await all.api.caller();
    expect((await carol.call('POST', `/streams/connection/${id}`)).status).toBe(403);
    expect(await statusOf(alice, id)).toBe('connected');
    await alice.call('DELETE', `/streams/${id}`);
    expect((await alice.call('POST', `/streams/connection/${id}`)).status).toBe(404);
  });

  // Proves: 4.4.1, D.streams.4, D.streams.7
  it('refuses invalid input with a 400 that names the field', async () => {
    const id = await open(alice);
    const garbage = await alice.call('PUT', `/streams/${id}`, { answer: { type: 'answer', sdp: 'garbage' } });
    expect([garbage.status, garbage.body.errors[0].field]).toEqual([400, 'answer.sdp']);
    const nonsense = await alice.call('POST', `/streams/candidate/${id}`, { candidate: { candidate: 'x' } });
    expect([nonsense.status, nonsense.body.errors[0].field]).toEqual([400, 'candidate.candidate']);
    for (const [method, path, body] of [
      ['PUT', `/streams/${id}`, { answer: { type: 'offer', sdp: 'v=0' } }],
      ['PUT', `/streams/${id}`, {}],
      ['POST', `/streams/candidate/${id}`, {}],
      ['POST', `/streams/candidate/${id}`, { candidate: 'text' }],
      ['POST', `/streams/render/${id}`, {}],
      ['POST', `/streams/render/${id}`, { text: 7 }],
      ['POST', `/streams/render/${id}`, { text: '' }],
      ['POST', `/streams/render/${id}`, { text: ' \u0007\u200b\n' }],
      ['POST', `/streams/render/${id}`, { text: 'x'.repeat(7001) }],
      ['DELETE', `/streams/render/${id}?scope=some`, undefined],
      ['POST', '/streams', { avatarCode: 'nobody' }],
      ['POST', '/streams', { voiceId: 'nobody' }],
      ['POST', '/streams', { voiceId: 'slt', voiceProvider: 'nobody' }],
      ['POST', '/streams', { voiceId: 'x', voiceProvider: 'elevenlabs' }],
      ['POST', '/streams', { width: 513 }],
      ['POST', '/streams', { width: 1600 }],
      ['POST', '/streams', { background: 'javascript:' }],
    ] as const) {
      const answer = await alice.call(method, path, body);
      expect([method, path, body, answer.status, typeof answer.body.message]).toEqual([
        method,
        path,
        body,
        400,
        'string',
      ]);
    }
    expect(all.host.live.sessions.get(id)).toBeDefined();
    await alice.call('DELETE', `/streams/${id}`);
  });

  // Proves: D.calls.15, D.streams.10, D.streams.13
  it('belongs to its workspace: 403 for others, 404 when it is closed or unknown', async () => {
    const id = await open(alice);
    const calls = (of: string) =>
      [
        ['GET', `/streams/${of}`, undefined],
        ['PUT', `/streams/${of}`, ANSWER],
        ['PUT', `/streams/${of}`, {}],
        ['POST', `/streams/candidate/${of}`, { candidate: null }],
        ['POST', `/streams/render/${of}`, { text: 'x' }],
        ['DELETE', `/streams/render/${of}`, undefined],
        ['DELETE', `/streams/${of}`, undefined],
      ] as const;
    const statuses = async (caller: TestCaller, of: string) => {
      const answers = [];
      for (const [method, path, body] of calls(of)) answers.push((await caller.call(method, path, body)).status);
      return new Set(answers);
    };
    expect(await statuses(bob, id)).toEqual(new Set([403]));
    expect((await alice.call('DELETE', `/streams/${id}`)).body).toEqual({ id, deleted: true });
    expect(await statuses(bob, id)).toEqual(new Set([404]));
    expect(await statuses(alice, id)).toEqual(new Set([404]));
    expect(await statuses(alice, UNKNOWN)).toEqual(new Set([404]));
  });

  it('refuses speech over the queue limit, and says when to try again', async () => {
    const dave = await all.api.caller();
    const id = await open(dave);
    const speak = (text: string) => dave.call('POST', `/streams/render/${id}`, { text });
    for (let n = 0; n < MAX_STREAM_QUEUE; n += 1)
      expect((await speak(`Number ${n}.`)).body).toMatchObject({ position: n });
    const refused = await speak('One too many.');
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ message: expect.stringMatching(/speech queue/), retryAfter: expect.any(Number) });
    expect((await dave.call('DELETE', `/streams/render/${id}`)).body).toMatchObject({ dropped: MAX_STREAM_QUEUE });
    const long = 'a '.repeat(3_500);
    for (let n = 0; n < 7; n += 1) expect((await speak(long)).status).toBe(200);
    expect((await speak(long)).status).toBe(429);
    expect((await speak('A short one fits.')).status).toBe(200);
    await dave.call('DELETE', `/streams/${id}`);
  });

  // Proves: 3.3.4, 4.4.1, 4.4.2, D.voices.8, D.streams.7, D.streams.8
  it('speaks texts in order, with the saved settings of the voice', async () => {
    const carol = await all.api.caller();
    const id = await open(carol, { voiceId: 'slt', voiceProvider: 'flite' });
    const session = sessionOf(all.host, id);
    const speak = async (text: string) => (await carol.call('POST', `/streams/render/${id}`, { text })).body;
    const first = await speak('One sentence to compare.');
    expect(first).toEqual({ accepted: true, id: expect.any(String), position: 0 });
    await carol.call('PATCH', '/voices', { voice: 'slt', provider: 'flite', language: 'English', speed: 0.7 });
    const second = await speak('One sentence to compare.');
    const third = await speak('<b>Bold</b> & \u0001\u001b[31m[[tag]] \u202etext');
    expect([second.position, third.position]).toEqual([1, 2]);
    session.connect();
    await until('all is spoken', () => session.stats().queued === 0);
    const ratio = (session.spoken.get(second.id) ?? 0) / (session.spoken.get(first.id) ?? 1);
    expect(ratio).toBeGreaterThan(1.3);
    await carol.call('DELETE', `/streams/${id}`);
  });

  it('accepts a text that its host has queued, although its end could not be written', async () => {
    const { db } = all.api.test.kernel;
    const id = await open(alice);
    const session = sessionOf(all.host, id);
    session.connect();
    await sql`create function refuse_expiry() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`.execute(
      db,
    );
    await sql`create trigger refuse_expiry before update of expires_at on streams for each row
      when (new.id = ${sql.lit(id)}) execute function refuse_expiry()`.execute(db);
    const { status, body } = await alice.call('POST', `/streams/render/${id}`, { text: 'Only once.' });
    await sql`drop trigger refuse_expiry on streams`.execute(db);
    expect([status, body]).toEqual([200, { accepted: true, id: expect.any(String), position: 0 }]);
    await until('it is spoken', () => session.stats().queued === 0);
    await alice.call('DELETE', `/streams/${id}`);
  });

  // Proves: D.streams.7
  it('synthesizes 7000 characters sentence by sentence, so that they can be interrupted meanwhile', async () => {
    const id = await open(alice);
    const session = sessionOf(all.host, id);
    session.connect();
    const text = 'All work and no play makes a dull day. '.repeat(200).slice(0, 7000);
    const { body } = await alice.call('POST', `/streams/render/${id}`, { text });
    await until('it is being spoken', () => (session.spoken.get(body.id) ?? 0) > 48_000);
    expect((await alice.call('DELETE', `/streams/render/${id}`)).body).toEqual({ interrupted: true, dropped: 0 });
    await until('it is silent', () => session.stats().queued === 0);
    expect((session.spoken.get(body.id) ?? 0) / 48_000).toBeLessThan(200);
    await alice.call('DELETE', `/streams/${id}`);
  });

  // Proves: D.streams.10
  it('closes its session when it is deleted, with a message to the viewer', async () => {
    const id = await open(alice);
    const session = sessionOf(all.host, id);
    await alice.call('DELETE', `/streams/${id}`);
    expect([session.state, session.closedWith]).toEqual(['closed', 'the stream was closed']);
    expect(all.host.live.sessions.has(id)).toBe(false);
  });

  // Proves: D.streams.12
  it('ends when the viewer has disconnected', async () => {
    const id = await open(alice);
    sessionOf(all.host, id).lose('peer_gone');
    await until('it is gone', async () => (await statusOf(alice, id)) === 404);
  });

  it('shows its measurements in the metrics', async () => {
    const id = await open(alice);
    sessionOf(all.host, id).connect();
    await until('it is reported', async () => (await statusOf(alice, id)) === 'connected');
    const { body } = await all.api.http.app.inject({ method: 'GET', url: '/metrics' });
    expect(body).toContain(`figurehead_stream_first_sound_seconds{stream="${id}",host="${all.host.id}"} 0.08`);
    expect(body).toContain(`figurehead_stream_av_offset_seconds{stream="${id}",host="${all.host.id}"} -0.005`);
    expect(body).toMatch(/figurehead_streams\{status="connected"\} [1-9]/);
    expect(body).toContain(`figurehead_stream_host_capacity{host="${all.host.id}"} 20`);
    const own = await all.host.kernel.metrics.metrics();
    expect(own).toContain(`figurehead_host_stream_encode_seconds{stream="${id}"} 0.003`);
    expect(own).toMatch(/figurehead_host_sessions\{state="connected"\} [1-9]/);
    await alice.call('DELETE', `/streams/${id}`);
    expect(await all.host.kernel.metrics.metrics()).toMatch(
      /figurehead_host_streams_ended_total\{reason="requested"\} [1-9]/,
    );
  });

  it('reports its latency breakdown as its host measures it now', async () => {
    const id = await open(alice);
    sessionOf(all.host, id).connect();
    const { status, body } = await alice.call('GET', `/streams/stats/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      hostId: all.host.id,
      synthesis: 40,
      queue: 30,
      firstSound: 80,
      draw: 1,
      encode: 3,
      network: 1,
      codec: 'H264',
      width: 512,
      height: 512,
      fps: 25,
      bitrate: 450_000,
      loss: 0.01,
      avOffset: 5,
      queued: 0,
      speaking: false,
    });
    expect((await bob.call('GET', `/streams/stats/${id}`)).status).toBe(403);
    await alice.call('DELETE', `/streams/${id}`);
    expect((await alice.call('GET', `/streams/stats/${id}`)).status).toBe(404);
  });

  it('counts spoken texts and the time until their first sound', async () => {
    const id = await open(alice);
    const session = sessionOf(all.host, id);
    session.connect();
    await alice.call('POST', `/streams/render/${id}`, { text: 'Hello.' });
    await until('it is spoken', () => session.stats().queued === 0);
    const own = await all.host.kernel.metrics.metrics();
    expect(own).toMatch(/figurehead_host_utterances_total\{outcome="spoken"\} [1-9]/);
    expect(own).toMatch(/figurehead_host_first_sound_seconds_count [1-9]/);
    await alice.call('DELETE', `/streams/${id}`);
  });
});

describe('speech of a stream', () => {
  let all: Awaited<ReturnType<typeof openAll>>;
  let alice: TestCaller;
  beforeAll(async () => {
    all = await openAll({}, { holdSpeech: true });
    alice = await all.api.caller();
  });
  afterAll(() => all.close());
  const speak = async (id: string, text: string) => (await alice.call('POST', `/streams/render/${id}`, { text })).body;

  // Proves: 3.3.5, 4.4.3, D.streams.9
  it('is interrupted together with the queue, or alone', async () => {
    const id = await open(alice);
    sessionOf(all.host, id).connect();
    for (const text of ['one', 'two', 'three', 'four']) await speak(id, text);
    expect((await alice.call('DELETE', `/streams/render/${id}?scope=current`)).body).toEqual({
      interrupted: true,
      dropped: 0,
    });
    await until('the next one plays', () => sessionOf(all.host, id).stats().queued === 3);
    expect((await alice.call('DELETE', `/streams/render/${id}`)).body).toEqual({ interrupted: true, dropped: 2 });
    expect((await alice.call('DELETE', `/streams/render/${id}`)).body).toEqual({ interrupted: false, dropped: 0 });
    expect((await speak(id, 'again')).position).toBe(0);
    await alice.call('DELETE', `/streams/${id}`);
  });

  it('survives a storm of interruptions', async () => {
    const id = await open(alice);
    sessionOf(all.host, id).connect();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0
          ? alice.call('POST', `/streams/render/${id}`, { text: `Sentence number ${index}. And one more.` })
          : alice.call('DELETE', `/streams/render/${id}`),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await alice.call('DELETE', `/streams/render/${id}`);
    await until('nothing is queued', () => sessionOf(all.host, id).stats().queued === 0);
    expect((await speak(id, 'still here')).position).toBe(0);
    await alice.call('DELETE', `/streams/${id}`);
  });
});

describe('an idle stream', () => {
  // Proves: D.streams.11
  it('ends, unless earlier speech lasts longer', async () => {
    const all = await openAll({ FIGUREHEAD_STREAM_IDLE_SECONDS: '2' }, { holdSpeech: true });
    const alice = await all.api.caller();
    const [silent, speaking, queued] = [await open(alice), await open(alice), await open(alice)];
    sessionOf(all.host, silent).connect();
    const session = sessionOf(all.host, speaking);
    session.connect();
    await alice.call('POST', `/streams/render/${speaking}`, { text: 'A speech that outlasts the idle time.' });
    await alice.call('POST', `/streams/render/${queued}`, { text: 'No viewer has connected to hear this.' });
    await until('the silent one has idled', async () => (await statusOf(alice, silent)) === 404);
    await until('the unconnected one has idled', async () => (await statusOf(alice, queued)) === 404);
    expect(await statusOf(alice, speaking)).not.toBe(404);
    session.finish();
    await until('it idles after its speech', async () => (await statusOf(alice, speaking)) === 404);
    expect(session.closedWith).toBe('the stream was idle for too long');
    await all.close();
  });

  it('does not depend on the wall clock, which jumps when it is set', async () => {
    let now = Date.now();
    const all = await openAll({}, { now: () => now });
    const alice = await all.api.caller();
    const id = await open(alice);
    sessionOf(all.host, id).connect();
    const utterance = await alice.call('POST', `/streams/utterance/${id}`, { text: 'Well,' });
    for (const hours of [2, -4]) {
      now += hours * 3_600_000;
      // By the next heartbeat the host has looked for idle streams and silent senders many times.
      await until('the host has reported', async () => {
        const { expiresAt } = (await alice.call('GET', `/streams/${id}`)).body;
        return Math.abs(Date.parse(expiresAt) - now) < 3_600_000;
      });
    }
    const piece = { index: 0, text: ' here I am.', isLast: true };
    expect((await alice.call('PUT', `/streams/utterance/${id}/${utterance.body.id}`, piece)).status).toBe(200);
    await all.close();
  });

  // Proves: D.streams.14
  it('frees its slot: a hundred streams without an answer leak nothing', async () => {
    // The host's clock is stopped until all are open; otherwise the first would time out before the last is open on a busy machine.
    let clockMs = 0;
    const all = await openAll({ FIGUREHEAD_STREAM_IDLE_SECONDS: '1' }, { capacity: 100, monotonic: () => clockMs });
    const alice = await all.api.caller();
    const answers = await Promise.all(Array.from({ length: 100 }, () => alice.call('POST', '/streams')));
    expect(answers.filter(({ status }) => status !== 200).map(({ body }) => body)).toEqual([]);
    expect(all.host.live.sessions.size).toBe(100);
    clockMs = 1000;
    await until('all have idled', async () => (await alice.call('GET', '/streams')).body.total === 0);
    expect(all.host.live.sessions.size).toBe(0);
    expect((await alice.call('POST', '/streams')).status).toBe(200);
    expect(await minutesOf(alice)).toBe(100);
    await all.close();
  });
});

describe('minutes of streams', () => {
  let all: Awaited<ReturnType<typeof openAll>>;
  beforeAll(async () => {
    all = await openAll({}, { holdSpeech: true, capacity: 20 });
  });
  afterAll(() => all.close());

  // Proves: 4.2.2, 8.4.5, D.plans.4
  it('are charged at half of the connected time, to the second, during the stream and at its end', async () => {
    const alice = await all.api.caller({ minutes: 10 });
    const id = await open(alice);
    const session = sessionOf(all.host, id);
    session.connect();
    session.connectedMs = 30_200;
    await until('a part is settled', async () => (await minutesOf(alice)) === 9.75);
    session.connectedMs = 60_900;
    await alice.call('DELETE', `/streams/${id}`);
    expect(await minutesOf(alice)).toBeCloseTo(10 - 61 / 120, 9);
    const { rows } = await sql<{ kind: string; length_ms: string; amount_ms: string }>`
      select kind, length_ms, amount_ms from ledger where workspace_id = ${alice.workspace._id}`.execute(
      all.api.test.kernel.db,
    );
    expect(rows).toEqual([{ kind: 'stream', lengthMs: '61000', amountMs: '-30500' }]);
  });

  // Proves: D.streams.14
  it('are not used by a stream that never connects', async () => {
    const alice = await all.api.caller({ minutes: 1 });
    await alice.call('DELETE', `/streams/${await open(alice)}`);
    expect(await minutesOf(alice)).toBe(1);
  });

  // Proves: 2.4.6, 4.2.3, 7.1.4, D.plans.5
  it('are required to open a stream, unless overage is allowed', async () => {
    const poor = await all.api.caller({ minutes: 0 });
    const answer = await poor.call('POST', '/streams');
    expect([answer.status, Object.keys(answer.body)]).toEqual([429, ['message']]);
    expect(answer.headers['retry-after']).toBeUndefined();
    expect((await poor.call('POST', '/streams', { avatarCode: 'nobody' })).status).toBe(400);
    const trusted = await all.api.caller({ minutes: 0, allowOverlimit: true });
    const id = await open(trusted);
    const session = sessionOf(all.host, id);
    session.connect();
    session.connectedMs = 120_000;
    await until('it is settled', async () => (await minutesOf(trusted)) === -1);
    expect(await statusOf(trusted, id)).toBe('connected');
    await trusted.call('DELETE', `/streams/${id}`);
  });

  // Proves: D.plans.7
  it('close a stream after its current speech when they run out', async () => {
    const alice = await all.api.caller({ minutes: 0.5 });
    const [speaking, silent] = [await open(alice), await open(alice)];
    const session = sessionOf(all.host, speaking);
    session.connect();
    sessionOf(all.host, silent).connect();
    await alice.call('POST', `/streams/render/${speaking}`, { text: 'The last words.' });
    await alice.call('POST', `/streams/render/${speaking}`, { text: 'These are never said.' });
    session.connectedMs = 60_000;
    await until('it is closing', async () => (await statusOf(alice, speaking)) === 'closing');
    await until('the silent one is closed', async () => (await statusOf(alice, silent)) === 404);
    expect((await alice.call('POST', `/streams/render/${speaking}`, { text: 'More.' })).status).toBe(429);
    expect((await alice.call('POST', '/streams')).status).toBe(429);
    session.finish();
    await until('it is closed', async () => (await statusOf(alice, speaking)) === 404);
    expect(session.closedWith).toBe('the workspace has no minutes left');
    expect(await minutesOf(alice)).toBe(0);
  });
});

describe('the last words of a stream without minutes', () => {
  it('end after 30 s, however long its utterance is', async () => {
    let clockMs = 0;
    const all = await openAll({}, { holdSpeech: true, monotonic: () => clockMs });
    try {
      const alice = await all.api.caller({ minutes: 0.5 });
      const id = await open(alice);
      const session = sessionOf(all.host, id);
      session.connect();
      await alice.call('POST', `/streams/render/${id}`, { text: 'One hour of words.' });
      session.connectedMs = 60_000;
      await until('it is closing', async () => (await statusOf(alice, id)) === 'closing');
      clockMs = 29_000;
      await until('the next report', async () => (await minutesOf(alice)) === 0);
      expect(session.closedWith).toBeUndefined();
      clockMs = 30_001;
      await until('it is closed', async () => (await statusOf(alice, id)) === 404);
      expect(session.closedWith).toBe('the workspace has no minutes left');
    } finally {
      await all.close();
    }
  });
});

describe('stream hosts', () => {
  let api: TestApi;
  let alice: TestCaller;
  const hosts: Host[] = [];
  beforeAll(async () => {
    api = await openTestApi();
    alice = await api.caller();
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.stop();
    await sql`delete from stream_hosts`.execute(api.test.kernel.db);
  });
  afterAll(() => api.close());
  const host = async (settings: HostSettings = {}) => {
    const opened = await openHost(api, settings);
    hosts.push(opened);
    return opened;
  };
  const create = () => alice.call('POST', '/streams');

  // Proves: D.streams.16
  it('are required: without one the response says when to try again', async () => {
    const answer = await create();
    expect(answer.status).toBe(429);
    expect(answer.body).toEqual({ message: expect.stringContaining('No stream host is running'), retryAfter: 10 });
    expect(answer.headers['retry-after']).toBe('10');
    expect((await api.http.app.inject({ method: 'GET', url: '/readyz' })).statusCode).toBe(503);
    await host();
    expect((await api.http.app.inject({ method: 'GET', url: '/readyz' })).statusCode).toBe(200);
  });

  it('estimate when a slot becomes free when all are full', async () => {
    await host({ capacity: 1 });
    const { db } = api.test.kernel;
    // No stream has ended recently, so the estimate is the idle timeout of the open one.
    await sql`update streams set closed_at = now() - interval '1 day' where state = 'closed'`.execute(db);
    const { body: stream } = await create();
    const first = await create();
    expect([first.status, first.body.message]).toEqual([429, expect.stringContaining('All stream hosts are full')]);
    expect(first.body.retryAfter).toBe(60);
    await alice.call('DELETE', `/streams/${stream.id}`);
    // Sixty streams ended within the last ten minutes: one every ten seconds.
    await sql`insert into streams (id, workspace_id, user_id, host_id, state, avatar_code, voice_id, voice_provider, voice, expires_at, closed_at)
      select 'ended' || n, ${alice.workspace._id}, 'x', 'x', 'closed', 'nora', 'slt', 'flite', '{}', now(), now()
      from generate_series(1, 59) n`.execute(db);
    const { body: again } = await create();
    expect((await create()).body.retryAfter).toBe(10);
    await alice.call('DELETE', `/streams/${again.id}`);
    await sql`delete from streams where id like 'ended%'`.execute(db);
  });

  // Proves: 4.2.1
  it('never exceed their capacity under concurrent requests, and share the load', async () => {
    const [small, large] = [await host({ capacity: 2 }), await host({ capacity: 6 })];
    const answers = await Promise.all(Array.from({ length: 12 }, create));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4);
    expect([small.live.sessions.size, large.live.sessions.size]).toEqual([2, 6]);
  });

  it('are chosen by their load', async () => {
    const [small, large] = [await host({ capacity: 2 }), await host({ capacity: 8 })];
    for (let count = 0; count < 5; count++) await open(alice);
    expect([small.live.sessions.size, large.live.sessions.size]).toEqual([1, 4]);
  });

  it('refuse new streams while they drain, and let open ones finish their speech', async () => {
    const leaving = await host({ holdSpeech: true, drainGraceMs: 5000 });
    const [speaking, silent] = [await open(alice), await open(alice)];
    const [one, other] = [sessionOf(leaving, speaking), sessionOf(leaving, silent)];
    one.connect();
    await alice.call('POST', `/streams/render/${speaking}`, { text: 'Let me finish.' });
    const staying = await host();
    const stopping = leaving.stop();
    await until('the silent one is closed', () => other.state === 'closed');
    await open(alice);
    expect(staying.live.sessions.size).toBe(1);
    expect(await statusOf(alice, speaking)).not.toBe(404);
    one.finish();
    await stopping;
    expect([one.closedWith, await statusOf(alice, speaking)]).toEqual(['the stream host is stopping', 404]);
  });

  it('end long speech after the grace period when they stop', async () => {
    const leaving = await host({ holdSpeech: true, drainGraceMs: 100 });
    const id = await open(alice);
    sessionOf(leaving, id).connect();
    await alice.call('POST', `/streams/render/${id}`, { text: 'A speech without end.' });
    await leaving.stop();
    expect(await statusOf(alice, id)).toBe(404);
  });

  it('that die end their streams, whose minutes are settled by the last report', async () => {
    const carol = await api.caller({ minutes: 10 });
    const alive = await host();
    const id = await open(carol);
    const { db } = api.test.kernel;
    // A killed process leaves rows that are no longer updated.
    await sql`insert into stream_hosts (id, url, capacity, engines, version, heartbeat_at)
      values ('dead', 'http://127.0.0.1:9', 5, '{cpu}', '0', now() - interval '11 s')`.execute(db);
    await sql`update streams set host_id = 'dead', state = 'connected', connected_ms = 120000 where id = ${id}`.execute(
      db,
    );
    await sweepDeadHosts(api.test.kernel);
    expect(await statusOf(carol, id)).toBe(404);
    expect(await minutesOf(carol)).toBe(9);
    await until('the session ends as well', () => alive.live.sessions.size === 0);
  });

  it('are skipped when they cannot be reached, and their streams end at the first call', async () => {
    const { db } = api.test.kernel;
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await new Promise((resolve) => silent.close(resolve));
    await registerHost(api.test.kernel, { id: '0', url, capacity: 50, engines: ['cpu'], version: '0' });
    expect((await create()).body.message).toContain('No stream host is running or can be reached');
    const alive = await host();
    const id = await open(alice);
    expect(alive.live.sessions.has(id)).toBe(true);
    await sql`update streams set host_id = '0' where id = ${id}`.execute(db);
    expect((await alice.call('POST', `/streams/render/${id}`, { text: 'x' })).status).toBe(404);
    expect(await statusOf(alice, id)).toBe(404);
  });

  it('that cannot open a stream leave no files of its recording', async () => {
    const { live, kernel } = await host();
    const open = () => Promise.reject(new LiveError('no_ports', 'expected a free UDP port'));
    Object.assign(live, { open });
    expect((await alice.call('POST', '/streams', { record: true })).status).toBe(429);
    const left = await readdir(join(kernel.config.dataDir, 'tmp'));
    expect(left.filter((name) => name.startsWith('recording-'))).toEqual([]);
  });

  it('that find an agent deleted refuse the stream as the API does', async () => {
    const env = { FIGUREHEAD_LLM_URL: 'http://127.0.0.1:9/v1', FIGUREHEAD_STT_URL: 'http://127.0.0.1:9/v1' };
    const deletion = { act: async (): Promise<unknown> => undefined };
    const findPack = async () => {
      await deletion.act();
      return PACK;
    };
    const all = await openAll(env, { findPack });
    try {
      const caller = await all.api.caller();
      const agent = (await caller.call('POST', '/agents', { name: 'Guide', prompt: 'Guide.' })).body;
      deletion.act = () => caller.call('DELETE', `/agents/${agent._id}`);
      const { status, body } = await caller.call('POST', '/streams', { agentId: agent._id });
      expect([status, body.message]).toEqual([400, expect.stringContaining(`no agent "${agent._id}"`)]);
    } finally {
      await all.close();
    }
  });

  it('that die during a call end their streams', async () => {
    await host();
    const id = await open(alice);
    const dying = createServer((request) => {
      dying.close();
      request.socket.destroy();
    });
    await new Promise<void>((resolve) => dying.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(dying.address() as AddressInfo).port}`;
    await registerHost(api.test.kernel, { id: 'dying', url, capacity: 50, engines: ['cpu'], version: '0' });
    await sql`update streams set host_id = 'dying' where id = ${id}`.execute(api.test.kernel.db);
    expect((await alice.call('POST', `/streams/render/${id}`, { text: 'x' })).status).toBe(404);
  });

  it('count as dead after one missed heartbeat when their port is closed', async () => {
    const alive = await host();
    const slow = await host();
    await registerHost(api.test.kernel, {
      id: 'gone',
      url: 'http://127.0.0.1:9',
      capacity: 5,
      engines: ['cpu'],
      version: '0',
    });
    await sql`update stream_hosts set heartbeat_at = now() - interval '4 s' where id in ('gone', ${slow.id})`.execute(
      api.test.kernel.db,
    );
    await sweepDeadHosts(api.test.kernel);
    const { rows } = await sql<{ id: string }>`select id from stream_hosts order by id`.execute(api.test.kernel.db);
    expect(rows.map(({ id }) => id)).toEqual([alive.id, slow.id].sort());
  });

  it('join again with all slots free after they were declared dead', async () => {
    const back = await host();
    const id = await open(alice);
    await endHost(api.test.kernel, back.id);
    await until('it is known again', async () => (await create()).status === 200);
    await until('its old session is closed', () => !back.live.sessions.has(id));
  });

  it('answer only callers with the secret', async () => {
    const { url } = await host();
    for (const headers of [{}, { 'x-figurehead-internal': 'wrong' }] as Record<string, string>[]) {
      const answer = await fetch(`${url}/streams/${UNKNOWN}`, { method: 'DELETE', headers });
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([401, 'wrong_secret']);
    }
    const headers = { 'x-figurehead-internal': api.test.kernel.internalSecret };
    expect((await fetch(`${url}/streams/${UNKNOWN}`, { method: 'DELETE', headers })).status).toBe(404);
    expect((await fetch(`${url}/nothing`, { headers })).status).toBe(400);
    expect((await fetch(`${url}/streams`, { method: 'POST', headers, body: '{' })).status).toBe(400);
  });

  it('refuse a request that does not match the schema of its operation, and name the field', async () => {
    const { url } = await host();
    const headers = { 'x-figurehead-internal': api.test.kernel.internalSecret };
    const refused = async (path: string, init: RequestInit) =>
      (await fetch(`${url}${path}`, { ...init, headers })).json();
    expect(await refused('/streams', { method: 'POST', body: '{}' })).toMatchObject({ code: 'bad_request' });
    expect(await refused(`/streams/${UNKNOWN}`, { method: 'PUT', body: '{"sdp":1}' })).toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('/sdp'),
    });
    expect(await refused(`/streams/${UNKNOWN}/speech?scope=some`, { method: 'DELETE' })).toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('/scope'),
    });
  });
});
