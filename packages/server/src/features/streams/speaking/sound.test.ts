import { MAX_SOUND_QUEUE } from '@figurehead/contract';
import { WebSocket } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../../../../tests/support/api.js';
import { openAll, openHost, sessionOf, until } from '../../../../../../tests/support/stream-host.js';
import { createToken, revokeToken } from '../../workspaces/index.js';

const PAGE = 'https://shop.example.org';

/** Sound of so many seconds: 16 bit, a hum. */
function hum(seconds: number, sampleRate = 16_000): Buffer {
  const pcm = Buffer.alloc(2 * Math.round(seconds * sampleRate));
  for (let at = 0; at < pcm.length / 2; at++) {
    pcm.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 150 * at) / sampleRate)), 2 * at);
  }
  return pcm;
}

interface Ack {
  readonly type: string;
  readonly id: string;
  readonly received: number;
  readonly limit: number;
}

/** A WebSocket with what it told. */
async function connect(url: string, options: { token?: string; protocols?: string[]; origin?: string }) {
  const { token, protocols = [], origin } = options;
  const headers: Record<string, string> = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(origin === undefined ? {} : { origin }),
  };
  const socket = new WebSocket(url, { protocols, headers });
  socket.binaryType = 'arraybuffer';
  const told: Ack[] = [];
  socket.addEventListener('message', ({ data }) => told.push(JSON.parse(String(data))));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }));
  });
  const opened = await new Promise<boolean>((resolve) => {
    socket.addEventListener('open', () => resolve(true));
    socket.addEventListener('error', () => resolve(false));
  });
  return { socket, told, closed, opened };
}

