import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { PresenterPack } from '@figurehead/presenter';
import { LeaveRequest_Action, SignalResponse } from '@livekit/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { openProxy } from '../../../../../tests/chaos/cuttable-proxy.js';
import {
  hasLiveKitServer,
  type LiveKitServer,
  openLiveKitServer,
} from '../../../../../tests/support/livekit-server.js';
import { testSpeech } from '../../../../../tests/support/test-speech.js';
import { loadPack } from '../../presenter/index.js';
import type { LiveHost } from '../contract.js';
import { openLiveHost } from '../host.js';
import { LiveKitRoom, type RoomEvent } from './room.js';

const PACK = fileURLToPath(new URL('../../../../../presenters/packs/helen', import.meta.url));

it.each([
  ['a token with a line break', 'ws://127.0.0.1:1', 'a\nb'],
  ['a token with other letters', 'ws://127.0.0.1:1', '貓'],
  ['an address with a fragment', 'ws://127.0.0.1:1/#a', 'a'],
])('a room is refused with %s', async (_what, url, token) => {
  const room = new LiveKitRoom({ url, token, onWarning: () => undefined });
  const joining = room.join(() => {
    throw new Error('there is no room');
  });
  await expect(joining).rejects.toMatchObject({ code: 'room_refused' });
});

