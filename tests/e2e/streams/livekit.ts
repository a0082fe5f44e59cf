import { createRequire } from 'node:module';
import type * as LiveKit from 'livekit-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exposeMouth, type WithMouth } from '../../support/live-viewer.js';
import { openPackageSite } from '../../support/page-script.js';
import type { Site } from '../../support/site.js';
import { spokenPcm } from '../../support/spoken-pcm.js';
import type { StreamStage } from './stage.js';

const PACKAGE = createRequire(import.meta.url).resolve('livekit-client');
const RATE = 24_000;

interface Finished {
  readonly playback_position: number;
  readonly interrupted: boolean;
}

/**
 * Runs in the page: an agent with LiveKit's own client, as livekit-agents sends its sound to an avatar, and a stranger in the same room. The page watches
 * what it hears and sees.
 */
async function talk({ url, token, stranger, sound }: { url: string; token: string; stranger: string; sound: string }) {
  const { Room, RoomEvent } = (window as unknown as { livekit: typeof LiveKit }).livekit;
  const pcm = Uint8Array.from(atob(sound), (byte) => byte.charCodeAt(0));
  const [video, audio] = [document.querySelector('video'), document.querySelector('audio')] as [
    HTMLVideoElement,
    HTMLAudioElement,
  ];
  const [room, other] = [new Room(), new Room()];
  const told: [string, Finished | undefined][] = [];
  let wake = (): void => undefined;
  for (const method of ['lk.playback_started', 'lk.playback_finished'])
    room.registerRpcMethod(method, async ({ payload }) => {
      told.push([method, payload === '' ? undefined : JSON.parse(payload)]);
      wake();
      return 'ok';
    });
  const until = async (count: number) => {
    while (told.length < count)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  room.on(RoomEvent.TrackSubscribed, (track) => track.attach(track.kind === 'video' ? video : audio));
  await Promise.all([room.connect(url, token), other.connect(url, stranger)]);
  const mouth = await (window as unknown as WithMouth).watchMouth(video);
  const energy = async () => {
    const face = room.getParticipantByIdentity('face');
    const [voice] = face?.audioTrackPublications.values() ?? [];
    const report = await voice?.audioTrack?.getRTCStatsReport();
    for (const one of report?.values() ?? []) if (one.type === 'inbound-rtp') return Number(one.totalAudioEnergy);
    return 0;
  };
  const segment = async (from: LiveKit.Room, options: { parts?: number; isClosed?: boolean; times?: number } = {}) => {
    const writer = await from.localParticipant.streamBytes({
      name: 'AUDIO_1',
      topic: 'lk.audio_stream',
      destinationIdentities: ['face'],
      attributes: { sample_rate: '24000', num_channels: '1' },
    });
    // Pieces of an odd number of bytes: samples are cut.
    for (let n = 0; n < (options.times ?? 1); n++)
      for (let at = 0; at < pcm.length; at += 4801) await writer.write(pcm.slice(at, at + 4801));
    if (options.isClosed !== false) await writer.close();
  };
  const clear = (from: LiveKit.Room) =>
    from.localParticipant.performRpc({ destinationIdentity: 'face', method: 'lk.clear_buffer', payload: '' });

  await mouth.more(25);
  const silent = mouth.movementFrom(0);
  await segment(other);
  const before = await energy();
  await segment(room);
  await until(1);
  const from = mouth.changes.length;
  const rejected = await clear(other);
  await until(2);
  const spoken = { sounded: (await energy()) - before, silent, moved: mouth.movementFrom(from) };

  await segment(room, { times: 4 });
  await until(3);
  await mouth.more(25);
  const cleared = await clear(room);
  await until(4);

  // The end of the first one is lost, and the next one ends it.
  await segment(room, { isClosed: false });
  await segment(room);
  await until(8);
  const size = [video.videoWidth, video.videoHeight];
  await room.disconnect();
  await other.disconnect();
  return { told, rejected, cleared, spoken, size };
}

/** Agents of LiveKit, whose sound gets a face by the requests of the providers' own plugins. */
export function liveKitScenarios({ has, server, chromium, liveKit }: StreamStage): void {
  describe.runIf(has.chromium && has.liveKit)('an agent in a room of a real LiveKit server', () => {
    let site: Site;
    beforeAll(async () => {
      site = await openPackageSite(PACKAGE, 'livekit');
    });
    afterAll(() => site?.close());

    const faceToken = (room: string, identity = 'face') =>
      liveKit().token(room, identity, { attributes: { 'lk.publish_on_behalf': 'agent' } });
    const ask = async (path: string, headers: Record<string, string>, body: object) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
      const response = await fetch(`${server().base}${path}`, { ...init, body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as Record<string, string> };
    };
    const identitiesIn = async (room: string): Promise<string[]> =>
      (await liveKit().call('ListParticipants', { room })).participants.map(
        (one: { identity: string }) => one.identity,
      );
    const openStreams = async () => (await server().call('GET', '/streams')).body.total;

    it('gets a face that speaks its sound, reports what was played, is interrupted by it alone, and leaves with it', async () => {
      const pcm = await spokenPcm(RATE);
      const seconds = pcm.length / 2 / RATE;
      const { url } = liveKit();
      const joined = await ask(
        '/bey/v1/sessions',
        { 'x-api-key': server().token },
        { transport: 'livekit', avatar_id: 'nora', url, token: faceToken('talk') },
      );
      expect(joined).toEqual({ status: 200, body: { id: expect.any(String), status: 'active' } });
      expect((await server().call('GET', `/streams/${joined.body['id']}`)).body).toMatchObject({
        avatarCode: 'nora',
      });
      const page = await chromium().newPage();
      await page.goto(`${site.origin}/`);
      await page.evaluate(exposeMouth);
      const [token, stranger] = [liveKit().token('talk', 'agent'), liveKit().token('talk', 'stranger')];
      const seen = await page.evaluate(talk, { url, token, stranger, sound: pcm.toString('base64') });
      console.info('livekit-client', JSON.stringify(seen));
      await page.close();
      const [started, finished] = ['lk.playback_started', 'lk.playback_finished'];
      const whole = {
        playback_position: expect.closeTo(seconds, 1),
        interrupted: false,
        synchronized_transcript: null,
      };
      const cut = { ...whole, playback_position: expect.any(Number), interrupted: true };
      expect(seen.told.map(([method]) => method)).toEqual([
        ...[started, finished, started, finished],
        ...[started, finished, started, finished],
      ]);
      expect(seen.told.flatMap(([, payload]) => payload ?? [])).toEqual([whole, cut, whole, whole]);
      expect(seen.told[3]?.[1]?.playback_position).toBeLessThan(2 * seconds);
      expect(seen.told[3]?.[1]?.playback_position).toBeGreaterThan(0.5);
      expect(seen).toMatchObject({ rejected: 'reject', cleared: 'ok', size: [seen.size[0], seen.size[0]] });
      // Smaller where the processor is busy.
      expect([512, 384, 256]).toContain(seen.size[0]);
      expect(seen.spoken.sounded).toBeGreaterThan(0.005);
      expect(seen.spoken.moved).toBeGreaterThan(1.5 * seen.spoken.silent);
      await expect.poll(() => identitiesIn('talk')).toEqual([]);
      await expect.poll(openStreams).toBe(0);
    });

    it('gets one by the request of every plugin, with their keys and ids, until it is removed or the session ends', async () => {
      const { url } = liveKit();
      const key = server().token;
      const token = (provider: string) => faceToken(provider);
      const bearer = { authorization: `Bearer ${key}` };
      const simli = await ask('/simli/compose/token', { 'x-simli-api-key': key }, { faceId: 'nora/happy' });
      const requests: [provider: string, path: string, headers: Record<string, string>, body: object, id: string][] = [
        [
          'bey',
          '/v1/session',
          { 'x-api-key': key },
          { avatar_id: 'NORA', livekit_url: url, livekit_token: token('bey') },
          'id',
        ],
        [
          'anam',
          '/v1/engine/session',
          bearer,
          {
            personaConfig: { name: 'a', avatarId: 'nora' },
            environment: { livekitUrl: url, livekitToken: token('anam') },
          },
          'sessionId',
        ],
        [
          'simli',
          '/integrations/livekit/agents',
          {},
          { session_token: simli.body['session_token'], livekit_url: url, livekit_token: token('simli') },
          'session_id',
        ],
        [
          'tavus',
          '/v2/conversations',
          { 'x-api-key': key },
          { pal_id: 'p', face_id: 'nora', properties: { livekit_ws_url: url, livekit_room_token: token('tavus') } },
          'conversation_id',
        ],
        [
          'runway',
          '/v1/realtime_sessions',
          bearer,
          { model: 'm', avatar: { type: 'custom', avatarId: 'nora' }, livekit: { url, token: token('runway') } },
          'id',
        ],
        [
          'did',
          '/v2/agents/nora/sessions/join',
          { authorization: `Basic ${key}` },
          { transport: { provider: 'livekit', server_url: url, token: token('did') }, audio_config: {} },
          'id',
        ],
        [
          'lemonslice',
          '/sessions',
          { 'x-api-key': key },
          { agent_id: 'nora', properties: { livekit_url: url, livekit_token: token('lemonslice') } },
          'session_id',
        ],
        [
          'protoface',
          '/v1/sessions',
          bearer,
          { avatar_id: 'nora', transport: { type: 'livekit', url, worker_token: token('protoface') } },
          'id',
        ],
      ];
      const opened = await Promise.all(
        requests.map(async ([provider, path, headers, body, id]) => {
          const answer = await ask(`/${provider}${path}`, headers, body);
          expect([provider, answer.status]).toEqual([provider, 200]);
          return { provider, id: answer.body[id] };
        }),
      );
      const { streams } = (await server().call('GET', '/streams')).body;
      expect(streams.map((stream: { avatarCode: string }) => stream.avatarCode)).toEqual(requests.map(() => 'nora'));
      for (const { provider, id } of opened) {
        expect(await identitiesIn(provider)).toEqual(['face']);
        if (provider === 'protoface') await ask(`/protoface/v1/sessions/${id}/end`, bearer, {});
        else if (provider === 'did') await server().call('DELETE', `/streams/${id}`);
        else await liveKit().call('RemoveParticipant', { room: provider, identity: 'face' });
      }
      await expect.poll(openStreams).toBe(0);
    });

    it('is answered with what is wrong, and leaves no stream behind', async () => {
      const { url } = liveKit();
      const open = (body: object, key = server().token) => ask('/bey/v1/sessions', { 'x-api-key': key }, body);
      const expired = liveKit().token('r', 'face', { expiresInSeconds: -60 });
      const cases: [object, RegExp][] = [
        [{ url, token: expired }, /refused the token \(401\)/],
        [{ url, token: liveKit().token('r', 'face') }, /lk\.publish_on_behalf/],
        [{ url: 'http://169.254.169.254/', token: 'x' }, /must be one of FIGUREHEAD_LIVEKIT_URLS/],
        [{ token: 'x' }, /expected a text in url/],
      ];
      for (const [body, reason] of cases) {
        const answer = await open(body);
        expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(reason) } });
      }
      expect(server().host.log()).not.toContain(expired);
      await expect.poll(openStreams).toBe(0);
    });

    it('is given to one participant: the latest request for it replaces the one before', async () => {
      const request = { url: liveKit().url, token: faceToken('twice') };
      const first = await ask('/bey/v1/sessions', { 'x-api-key': server().token }, request);
      const second = await ask('/bey/v1/sessions', { 'x-api-key': server().token }, request);
      await expect.poll(async () => (await server().call('GET', `/streams/${first.body['id']}`)).status).toBe(404);
      const status = async () => (await server().call('GET', `/streams/${second.body['id']}`)).body.status;
      await expect.poll(status).toBe('connected');
      expect((await server().call('DELETE', `/streams/${second.body['id']}`)).status).toBe(200);
    });

    it('does not stay in a room without its agent', async () => {
      const request = { url: liveKit().url, token: faceToken('empty') };
      const { body } = await ask('/bey/v1/sessions', { 'x-api-key': server().token }, request);
      expect(await identitiesIn('empty')).toEqual(['face']);
      await expect.poll(async () => (await server().call('GET', `/streams/${body['id']}`)).status).toBe(404);
      expect(await identitiesIn('empty')).toEqual([]);
    });

    it('publishes a stream that is spoken by the API to a room, and leaves it with the stream', async () => {
      const { body: stream } = await server().call('POST', '/streams', { avatarCode: 'nora' });
      const room = { url: liveKit().url, token: liveKit().token('class', 'teacher') };
      expect(await server().call('POST', `/streams/room/${stream.id}`, room)).toEqual({
        status: 200,
        body: { status: 'ok', agent: null },
      });
      expect((await server().call('POST', `/streams/render/${stream.id}`, { text: 'Hello.' })).status).toBe(200);
      expect(await identitiesIn('class')).toEqual(['teacher']);
      await server().call('DELETE', `/streams/${stream.id}`);
      await expect.poll(() => identitiesIn('class')).toEqual([]);
    });
  });
}
