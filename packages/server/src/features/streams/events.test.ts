import { MAX_EVENT_READERS, type StreamEvent } from '@figurehead/contract';
import { createClient } from '@figurehead/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../../../tests/support/api.js';
import { openAll, openHost, sessionOf, until } from '../../../../../tests/support/stream-host.js';
import { listTokens, revokeToken } from '../workspaces/tokens/tokens.js';

describe('the events of a stream', () => {
  let all: Awaited<ReturnType<typeof openAll>>;
  let alice: TestCaller;
  let base: string;
  let client: ReturnType<typeof createClient>;
  beforeAll(async () => {
    all = await openAll({}, { capacity: 40 });
    alice = await all.api.caller();
    base = `http://127.0.0.1:${await all.api.http.listen()}`;
    client = createClient({ baseUrl: base, token: alice.token ?? '' });
  });
  afterAll(() => all.close());

  // The client waits when the server is overloaded.
  const open = async (): Promise<string> => (await client.createStream()).id;
  /** All events until the stream of events ends. */
  const read = async (events: AsyncIterable<unknown>): Promise<StreamEvent[]> => {
    const seen: StreamEvent[] = [];
    for await (const event of events) seen.push(event as StreamEvent);
    return seen;
  };
  const word = (at: number) =>
    ({ type: 'speech.word', id: 'u', at, text: `word ${at}`, start: at, end: at + 1 }) as const;

  it('reach each of their readers in order, until the stream ends', async () => {
    const stream = await open();
    const session = sessionOf(all.host, stream);
    const readers = await Promise.all(Array.from({ length: 5 }, () => client.watchStream({ streamId: stream })));
    const reading = readers.map(read);
    for (let at = 0; at < 500; at++) session.emit(word(at));
    await alice.call('DELETE', `/streams/${stream}`);
    for (const seen of await Promise.all(reading)) {
      expect(seen).toEqual(Array.from({ length: 500 }, (_, at) => word(at)));
    }
    expect(session.listeners).toBe(0);
  });

  it('have as many readers as the limit, which others may follow', async () => {
    const stream = await open();
    const session = sessionOf(all.host, stream);
    const stop = new AbortController();
    const readers = await Promise.all(
      Array.from({ length: MAX_EVENT_READERS }, () =>
        client.watchStream({ streamId: stream }, { signal: stop.signal }),
      ),
    );
    const refused = await alice.call('GET', `/streams/events/${stream}`);
    expect([refused.status, refused.body.message]).toEqual([
      429,
      'The events of this stream already have 20 readers, which is the limit.',
    ]);
    expect(session.listeners).toBe(MAX_EVENT_READERS);
    const reading = readers.map((events) => read(events).catch(() => []));
    stop.abort();
    await Promise.all(reading);
    await until('they are gone', () => session.listeners === 0);
    await client.watchStream({ streamId: stream });
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('do not wait without end for a client that reads nothing', async () => {
    const stream = await open();
    const session = sessionOf(all.host, stream);
    const answer = await fetch(`${base}/api/v1/streams/events/${stream}`, {
      headers: { authorization: `Bearer ${alice.token}` },
    });
    const large = 'x'.repeat(10_000);
    for (let at = 0; session.listeners > 0; at++) {
      if (at > 100_000) throw new Error('a reader that reads nothing is kept');
      session.emit({ ...word(at), text: large });
      if (at % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await answer.body?.cancel();
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it.each(['quiet', 'flowing'])('end with their readers’ token, while they are %s', async (pace) => {
    const bob = await all.api.caller();
    const stream = (await bob.call('POST', '/streams')).body.id as string;
    const session = sessionOf(all.host, stream);
    const headers = { authorization: `Bearer ${bob.token}` };
    const readers = await Promise.all(
      Array.from({ length: MAX_EVENT_READERS }, () => fetch(`${base}/api/v1/streams/events/${stream}`, { headers })),
    );
    const emitting = pace === 'flowing' ? setInterval(() => session.emit(word(1)), 20) : undefined;
    const reading = readers.map((reader) => reader.text());
    const { kernel } = all.api.test;
    const { tokens } = await listTokens(kernel, bob.workspace._id, { page: 1, limit: 10 });
    for (const { _id } of tokens) await revokeToken(kernel, _id);
    await Promise.all(reading);
    await until('their places are free', () => session.listeners === 0);
    // A late error of an aborted request would end the process here.
    session.emit(word(2));
    await new Promise((resolve) => setTimeout(resolve, 100));
    clearInterval(emitting);
  });

  it('end with their host, and are for callers of the stream', async () => {
    const host = await openHost(all.api, { capacity: 1 });
    const streams = await Promise.all(Array.from({ length: 3 }, () => open()));
    const away = streams.find((id) => host.live.sessions.has(id));
    if (away === undefined) throw new Error('no stream was opened on the second host');
    const stranger = await all.api.caller();
    expect((await stranger.call('GET', `/streams/events/${away}`)).status).toBe(403);
    const reading = read(await client.watchStream({ streamId: away }));
    host.live.sessions.get(away)?.emit(word(1));
    await host.stop();
    expect(await reading).toEqual([word(1)]);
    expect((await alice.call('GET', `/streams/events/${away}`)).status).toBe(404);
    await Promise.all(streams.map((stream) => alice.call('DELETE', `/streams/${stream}`)));
  });
});
