import { createSocket } from 'node:dgram';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { PresenterPack } from '@figurehead/presenter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpusLevel } from '../../../../tests/support/opus-level.js';
import { testSpeech } from '../../../../tests/support/test-speech.js';
import { loadPack } from '../presenter/index.js';
import type { IceServer, LiveEvent, LiveHost, LiveSession } from './contract.js';
import { openLiveHost } from './host.js';
import { Receiver, type ReceiverOptions } from './testing/receiver.js';
import { PAYLOADS } from './transport/sdp.js';

const PACK = fileURLToPath(new URL('../../../../presenters/packs/helen', import.meta.url));
/** Peak of a packet's sound above which it is heard; test speech has 0.4. */
const HEARD = 0.02;

let host: LiveHost;
let pack: PresenterPack;
const warnings: string[] = [];

beforeAll(async () => {
  pack = await loadPack(PACK);
  host = await openLiveHost({
    ports: { from: 11_100, to: 11_199 },
    onWarning: (doing, error) => warnings.push(`${doing}: ${String(error)}`),
  });
  silent = openSilent();
});

/** A session whose peer stops sending reports while the other tests run: detection takes 8 s. */
async function openSilent(): Promise<{ session: LiveSession; receiver: Receiver; mutedMs: number }> {
  const { session, receiver } = await connect();
  receiver.mute();
  return { session, receiver, mutedMs: performance.now() };
}

let silent: ReturnType<typeof openSilent>;

afterAll(async () => {
  await host.close();
  await expect(open('late')).rejects.toMatchObject({ code: 'closed' });
});

let count = 0;

function open(name = 'session', iceServers: readonly IceServer[] = []): Promise<LiveSession> {
  return host.open({
    id: `${name}-${count++}`,
    pack,
    picture: { width: 128, height: 128, fps: 25, background: '#dfe6ee' },
    iceServers,
  });
}

/** Waits for a state that stays. */
async function until(holds: () => boolean, what: string): Promise<void> {
  await expect.poll(holds, { message: `expected ${what}`, interval: 5 }).toBe(true);
}

/** A session whose peer has received its first picture. */
async function connect(
  options: ReceiverOptions = {},
): Promise<{ session: LiveSession; receiver: Receiver; events: LiveEvent[] }> {
  const session = await open();
  const events: LiveEvent[] = [];
  const receiver = new Receiver(session.offer, { ...options, onEvent: (event) => events.push(event) });
  await session.answer(await receiver.answer());
  await until(() => receiver.counts.frames > 0, 'a first picture');
  return { session, receiver, events };
}

