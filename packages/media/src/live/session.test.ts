import { createSocket } from 'node:dgram';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PresenterPack } from '../presenter/contract.js';
import { loadPack } from '../presenter/index.js';
import type { IceServer, LiveEvent, LiveHost, LiveSession } from './contract.js';
import { openLiveHost } from './host.js';
import { OpusLevel } from './testing/opus-level.js';
import { Receiver, type ReceiverOptions } from './testing/receiver.js';
import { testSpeech } from './testing/speech.js';
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
    ports: { from: 42_100, to: 42_199 },
    onWarning: (doing, error) => warnings.push(`${doing}: ${String(error)}`),
  });
  silent = openSilent();
});

/** How long the peer sends reports before it stops. */
const SPOKE_MS = 1500;

/** A session whose peer stops sending reports while the other tests run: detection takes 8 s. */
async function openSilent(): Promise<{ session: LiveSession; receiver: Receiver; mutedMs: number }> {
  const { session, receiver } = await connect();
  await wait(SPOKE_MS);
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

async function until(holds: () => boolean, what: string, limitMs = 15_000): Promise<void> {
  const end = Date.now() + limitMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`expected ${what} within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
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
    let sounds = 0;
    const pair = await connect({ onSound: () => sounds++ });
    pair.session.speak('long', testSpeech({ syllables: 6, chunkSyllables: 1 }));
    const before = { sounds, frames: pair.receiver.counts.frames };
    await wait(3000);
    expect(sounds - before.sounds).toBeGreaterThan(140);
    expect(sounds - before.sounds).toBeLessThan(160);
    expect(pair.receiver.counts.frames - before.frames).toBeGreaterThan(60);
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

  it('speaks within 150 ms and is silent within 100 ms of an interruption, at the receiver', async () => {
    const sounds: { atMs: number; loud: boolean }[] = [];
    const level = new OpusLevel();
    const pair = await connect({
      onSound: ({ payload }) => sounds.push({ atMs: performance.now(), loud: level.peakOf(payload) > HEARD }),
    });
    await wait(500);
    const spokenMs = performance.now();
    const handle = pair.session.speak('one', testSpeech({ syllables: 20, chunkSyllables: 1 }));
    expect(await handle.started).toBeLessThan(150);
    await until(() => sounds.some(({ atMs, loud }) => atMs > spokenMs && loud), 'sound', 1000);
    await wait(300);
    const cutMs = performance.now();
    expect(pair.session.interrupt('all')).toEqual({ interrupted: true, dropped: 0 });
    await wait(600);
    const late = sounds.filter(({ atMs, loud }) => atMs > cutMs + 100 && loud);
    expect(late).toEqual([]);
    await until(() => pair.events.some(({ type }) => type === 'speech.interrupted'), 'the event');
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
        const handle = pair.session.speak(`${part}${round}`, testSpeech({ syllables: 4, chunkSyllables: 1 }));
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
      pair.session.speak('one', testSpeech({ syllables: 5 }));
      const before = pair.receiver.counts.frames;
      await wait(4000);
      const { counts } = pair.receiver;
      await until(() => lostPictures.size > 3 && counts.repeated >= lostPictures.size, 'every lost packet again');
      expect(counts.lost).toBeGreaterThan(10);
      expect(counts.repeated).toBeGreaterThan(3);
      expect(counts.frames - before).toBeGreaterThan(50);
      expect(counts.longestGapMs).toBeLessThan(700);
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
    await wait(500);
    const { counts } = pair.receiver;
    expect(counts.lost).toBeGreaterThan(10);
    expect(counts.frames - before).toBeGreaterThan(50);
    expect(counts.longestGapMs).toBeLessThan(1000);
    // Half of four seconds at 50 packets per second, minus the lost ones.
    expect(heard).toBeGreaterThan(75);
    expect(pair.session.state).toBe('connected');
    await part(pair);
    level.close();
  });

  it('answers a keyframe request also during an idle loop', async () => {
    const keyframes: number[] = [];
    const pair = await connect({
      onFrame: ({ payloads }) => (payloads[0]![0]! & 31) === 24 && keyframes.push(performance.now()),
    });
    await wait(4000);
    const before = keyframes.length;
    const askedMs = performance.now();
    pair.receiver.requestKeyframe();
    await until(() => keyframes.length > before, 'a keyframe', 1000);
    expect(keyframes.at(-1)! - askedMs).toBeLessThan(500);
    await part(pair);
  });

  it('accepts the same answer twice, a different one never, and nothing after its end', async () => {
    const session = await open();
    const receiver = new Receiver(session.offer);
    const sdp = await receiver.answer();
    await expect(session.answer('v=0\r\nnonsense')).rejects.toMatchObject({ code: 'bad_answer' });
    await session.answer(sdp);
    await session.answer(sdp);
    await expect(session.answer(`${sdp}a=x:y\r\n`)).rejects.toMatchObject({ code: 'bad_answer' });
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
    await wait(1000);
    expect(pair.session.state).toBe('connected');
    expect(pair.receiver.counts.frames).toBeGreaterThan(before + 15);
    await part(pair);
  });

  it('ends when its peer leaves', async () => {
    const { session, receiver } = await connect();
    receiver.close();
    expect(await session.closed).toBe('peer_gone');
    expect(session.state).toBe('closed');
  });

  it('stops counting time when the peer is silent', async () => {
    const { session, receiver, mutedMs } = await silent;
    await wait(Math.max(0, mutedMs + 9500 - performance.now()));
    // Its last report may be up to a second old.
    expect(Math.abs(session.stats().connectedMs - SPOKE_MS)).toBeLessThan(1200);
    await part({ session, receiver });
  });

  it('uses the next port when the first one is taken, and reports when all are taken', async () => {
    const taken = createSocket('udp4');
    await new Promise<void>((resolve) => taken.bind(42_250, '0.0.0.0', resolve));
    const next = await openLiveHost({ ports: { from: 42_250, to: 42_260 } });
    expect(next.port).toBe(42_251);
    await expect(openLiveHost({ ports: { from: 42_250, to: 42_251 } })).rejects.toMatchObject({ code: 'no_ports' });
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
    await wait(300);
    const before = measure();
    for (let round = 0; round < 50; round++) await cycle(round);
    const abandoned = await Promise.all(Array.from({ length: 100 }, () => open('abandoned')));
    await Promise.all(abandoned.map((session) => session.close()));
    expect(host.sessions.size).toBe(0);
    await wait(500);
    const after = measure();
    expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + 6);
    expect(after.threads).toBeLessThanOrEqual(before.threads + 4);
    expect(after.memory - before.memory).toBeLessThan(60e6);
  });

  it('logs no warning in all of these tests', () => {
    expect(warnings).toEqual([]);
  });
});
