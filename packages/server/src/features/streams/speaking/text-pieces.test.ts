import { MAX_STREAM_QUEUE, PIECE_SECONDS } from '@figurehead/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestCaller } from '../../../../../../tests/support/api.js';
import { openAll, openHost, sessionOf, until } from '../../../../../../tests/support/stream-host.js';

async function open(caller: TestCaller): Promise<string> {
  const { status, body, text } = await caller.call('POST', '/streams');
  if (status !== 200) throw new Error(`POST /streams answered ${status}: ${text}`);
  return body.id;
}

describe('a text that is sent in pieces', () => {
  let all: Awaited<ReturnType<typeof openAll>>;
  let alice: TestCaller;
  let now = Date.now();
  beforeAll(async () => {
    all = await openAll({}, { capacity: 40, tellsSpeech: true, monotonic: () => now });
    alice = await all.api.caller();
  });
  // Where time stands still, nothing is played, and no place becomes free.
  afterEach(() => vi.useRealTimers());
  afterAll(() => all.close());

  const begin = async (stream: string, body: object = {}): Promise<string> => {
    const answer = await alice.call('POST', `/streams/utterance/${stream}`, body);
    if (answer.status !== 200) throw new Error(`the utterance was refused: ${answer.text}`);
    return answer.body.id;
  };
  const send = (stream: string, id: string, body: object) =>
    alice.call('PUT', `/streams/utterance/${stream}/${id}`, body);
  const samplesOf = (stream: string, id: string) => sessionOf(all.host, stream).spoken.get(id) ?? 0;
  const queueOf = (stream: string) => sessionOf(all.host, stream).stats().queued;

  it('is spoken from its first clause on, and ends with its last piece', async () => {
    const stream = await open(alice);
    const session = sessionOf(all.host, stream);
    const words: string[] = [];
    session.onEvent((event) => event.type === 'speech.word' && words.push(event.text));
    session.connect();
    const id = await begin(stream, { text: 'Well, of' });
    expect((await send(stream, id, { index: 0, text: ' course, that' })).body).toEqual({ accepted: true, id });
    await until('the first clause is spoken', () => words.length === 3);
    expect((await send(stream, id, { index: 1, text: ' is easy. Look here' })).status).toBe(200);
    await until('the first sentence is spoken', () => words.length === 6);
    expect(queueOf(stream)).toBe(1);
    expect((await send(stream, id, { index: 2, text: ', please', isLast: true })).status).toBe(200);
    await until('it ends', () => queueOf(stream) === 0);
    expect(words.join(' ')).toBe('Well, of course, that is easy. Look here, please');
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('sounds as long in pieces as at once, wherever it is cut', async () => {
    const text = 'Smile 😀 now. Then go home, please.';
    const stream = await open(alice);
    sessionOf(all.host, stream).connect();
    const lengths: number[] = [];
    for (const length of [1, 7]) {
      const id = await begin(stream);
      const pieces = Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
        text.slice(at * length, (at + 1) * length),
      );
      for (const [index, piece] of [...pieces, ''].entries()) {
        const answer = await send(stream, id, { index, text: piece, isLast: index === pieces.length });
        expect(answer.status).toBe(200);
      }
      await until('it ends', () => queueOf(stream) === 0);
      lengths.push(samplesOf(stream, id));
    }
    expect(lengths[0]).toBeGreaterThan(48_000);
    expect(lengths[1]).toBe(lengths[0]);
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('takes a piece that comes twice once, and refuses one after a gap', async () => {
    const stream = await open(alice);
    const id = await begin(stream);
    expect((await send(stream, id, { index: 0, text: 'Hello.' })).status).toBe(200);
    expect((await send(stream, id, { index: 0, text: 'Hello.' })).status).toBe(200);
    const gap = await send(stream, id, { index: 2, text: 'x' });
    expect([gap.status, gap.body.errors]).toEqual([
      400,
      [{ field: 'index', message: 'must be 1, the number of pieces so far' }],
    ]);
    expect((await send(stream, id, { index: 1, text: '', isLast: true })).status).toBe(200);
    expect((await send(stream, id, { index: 1, text: '', isLast: true })).status).toBe(200);
    const late = await send(stream, id, { index: 2, text: 'more' });
    expect([late.status, late.body.message]).toEqual([
      404,
      'This utterance takes no more pieces: its last piece has come. Open another one.',
    ]);
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('is as long as one text at most, and takes one place in the queue', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const stream = await open(alice);
    const id = await begin(stream, { text: 'x'.repeat(6999) });
    const long = await send(stream, id, { index: 0, text: 'xy' });
    expect([long.status, long.body.errors]).toEqual([
      400,
      [{ field: 'text', message: 'makes the whole text longer than 7000 characters' }],
    ]);
    expect((await send(stream, id, { index: 0, text: 'x' })).status).toBe(200);
    for (let place = 1; place < MAX_STREAM_QUEUE; place++) await begin(stream);
    const full = await alice.call('POST', `/streams/utterance/${stream}`, {});
    expect([full.status, full.body.retryAfter]).toEqual([429, 5]);
    expect((await alice.call('POST', `/streams/render/${stream}`, { text: 'x' })).status).toBe(429);
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('counts all its pieces towards the characters that may wait', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const stream = await open(alice);
    const id = await begin(stream);
    for (let text = 0; text < 7; text++) {
      expect((await alice.call('POST', `/streams/render/${stream}`, { text: 'x'.repeat(7000) })).status).toBe(200);
    }
    expect((await send(stream, id, { index: 0, text: 'x'.repeat(1000) })).status).toBe(200);
    const full = await send(stream, id, { index: 1, text: 'x' });
    expect([full.status, full.body.retryAfter]).toEqual([429, 5]);
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it(`is ended after ${PIECE_SECONDS} s without a piece: what came is spoken`, async () => {
    const stream = await open(alice);
    sessionOf(all.host, stream).connect();
    const id = await begin(stream, { text: 'Half of a sent' });
    now += 9000;
    expect((await send(stream, id, { index: 0, text: '' })).status).toBe(200);
    now += 9000;
    expect((await send(stream, id, { index: 1, text: 'ence' })).status).toBe(200);
    expect(samplesOf(stream, id)).toBe(0);
    now += 10_000;
    await until('it ends', () => queueOf(stream) === 0);
    expect(samplesOf(stream, id)).toBeGreaterThan(20_000);
    const late = await send(stream, id, { index: 2, text: 'x' });
    expect([late.status, late.body.message]).toEqual([
      404,
      'This utterance takes no more pieces: no piece came for 10 s. Open another one.',
    ]);
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('is interrupted like any speech, in the middle of a piece and while it waits', async () => {
    const stream = await open(alice);
    sessionOf(all.host, stream).connect();
    const [playing, waiting] = [await begin(stream), await begin(stream)];
    await send(stream, playing, { index: 0, text: 'It begins here, and then' });
    await until('it sounds', () => samplesOf(stream, playing) > 0);
    const cut = await alice.call('DELETE', `/streams/render/${stream}`);
    expect(cut.body).toEqual({ interrupted: true, dropped: 1 });
    for (const id of [playing, waiting]) {
      const late = await send(stream, id, { index: id === playing ? 1 : 0, text: 'x' });
      expect([late.status, late.body.message]).toEqual([
        404,
        'This utterance takes no more pieces: it was interrupted. Open another one.',
      ]);
    }
    await alice.call('DELETE', `/streams/${stream}`);
    expect((await send(stream, playing, { index: 1, text: 'x' })).body.message).toBe(
      'There is no stream with this id.',
    );
  });

  it('goes its own way on each of 30 streams whose senders stop, are slow or never end', async () => {
    const streams = await Promise.all(Array.from({ length: 30 }, () => open(alice)));
    const ids = await Promise.all(
      streams.map((stream) => {
        sessionOf(all.host, stream).connect();
        return begin(stream);
      }),
    );
    const pieces = ['One moment', ' please, I', ' look it up. There', ' it is.'];
    for (const [index, text] of pieces.entries()) {
      await Promise.all(
        streams.map((stream, at) => {
          const isGone = at % 3 === 0 && index > 1;
          const isLast = at % 3 === 1 && index === pieces.length - 1;
          return isGone ? undefined : send(stream, ids[at] ?? '', { index, text, isLast });
        }),
      );
    }
    await until('those that were ended end', () =>
      streams.every((stream, at) => at % 3 !== 1 || queueOf(stream) === 0),
    );
    expect(streams.filter((stream, at) => at % 3 !== 1 && queueOf(stream) === 0)).toEqual([]);
    now += 10_000;
    await until('the others end', () => streams.every((stream) => queueOf(stream) === 0));
    const lengths = streams.map((stream, at) => samplesOf(stream, ids[at] ?? ''));
    // A sender that never ended said as much as one that did; one that stopped half-way said less.
    expect(new Set(lengths.filter((_, at) => at % 3 === 1)).size).toBe(1);
    expect(Math.min(...lengths)).toBeGreaterThan(0);
    for (const [at, length] of lengths.entries()) if (at % 3 === 0) expect(length).toBeLessThan(lengths[1] ?? 0);
    await Promise.all(streams.map((stream) => alice.call('DELETE', `/streams/${stream}`)));
  });

  it('ends with its host: the stream is gone, and no sender waits', async () => {
    const host = await openHost(all.api, { capacity: 1 });
    const streams = await Promise.all(Array.from({ length: 3 }, () => open(alice)));
    const stream = streams.find((id) => host.live.sessions.has(id));
    if (stream === undefined) throw new Error('no stream was opened on the second host');
    host.live.sessions.get(stream)?.connect();
    const id = await begin(stream, { text: 'It begins here, and then' });
    await host.stop();
    expect((await send(stream, id, { index: 0, text: 'x' })).status).toBe(404);
    await Promise.all(streams.map((each) => alice.call('DELETE', `/streams/${each}`)));
  });
});