describe.skipIf(!hasLiveKitServer())('a session in a room of a real LiveKit server', () => {
  let server: LiveKitServer;
  let host: LiveHost;
  let pack: PresenterPack;
  const warnings: string[] = [];
  const onWarning = (doing: string, error: unknown) => void warnings.push(`${doing}: ${String(error)}`);
  let count = 0;

  beforeAll(async () => {
    [server, pack, host] = await Promise.all([
      openLiveKitServer(),
      loadPack(PACK),
      openLiveHost({ ports: { from: 11_700, to: 11_799 }, onWarning }),
    ]);
  });
  afterAll(async () => {
    await host.close();
    await server.close();
  });

  const openSession = () =>
    host.open({
      id: `room-${count++}`,
      pack,
      picture: { width: 128, height: 128, fps: 25, background: '#dfe6ee' },
      iceServers: [],
    });

  /** A session that has joined, with what it was told. */
  async function join(room: string, options: { identity?: string; agent?: string; url?: string } = {}) {
    const { identity = 'face', agent, url = server.url } = options;
    const attributes = agent === undefined ? {} : { attributes: { 'lk.publish_on_behalf': agent } };
    const joined = new LiveKitRoom({ url, token: server.token(room, identity, attributes), onWarning });
    const [events, calls]: [RoomEvent[], object[]] = [[], []];
    joined.listen({
      onEvent: (event) => events.push(event),
      onCall: (call) => {
        calls.push(call);
        return call.method === 'known' ? 'ok' : undefined;
      },
    });
    const session = await openSession();
    await session.join(joined);
    return { session, room: joined, events, calls };
  }

  const participants = async (room: string) => (await server.call('ListParticipants', { room })).participants;

  it('publishes voice and face under the identity of its token, speaks, and leaves with the session', async () => {
    const { session, room } = await join('speaks', { agent: 'agent' });
    expect(session.state).toBe('connected');
    expect(room.agent).toBe('agent');
    await expect
      .poll(async () => {
        const [{ identity, tracks }] = await participants('speaks');
        const published = tracks.map(({ mime_type, source, width }: Record<string, unknown>) => [
          mime_type,
          source,
          width,
        ]);
        return { identity, published: published.sort() };
      })
      .toEqual({
        identity: 'face',
        published: [
          ['audio/opus', 'MICROPHONE', 0],
          ['video/H264', 'CAMERA', 128],
        ],
      });
    expect(await session.speak('one', testSpeech({ syllables: 3, chunkSyllables: 1 })).ended).toBe('spoken');
    await session.close();
    await room.left;
    await expect.poll(() => participants('speaks')).toEqual([]);
  });

  it('answers calls of other participants, and calls them', async () => {
    const [one, two] = await Promise.all([join('calls', { identity: 'one' }), join('calls', { identity: 'two' })]);
    await expect
      .poll(() => one.events.some(({ type, sender }) => type === 'participant.came' && sender === 'two'))
      .toBe(true);
    one.room.call('two', 'known', '{"a":1}');
    await expect.poll(() => two.calls).toEqual([{ sender: 'one', method: 'known', payload: '{"a":1}' }]);
    await two.session.close();
    await expect
      .poll(() => one.events.some(({ type, sender }) => type === 'participant.left' && sender === 'two'))
      .toBe(true);
    await one.session.close();
  });

  it.each<[string, (server: LiveKitServer) => { url?: string; token: string }, RegExp]>([
    [
      'whose token has expired',
      (of) => ({ token: of.token('r', 'face', { expiresInSeconds: -60 }) }),
      /refused the token \(401\)/,
    ],
    ['whose token is of another server', (of) => ({ token: `${of.token('r', 'face')}x` }), /refused the token \(401\)/],
    [
      'whose token may not publish',
      (of) => ({ token: of.token('r', 'face', { grants: { canPublish: false } }) }),
      /token does not allow publishing/,
    ],
    [
      'at an address without a LiveKit server',
      (of) => ({ url: `${of.url}/elsewhere`, token: of.token('r', 'face') }),
      /\(404\)/,
    ],
    ['at a closed port', (of) => ({ url: 'http://127.0.0.1:9', token: of.token('r', 'face') }), /cannot be reached/],
  ])('refuses a room %s, without telling the token, and keeps its session open', async (_case, of, reason) => {
    const session = await openSession();
    const { url = server.url, token } = of(server);
    const joining = session.join(new LiveKitRoom({ url, token, onWarning }));
    await expect(joining).rejects.toMatchObject({ code: 'room_refused', message: expect.stringMatching(reason) });
    await expect(joining).rejects.not.toThrow(token);
    expect(session.state).toBe('offered');
    await session.close();
  });

  it('ends when another participant joins with its identity, and when it is removed', async () => {
    const first = await join('ends');
    const second = await join('ends');
    expect(await first.session.closed).toBe('peer_gone');
    expect(second.session.state).toBe('connected');
    await server.call('RemoveParticipant', { room: 'ends', identity: 'face' });
    expect(await second.session.closed).toBe('peer_gone');
  });

  it('stays in the room while its signalling is cut, and resumes it', async () => {
    const proxy = await openProxy({ host: '127.0.0.1', port: server.port });
    const { session, events } = await join('resumes', { url: `http://127.0.0.1:${proxy.port}/` });
    proxy.cut('refused');
    expect(await session.speak('meanwhile', testSpeech({ syllables: 3, chunkSyllables: 1 })).ended).toBe('spoken');
    proxy.mend();
    // What others do is signalled again, to the same participant.
    await expect.poll(() => warnings.some((text) => text.startsWith('resuming the signalling'))).toBe(true);
    const sid = (await participants('resumes'))[0].sid;
    const other = await join('resumes', { identity: 'other' });
    await expect
      .poll(() => events.some(({ type, sender }) => type === 'participant.came' && sender === 'other'))
      .toBe(true);
    expect((await participants('resumes')).map((one: { sid: string }) => one.sid)).toContain(sid);
    await Promise.all([session.close(), other.session.close()]);
    await proxy.close();
  });

  it('joins again when the server wants another connection, and is called and heard there', async () => {
    const proxy = await openSignalProxy(server.url);
    const { session, room, calls } = await join('again', { url: proxy.url });
    const [before] = await participants('again');
    proxy.tell({ case: 'leave', value: { action: LeaveRequest_Action.RECONNECT } });
    const sids = async () => (await participants('again')).map((one: { sid: string }) => one.sid);
    await expect.poll(sids).not.toContain(before.sid);
    await expect.poll(async () => (await participants('again'))[0]?.tracks.length).toBe(2);
    const other = await join('again', { identity: 'other' });
    other.room.call('face', 'known', '{}');
    await expect.poll(() => calls).toEqual([{ sender: 'other', method: 'known', payload: '{}' }]);
    expect(session.state).toBe('connected');
    expect(await session.speak('again', testSpeech({ syllables: 3, chunkSyllables: 1 })).ended).toBe('spoken');
    await session.close();
    await room.left;
    await expect.poll(sids).toHaveLength(1);
    await other.session.close();
    await proxy.close();
  });

  it('joins a server with ICE-lite', async () => {
    const lite = await openLiveKitServer({ lite: true });
    try {
      const session = await openSession();
      await session.join(new LiveKitRoom({ url: lite.url, token: lite.token('lite', 'face'), onWarning }));
      expect(session.state).toBe('connected');
      await session.close();
    } finally {
      await lite.close();
    }
  });
});

/** A proxy for LiveKit's signalling that can send messages in the server's name, which sends none to move a participant while it is alone. */
async function openSignalProxy(target: string) {
  const proxy = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(proxy, 'listening');
  let latest: WebSocket | undefined;
  proxy.on('connection', (client, { url, headers }) => {
    const server = new WebSocket(`${target}${url}`, { headers: { authorization: headers.authorization } });
    latest = client;
    const opened = once(server, 'open');
    client.on('message', (data) => void opened.then(() => server.send(data)));
    server.on('message', (data) => client.send(data));
    client.on('close', () => server.close());
    server.on('close', () => client.close());
  });
  return {
    url: `ws://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    tell(message: NonNullable<NonNullable<ConstructorParameters<typeof SignalResponse>[0]>['message']>) {
      latest?.send(new SignalResponse({ message }).toBinary());
    },
    async close() {
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