async function part({ session, receiver }: { session: LiveSession; receiver: Receiver }): Promise<void> {
  await session.close();
  receiver.close();
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a live session', () => {
  it('sends 50 sound packets and 25 pictures per second, its streams on one clock', async () => {
    const [sounds, pictures]: [number[], number[]] = [[], []];
    const pair = await connect({
      // Before the first speech, silence is one byte from time to time.
      onSound: ({ timestamp, payload }) => payload.length > 1 && sounds.push(timestamp),
      onFrame: ({ timestamp }) => pictures.push(timestamp),
    });
    const startMs = performance.now();
    pair.session.speak('long', testSpeech({ syllables: 100, chunkSyllables: 1 }));
    await until(() => sounds.length >= 150 && pictures.length >= 60, 'three seconds');
    // By the clocks of the streams: how late a packet arrives depends on the machine.
    const stepsOf = (timestamps: number[]) => timestamps.slice(1).map((at, index) => (at - timestamps[index]!) >>> 0);
    expect(new Set(stepsOf(sounds))).toEqual(new Set([48_000 / 50]));
    // A busy machine sends fewer.
    const periods = ((pictures.at(-1)! - pictures[0]!) >>> 0) / (90_000 / 25);
    expect(pictures.length).toBeLessThanOrEqual(periods + 2);
    const sentMs = 20 * sounds.length;
    expect(sentMs).toBeLessThan(2 * (performance.now() - startMs));
    await until(() => pair.receiver.clockOffsetMs !== undefined, 'reports of both streams');
    // Sound timestamps are 6.5 ms earlier to compensate for the encoder's delay; the rest is rounding.
    expect(Math.abs(pair.receiver.clockOffsetMs! - 6.5)).toBeLessThan(1);
    expect(pair.session.state).toBe('connected');
    expect(pair.session.stats()).toMatchObject({ codec: 'H264', queued: 1, loss: 0 });
    expect(pair.session.stats().connectedMs).toBeGreaterThan(2500);
    await part(pair);
    expect(await pair.session.closed).toBe('requested');
    const { connectedMs } = pair.session.stats();
    await wait(50);
    expect(pair.session.stats().connectedMs).toBe(connectedMs);
  });

  // Proves: 4.4.3
  it('speaks, and is silent within 100 ms of an interruption, at the receiver', async () => {
    const sounds: { atMs: number; loud: boolean }[] = [];
    let first: number | undefined;
    const level = new OpusLevel();
    const pair = await connect({
      onSound: ({ payload, timestamp }) => {
        first ??= timestamp;
        // The clock of the session, as in its events.
        sounds.push({ atMs: ((timestamp - first) >>> 0) / 48, loud: level.peakOf(payload) > HEARD });
      },
    });
    const handle = pair.session.speak('one', testSpeech({ syllables: 100, chunkSyllables: 1 }));
    expect(await handle.started).toBeGreaterThanOrEqual(0);
    await until(() => sounds.some(({ loud }) => loud), 'sound');
    expect(pair.session.interrupt('all')).toEqual({ interrupted: true, dropped: 0 });
    const cut = () => pair.events.find(({ type }) => type === 'speech.interrupted');
    await until(() => cut() !== undefined, 'the event');
    const cutMs = cut()!.at;
    await until(() => sounds.at(-1)!.atMs > cutMs + 1000, 'a second after the interruption');
    expect(sounds.filter(({ atMs, loud }) => atMs > cutMs + 100 && loud)).toEqual([]);
    expect(pair.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['queue', 'speech.started', 'speech.word']),
    );
    await part(pair);
    level.close();
    expect(pair.events.at(-1)?.type).toBe('stream.closing');
  });

  it('stays connected and keeps its order when interrupted every 100 ms', async () => {
    const pair = await connect();
    const endings: Promise<string>[] = [];
    for (let round = 0; round < 30; round++) {
      for (const part of ['a', 'b']) {
        const handle = pair.session.speak(`${part}${round}`, testSpeech({ syllables: 100, chunkSyllables: 1 }));
        endings.push(handle.ended);
      }
      await wait(100);
      pair.session.interrupt(round % 2 === 0 ? 'all' : 'current');
    }
    pair.session.interrupt('all');
    expect(new Set(await Promise.all(endings))).toEqual(new Set(['interrupted']));
    const last = pair.session.speak('last', testSpeech({ syllables: 1 }));
    expect(await last.ended).toBe('spoken');
    expect(pair.session.stats()).toMatchObject({ state: 'connected', queued: 0 });
    const begun = pair.events.filter(({ type }) => type === 'speech.started').map(({ id }) => id);
    expect(new Set(begun).size).toBe(begun.length);
    await part(pair);
  });

  for (const codec of ['H264', 'VP8'] as const) {
    it(`keeps a ${codec} picture moving over a link that loses every twentieth packet`, async () => {
      // Audio and video are counted separately, because their order on the wire depends on the machine.
      const sent = new Map<number, number>();
      const lostPictures = new Set<number>();
      const pair = await connect({
        codec,
        loses: (_, { payloadType, sequence }) => {
          const index = sent.get(payloadType) ?? 0;
          sent.set(payloadType, index + 1);
          if (index % 20 !== 13) return false;
          if (payloadType === (codec === 'H264' ? PAYLOADS.h264 : PAYLOADS.vp8)) lostPictures.add(sequence);
          return true;
        },
      });
      expect(pair.session.stats().codec).toBe(codec);
      pair.session.speak('one', testSpeech({ syllables: 100, chunkSyllables: 1 }));
      const { counts } = pair.receiver;
      const before = counts.frames;
      await until(() => counts.frames - before > 50 && counts.lost > 10, 'fifty pictures');
      await until(() => lostPictures.size > 3 && counts.repeated >= lostPictures.size, 'every lost packet again');
      await part(pair);
    });
  }

  it('keeps picture and sound going when every twentieth packet is lost and the others arrive up to 100 ms late, out of order', async () => {
    let heard = 0;
    const level = new OpusLevel();
    const pair = await connect({
      loses: (index) => index % 20 === 13,
      // The first pictures are not delayed, so that the receiver can start.
      delays: (index) => (index < 40 ? 0 : (index * 37) % 101),
      onSound: ({ payload }) => {
        if (level.peakOf(payload) > HEARD) heard++;
      },
    });
    const before = pair.receiver.counts.frames;
    const handle = pair.session.speak('one', testSpeech({ syllables: 5, chunkSyllables: 1 }));
    expect(await handle.ended).toBe('spoken');
    const { counts } = pair.receiver;
    expect(counts.lost).toBeGreaterThan(10);
    // Half of four seconds at 50 packets per second, minus the lost ones.
    await until(() => heard > 75, 'the sound');
    await until(() => counts.frames - before > 50, 'the pictures');
    expect(pair.session.state).toBe('connected');
    await part(pair);
    level.close();
  });

  it('answers a keyframe request also during an idle loop', async () => {
    const keyframes: boolean[] = [];
    const pair = await connect({ onFrame: ({ payloads }) => keyframes.push((payloads[0]![0]! & 31) === 24) });
    // An idle picture costs no drawing.
    const idles = () => pair.session.stats().drawMs === 0 && pair.session.stats().framesPerSecond > 0;
    await until(idles, 'the idle loop');
    const before = keyframes.length;
    pair.receiver.requestKeyframe();
    await until(() => keyframes.includes(true, before), 'a keyframe');
    // The loop itself begins with one every few seconds.
    expect(keyframes.indexOf(true, before) - before).toBeLessThan(25);
    await part(pair);
  });

  // Proves: D.streams.6
  it('accepts the same answer twice, a different one never, and nothing after its end', async () => {
    const session = await open();
    const receiver = new Receiver(session.offer);
    const sdp = await receiver.answer();
    await expect(session.answer('v=0\r\nnonsense')).rejects.toMatchObject({ code: 'bad_answer' });
    await session.answer(sdp);
    await session.answer(sdp);
    await expect(session.answer(`${sdp}a=x:y\r\n`)).rejects.toMatchObject({
      code: 'bad_answer',
      message: expect.stringContaining('a stream has one viewer'),
    });
    await until(() => session.state === 'connected', 'the connection');
    expect(() => session.addCandidate({ candidate: 'drop table' })).toThrowError(
      expect.objectContaining({ code: 'bad_candidate' }),
    );
    session.addCandidate({ candidate: 'candidate:1 1 udp 1 203.0.113.9 9 typ host' });
    session.addCandidate(null);
    await Promise.all([session.close(), session.close()]);
    receiver.close();
    await session.answer(sdp);
    session.addCandidate({ candidate: 'candidate:1 1 udp 1 203.0.113.9 9 typ host' });
    expect(await session.speak('late', testSpeech({ syllables: 1 })).ended).toBe('interrupted');
    expect(session.interrupt('all')).toEqual({ interrupted: false, dropped: 0 });
    expect(host.sessions.has(session.id)).toBe(false);
  });

  // Proves: 3.3.3, D.streams.6, D.streams.8
  it('stores candidates that arrive before the answer, and speech that arrives before the connection', async () => {
    const session = await open('early', [
      { urls: 'stun:127.0.0.1:9' },
      {
        urls: ['turn:127.0.0.1:9?transport=udp', 'turn:127.0.0.1:9?transport=tcp', 'turns:[::1]:9'],
        username: '1:a',
        credential: 'b',
      },
    ]);
    const receiver = new Receiver(session.offer);
    session.addCandidate({ candidate: 'candidate:1 1 udp 2113937151 0a1b2c3d.local 50000 typ host' });
    const handle = session.speak('early', testSpeech({ syllables: 1 }));
    const sdp = await receiver.answer();
    for (const [line] of sdp.matchAll(/candidate:.*/g)) session.addCandidate({ candidate: line });
    await session.answer(sdp.replaceAll(/a=candidate:.*\r\n/g, ''));
    expect(await handle.ended).toBe('spoken');
    await part({ session, receiver });
  });

  it('ignores RTCP that makes no sense', async () => {
    const pair = await connect();
    for (let n = 0; n < 200; n++) {
      const noise = Buffer.from(Array.from({ length: 12 + (n % 40) }, (_, at) => (n * 31 + at * 17) & 255));
      noise[0] = 0x80 | (n & 31);
      noise[1] = 200 + (n % 8);
      pair.receiver.sendRaw(noise);
    }
    const before = pair.receiver.counts.frames;
    await until(() => pair.receiver.counts.frames > before + 15, 'more pictures');
    expect(pair.session.state).toBe('connected');
    await part(pair);
  });

  // Proves: D.streams.12
  it('ends when its peer leaves', async () => {
    const { session, receiver } = await connect();
    receiver.close();
    expect(await session.closed).toBe('peer_gone');
    expect(session.state).toBe('closed');
  });

  // Proves: D.streams.12
  it('stops counting time when the peer is silent', async () => {
    const { session, receiver, mutedMs } = await silent;
    const uncounted = () => performance.now() - mutedMs - session.stats().connectedMs;
    await until(() => uncounted() > 6000, 'a clock that stopped with the last report');
    const { connectedMs } = session.stats();
    await wait(50);
    expect(session.stats().connectedMs).toBe(connectedMs);
    await part({ session, receiver });
  });

  it('uses the next port when the first one is taken, and reports when all are taken', async () => {
    const taken = createSocket('udp4');
    await new Promise<void>((resolve) => taken.bind(11_250, '0.0.0.0', resolve));
    const next = await openLiveHost({ ports: { from: 11_250, to: 11_260 } });
    expect(next.port).toBe(11_251);
    await expect(openLiveHost({ ports: { from: 11_250, to: 11_251 } })).rejects.toMatchObject({ code: 'no_ports' });
    await next.close();
    taken.close();
  });

  it('refuses pictures of impossible sizes', async () => {
    const picture = { width: 127, height: 128, fps: 25, background: '#fff' } as const;
    await expect(host.open({ id: 'odd', pack, picture, iceServers: [] })).rejects.toThrowError(/even sides/);
  });

  it('leaks nothing after 50 sessions were opened and closed and 100 more abandoned', async () => {
    const measure = () => ({
      descriptors: readdirSync('/proc/self/fd').length,
      threads: readdirSync('/proc/self/task').length,
      memory: process.memoryUsage().rss,
    });
    const cycle = async (round: number): Promise<void> => {
      const pair = await connect();
      if (round % 2 === 0) await pair.session.close();
      pair.receiver.close();
      await pair.session.closed;
      await pair.session.close();
    };
    for (let round = 0; round < 10; round++) await cycle(round);
    const before = measure();
    for (let round = 0; round < 50; round++) await cycle(round);
    const abandoned = await Promise.all(Array.from({ length: 100 }, () => open('abandoned')));
    await Promise.all(abandoned.map((session) => session.close()));
    expect(host.sessions.size).toBe(0);
    await expect.poll(() => measure().descriptors).toBeLessThanOrEqual(before.descriptors + 6);
    await expect.poll(() => measure().threads).toBeLessThanOrEqual(before.threads + 4);
    expect(measure().memory - before.memory).toBeLessThan(60e6);
  });

  it('logs no warning in all of these tests', () => {
    expect(warnings).toEqual([]);
  });
});
