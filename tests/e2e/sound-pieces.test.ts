import { setTimeout as pause } from 'node:timers/promises';
import { MAX_SOUND_QUEUE } from '@figurehead/contract';
import {
  AuthenticationError,
  ConnectionError,
  createClient,
  type Figurehead,
  NotFoundError,
  type SoundPiece,
  speakSoundPieces,
} from '@figurehead/sdk';
import { WebSocket } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket as WsSocket } from 'ws';
import type { TestCaller } from '../support/api.js';
import { openAll, openHost, sessionOf, until } from '../support/stream-host.js';

const RATE = 16_000;

/** A hum of a number of seconds. */
function hum(seconds: number): Int16Array<ArrayBuffer> {
  return Int16Array.from(
    { length: Math.round(seconds * RATE) },
    (_, at) => 8000 * Math.sin((at * 150 * 2 * Math.PI) / RATE),
  );
}

async function* pieces<T>(...all: T[]) {
  yield* all;
}

describe('sound that the SDK sends in pieces', () => {
  let all: Awaited<ReturnType<typeof openAll>>;
  let alice: TestCaller;
  let baseUrl: string;
  let client: Figurehead;
  beforeAll(async () => {
    all = await openAll({}, { capacity: 20 });
    alice = await all.api.caller();
    baseUrl = `http://127.0.0.1:${await all.api.http.listen()}`;
    client = clientOf(alice.token);
  });
  afterAll(() => all.close());

  const clientOf = (token = '') =>
    createClient({ baseUrl, token, createWebSocket: (url, protocols) => new WebSocket(url, protocols) });
  const open = async (isConnected = true, host = all.host): Promise<string> => {
    const { id } = await client.createStream();
    if (isConnected) sessionOf(host, id).connect();
    return id;
  };
  const speak = (streamId: string, sound: AsyncIterable<SoundPiece>, options: { signal?: AbortSignal } = {}) =>
    speakSoundPieces(client, streamId, sound, { sampleRate: RATE, ...options });
  const secondsOf = (stream: string, id: string) => (sessionOf(all.host, stream).spoken.get(id) ?? 0) / 48_000;
  const ended = { type: 'speech.ended', at: 0, position: 0 } as const;
  const interrupted = { type: 'speech.interrupted', at: 0, position: 0, reason: 'interrupted' } as const;

  it('is spoken completely, regardless of the type and size of its pieces', async () => {
    const stream = await open();
    const bytes = new Uint8Array(hum(1).buffer);
    const cuts = [0, 1, 1, 4, 7777, 16_001, 32_000];
    const cut = cuts.slice(1).map((end, at) => bytes.subarray(cuts[at], end));
    const spoken = await speak(
      stream,
      pieces<SoundPiece>(hum(0.5), hum(0.5).buffer, Buffer.from(hum(1).buffer), ...cut),
    );
    expect(spoken.position).toBe(0);
    await spoken.sent;
    await until('it ends', () => sessionOf(all.host, stream).stats().queued === 0);
    expect(secondsOf(stream, spoken.id)).toBeCloseTo(3, 1);
    sessionOf(all.host, stream).emit({ ...ended, id: 'another' });
    sessionOf(all.host, stream).emit({ ...ended, id: spoken.id });
    expect(await spoken.finished).toBe('spoken');
    await until('its reader of events has left', () => sessionOf(all.host, stream).listeners === 0);
    await client.closeStream({ streamId: stream });
  });

  it('is also sent with the socket of the package ws', async () => {
    const stream = await open();
    const other = createClient({
      baseUrl,
      token: alice.token ?? '',
      createWebSocket: (url, protocols) => new WsSocket(url, protocols),
    });
    const { id, sent } = await speakSoundPieces(other, stream, pieces(hum(1)), { sampleRate: RATE });
    await sent;
    await until('it is spoken', () => secondsOf(stream, id) > 0.9);
    await client.closeStream({ streamId: stream });
  });

  it('reads no more from its source than there is room for', async () => {
    const stream = await open(false);
    let taken = 0;
    async function* endless() {
      while (taken < 13) {
        taken += 1;
        yield hum(1);
      }
    }
    const { id, sent } = await speak(stream, endless());
    await until('it waits for room', () => taken >= 10);
    await client.readStream({ streamId: stream });
    expect(taken).toBe(10);
    sessionOf(all.host, stream).connect();
    await sent;
    await until('all is spoken', () => secondsOf(stream, id) > 12.9);
    await client.closeStream({ streamId: stream });
  });

  it('sends one piece that is longer than the room in parts', async () => {
    const stream = await open();
    const { id, sent } = await speak(stream, pieces(hum(13)));
    await sent;
    await until('all is spoken', () => secondsOf(stream, id) > 12.9);
    await client.closeStream({ streamId: stream });
  });

  it('continues after a stall that is longer than the server’s timeout for silent senders', async () => {
    const stream = await open();
    async function* stalls() {
      yield hum(0.5);
      await pause(12_000);
      yield hum(0.5);
    }
    const { id, sent } = await speak(stream, stalls());
    await sent;
    await until('all is spoken', () => secondsOf(stream, id) > 0.9);
    await client.closeStream({ streamId: stream });
  });

  it('ends when its source fails, which `sent` reports, and speaks the received part', async () => {
    const stream = await open();
    async function* fails() {
      yield hum(1);
      throw new Error('the engine died');
    }
    const { id, sent } = await speak(stream, fails());
    await expect(sent).rejects.toThrow('the engine died');
    await until('the received part is spoken', () => secondsOf(stream, id) > 0.9);
    await until('it ends', () => sessionOf(all.host, stream).stats().queued === 0);
    const wrong = pieces(new Float32Array(3) as unknown as Int16Array);
    await expect((await speak(stream, wrong)).sent).rejects.toThrow('Sound must be PCM of 16 bit');
    await client.closeStream({ streamId: stream });
  });

  it('ends with its signal while its source still waits', async () => {
    const stream = await open();
    const stop = new AbortController();
    async function* waits() {
      yield hum(1);
      await new Promise(() => undefined);
    }
    const { id, sent } = await speak(stream, waits(), { signal: stop.signal });
    await until('it is spoken', () => secondsOf(stream, id) > 0.5);
    stop.abort();
    await sent;
    await until('it ends', () => sessionOf(all.host, stream).stats().queued === 0);
    await expect(speak(stream, waits(), { signal: stop.signal })).rejects.toThrow(/aborted/);
    await client.closeStream({ streamId: stream });
  });

  it('ends with an interruption, and reads no more from its source', async () => {
    const stream = await open();
    let isReturned = false;
    async function* endless() {
      try {
        for (;;) {
          yield hum(0.2);
          await pause(20);
        }
      } finally {
        isReturned = true;
      }
    }
    const spoken = await speak(stream, endless());
    await until('it is spoken', () => secondsOf(stream, spoken.id) > 0.5);
    expect(await spoken.interrupt()).toEqual({ interrupted: true, dropped: 0 });
    await spoken.sent;
    await until('its source was notified', () => isReturned);
    sessionOf(all.host, stream).emit({ ...interrupted, id: spoken.id });
    expect(await spoken.finished).toBe('interrupted');
    await client.closeStream({ streamId: stream });
  });

  it('is closed with its stream, also when the host stops', async () => {
    const host = await openHost(all.api, { capacity: 1 });
    const streams = await Promise.all(Array.from({ length: 19 }, () => client.createStream()));
    const away = streams.find(({ id }) => host.live.sessions.has(id))?.id ?? '';
    const here = streams.find(({ id }) => id !== away)?.id ?? '';
    async function* waits() {
      yield hum(1);
      await new Promise(() => undefined);
    }
    const spoken = await Promise.all([here, away].map((stream) => speak(stream, waits())));
    await Promise.all([client.closeStream({ streamId: here }), host.stop()]);
    for (const { sent, finished } of spoken) {
      await sent;
      expect(await finished).toBe('closed');
    }
    await Promise.all(streams.map(({ id }) => client.closeStream({ streamId: id }).catch(() => undefined)));
  });

  it('is refused with the error of the stream, or because there is no room', async () => {
    const stream = await open(false);
    await expect(speak('nothing', pieces(hum(1)))).rejects.toThrow(NotFoundError);
    const stranger = clientOf('fh_wrong');
    await expect(speakSoundPieces(stranger, stream, pieces(hum(1)), { sampleRate: RATE })).rejects.toThrow(
      AuthenticationError,
    );
    const spoken = await Promise.all(Array.from({ length: MAX_SOUND_QUEUE }, () => speak(stream, pieces(hum(1)))));
    expect(spoken.map(({ position }) => position).sort()).toEqual(spoken.map((_, at) => at));
    await expect(speak(stream, pieces(hum(1)))).rejects.toThrow(ConnectionError);
    await client.closeStream({ streamId: stream });
  });
});