describe('sound on a stream', () => {
  let all: Awaited<ReturnType<typeof openAll>>;
  let alice: TestCaller;
  let base: string;
  beforeAll(async () => {
    all = await openAll({}, { capacity: 40 });
    alice = await all.api.caller();
    base = `127.0.0.1:${await all.api.http.listen()}/api/v1`;
  });
  afterAll(() => all.close());

  const open = async (isConnected = true): Promise<string> => {
    const { status, body, text } = await alice.call('POST', '/streams');
    if (status !== 200) throw new Error(`POST /streams answered ${status}: ${text}`);
    if (isConnected) sessionOf(all.host, body.id).connect();
    return body.id;
  };
  const socketOf = (stream: string, rate: number | string = 16_000) =>
    connect(`ws://${base}/streams/sound/${stream}?sampleRate=${rate}`, { token: alice.token });
  const secondsOf = (stream: string, id: string) => (sessionOf(all.host, stream).spoken.get(id) ?? 0) / 48_000;
  const queueOf = (stream: string) => sessionOf(all.host, stream).stats().queued;
  const idOf = async (told: readonly Ack[]): Promise<string> => {
    await until('it has begun', () => told.length > 0);
    return told[0]?.id ?? '';
  };

  it.each([16_000, 24_000, 48_000])('is spoken while it arrives, at %i Hz', async (rate) => {
    const stream = await open();
    const { socket, told, closed } = await socketOf(stream, rate);
    const id = await idOf(told);
    expect(told[0]).toMatchObject({ type: 'started', position: 0, limit: 10 });
    for (let packet = 0; packet < 50; packet++) socket.send(hum(0.02, rate));
    await until('its beginning is spoken', () => secondsOf(stream, id) > 0.8);
    expect(queueOf(stream)).toBe(1);
    socket.send(hum(1, rate));
    socket.send('{"type":"end"}');
    expect(await closed).toEqual({ code: 1000, reason: 'all sound was received' });
    await until('it ends', () => queueOf(stream) === 0);
    expect(secondsOf(stream, id)).toBeCloseTo(2, 1);
    expect(told.at(-1)).toMatchObject({ type: 'ack', received: 2 });
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('is refused with the reason: rate, odd bytes, text, too fast', async () => {
    const stream = await open(false);
    for (const rate of [44_100, 'x', '']) expect((await socketOf(stream, rate)).opened).toBe(false);
    const plain = await alice.call('GET', `/streams/sound/${stream}?sampleRate=16000`);
    expect([plain.status, plain.body.message]).toEqual([
      404,
      `There is no GET /api/v1/streams/sound/${stream} in this API.`,
    ]);
    const wrong: [Buffer | string, number, string][] = [
      [Buffer.alloc(3), 1007, 'expected whole samples of 16 bits, got 3 bytes'],
      ['hello', 1007, 'expected binary messages of PCM or {"type":"end"}'],
      [hum(10.5), 1008, 'too fast: 10.5 s were sent, the limit was 10.0 s'],
    ];
    for (const [message, code, reason] of wrong) {
      const { socket, closed } = await socketOf(stream);
      socket.send(message);
      expect(await closed).toEqual({ code, reason });
      await alice.call('DELETE', `/streams/render/${stream}`);
    }
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('may be sent ahead up to the limit that the acknowledgements tell', async () => {
    const stream = await open(false);
    const { socket, told, closed } = await socketOf(stream);
    const id = await idOf(told);
    socket.send(hum(10));
    await until('it is acknowledged', () => told.at(-1)?.received === 10);
    expect(told.at(-1)?.limit).toBe(10);
    sessionOf(all.host, stream).connect();
    await until('there is room again', () => (told.at(-1)?.limit ?? 0) > 19);
    socket.send(hum(5));
    socket.send('{"type":"end"}');
    expect((await closed).code).toBe(1000);
    await until('it ends', () => queueOf(stream) === 0);
    expect(secondsOf(stream, id)).toBeCloseTo(15, 1);
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('ends after ten minutes with a sender that goes on for an hour; at no time more than 10 s of it wait', async () => {
    const stream = await open();
    const { socket, told, closed } = await socketOf(stream);
    const id = await idOf(told);
    const piece = hum(4);
    let isClosed = false;
    void closed.then(() => {
      isClosed = true;
    });
    for (let sent = 0; sent < 3600 && !isClosed; sent += 4) {
      socket.send(piece);
      await until('there is room', () => {
        // Asks for the limit.
        socket.send(Buffer.alloc(0));
        return isClosed || (told.at(-1)?.limit ?? 0) >= sent + 8;
      });
    }
    expect(await closed).toEqual({ code: 1009, reason: 'the sound is longer than 600 s' });
    await until('it ends', () => queueOf(stream) === 0);
    expect(secondsOf(stream, id)).toBeCloseTo(600, 0);
    const ahead = told.slice(1).map(({ received, limit }) => limit - received);
    expect(Math.max(...ahead)).toBeLessThanOrEqual(10);
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('ends when its sender stalls in the middle of a word: what came is spoken', async () => {
    const stream = await open();
    const { socket, told, closed } = await socketOf(stream);
    const id = await idOf(told);
    socket.send(hum(0.7));
    expect(await closed).toEqual({ code: 1008, reason: 'no sound came for 10 s' });
    await until('it ends', () => queueOf(stream) === 0);
    expect(secondsOf(stream, id)).toBeCloseTo(0.7, 1);
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('ends with what came when its sender dies', async () => {
    const stream = await open();
    const { socket, told } = await socketOf(stream);
    const id = await idOf(told);
    socket.send(hum(1.5));
    await until('it came', () => told.at(-1)?.received === 1.5);
    socket.close();
    await until('it ends', () => queueOf(stream) === 0);
    expect(secondsOf(stream, id)).toBeCloseTo(1.5, 1);
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('closes when it is interrupted, when the stream is closed, and when its host stops', async () => {
    const host = await openHost(all.api, { capacity: 1 });
    const streams = await Promise.all(Array.from({ length: 3 }, () => open(false)));
    const away = streams.find((id) => host.live.sessions.has(id));
    const [cut, gone] = streams.filter((id) => id !== away);
    if (away === undefined || cut === undefined || gone === undefined) throw new Error('a host got no stream');
    const sockets = await Promise.all([cut, gone, away].map((stream) => socketOf(stream)));
    for (const { socket } of sockets) socket.send(hum(1));
    expect((await alice.call('DELETE', `/streams/render/${cut}`)).body).toEqual({ interrupted: false, dropped: 1 });
    await Promise.all([alice.call('DELETE', `/streams/${gone}`), host.stop()]);
    for (const { closed } of sockets) expect((await closed).code).toBe(1008);
    expect((await sockets[0]?.closed)?.reason).toBe(
      'This utterance takes no more pieces: it was interrupted. Open another one.',
    );
    expect((await sockets[1]?.closed)?.reason).toBe('There is no stream with this id.');
    await alice.call('DELETE', `/streams/${cut}`);
  });

  it('is for callers of the stream: tokens in a header or a protocol, client tokens on their pages', async () => {
    const stream = await open();
    const { body: client } = await alice.call('POST', '/client-tokens', { origins: [PAGE], avatarCode: 'nora' });
    const url = `ws://${base}/streams/sound/${stream}?sampleRate=16000`;
    const own = await fetch(`http://${base}/streams`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.token}`, origin: PAGE, 'content-type': 'application/json' },
      body: '{}',
    });
    const clientUrl = url.replace(stream, ((await own.json()) as { id: string }).id);
    const protocols = (token: string) => ['figurehead', `bearer.${token}`];
    expect((await connect(url, {})).opened).toBe(false);
    expect((await connect(url, { protocols: protocols('fh_wrong') })).opened).toBe(false);
    expect((await connect(url, { token: (await all.api.caller()).token })).opened).toBe(false);
    expect((await connect(url, { protocols: protocols(client.token), origin: PAGE })).opened).toBe(false);
    expect((await connect(clientUrl, { protocols: protocols(client.token), origin: 'https://evil.org' })).opened).toBe(
      false,
    );
    for (const allowed of [
      await connect(url, { protocols: protocols(alice.token ?? '') }),
      await connect(clientUrl, { protocols: protocols(client.token), origin: PAGE }),
    ]) {
      expect([allowed.opened, allowed.socket.protocol]).toEqual([true, 'figurehead']);
      allowed.socket.close();
    }
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('ends when the API token of its sender is revoked', async () => {
    const { kernel } = all.api.test;
    const { _id: workspaceId } = alice.workspace;
    const { token, _id: tokenId } = await createToken(kernel, { workspaceId, userId: workspaceId, name: 'sender' });
    const stream = await open();
    const { socket, told, closed } = await connect(`ws://${base}/streams/sound/${stream}?sampleRate=16000`, { token });
    const id = await idOf(told);
    socket.send(hum(1));
    await until('it is spoken', () => secondsOf(stream, id) > 0.8);
    expect(await revokeToken(kernel, tokenId)).toBe(true);
    expect(await closed).toEqual({ code: 1008, reason: 'the token or session has ended' });
    await until('it ends', () => queueOf(stream) === 0);
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it.each([0, 2])('is cut off when it comes in too many messages, here of %i bytes', async (bytes) => {
    const stream = await open();
    const { socket, told, closed } = await socketOf(stream);
    await idOf(told);
    const message = Buffer.alloc(bytes);
    for (let count = 0; count < 10_000; count++) socket.send(message);
    expect(await closed).toEqual({ code: 1008, reason: 'too many messages: at most 200 a second' });
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('holds no more sound on a stream than its places', async () => {
    const stream = await open(false);
    const sockets = await Promise.all(Array.from({ length: MAX_SOUND_QUEUE }, () => socketOf(stream)));
    expect(sockets.map(({ opened }) => opened)).toEqual(sockets.map(() => true));
    expect((await socketOf(stream)).opened).toBe(false);
    await alice.call('DELETE', `/streams/${stream}`);
  });

  it('is spoken on 30 streams at once, whose senders end, die or stop', async () => {
    const streams = await Promise.all(Array.from({ length: 30 }, () => open()));
    const sockets = await Promise.all(streams.map((stream) => socketOf(stream)));
    const ids = await Promise.all(sockets.map(({ told }) => idOf(told)));
    for (let packet = 0; packet < 10; packet++) for (const { socket } of sockets) socket.send(hum(0.1));
    await until('all came', () => sockets.every(({ told }) => (told.at(-1)?.received ?? 0) > 0.99));
    for (const [at, { socket }] of sockets.entries()) {
      if (at % 3 === 0) socket.send('{"type":"end"}');
      else if (at % 3 === 1) socket.close();
      else await alice.call('DELETE', `/streams/render/${streams[at]}`);
    }
    await until('all end', () => streams.every((stream) => queueOf(stream) === 0));
    for (const [at, stream] of streams.entries()) {
      if (at % 3 !== 2) expect(secondsOf(stream, ids[at] ?? '')).toBeCloseTo(1, 1);
    }
    await Promise.all(sockets.map(({ closed }) => closed));
    await Promise.all(streams.map((stream) => alice.call('DELETE', `/streams/${stream}`)));
  });

  describe('of an uploaded file', () => {
    const upload = async (stream: string, file: Uint8Array) => {
      const form = new FormData();
      form.append('file', new Blob([file as Uint8Array<ArrayBuffer>]), 'sound.wav');
      const answer = await fetch(`http://${base}/streams/sound/${stream}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${alice.token}` },
        body: form,
      });
      return {
        status: answer.status,
        body: (await answer.json()) as { id: string; position: number; message: string },
      };
    };
    /** WAV, 8 kHz, mono, 16 bit. */
    const recording = (seconds: number): Buffer => {
      const sound = hum(seconds, 8000);
      const header = Buffer.from('RIFF....WAVEfmt ....................data....', 'latin1');
      header.writeUInt32LE(36 + sound.length, 4);
      for (const [at, value] of [16, 0x0001_0001, 8000, 16_000, 0x0010_0002].entries()) {
        header.writeUInt32LE(value, 16 + 4 * at);
      }
      header.writeUInt32LE(sound.length, 40);
      return Buffer.concat([header, sound]);
    };

    it('is spoken whole, also when it is longer than what may wait', async () => {
      const stream = await open(false);
      const answer = await upload(stream, recording(14));
      expect([answer.status, answer.body.position]).toEqual([200, 0]);
      sessionOf(all.host, stream).connect();
      await until('it ends', () => queueOf(stream) === 0);
      expect(secondsOf(stream, answer.body.id)).toBeCloseTo(14, 1);
      await alice.call('DELETE', `/streams/${stream}`);
    });

    it('is refused when it has no sound, is damaged or too long', async () => {
      const stream = await open(false);
      for (const [file, message] of [
        [Buffer.from('no sound'), /file is not accepted: the file is damaged or not supported/],
        [Buffer.alloc(0), /file is not accepted/],
        [recording(601), /file is not accepted: it has more than 600 s of sound/],
      ] as const) {
        const answer = await upload(stream, file);
        expect(answer.status).toBe(400);
        expect(answer.body.message).toMatch(message);
      }
      expect(queueOf(stream)).toBe(0);
      await alice.call('DELETE', `/streams/${stream}`);
    });
  });
});
