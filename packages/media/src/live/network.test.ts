import { fileURLToPath } from 'node:url';
import type { PresenterPack } from '@figurehead/presenter';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testSpeech } from '../../../../tests/support/test-speech.js';
import { loadPack } from '../presenter/index.js';
import type { LiveHost, LiveSession } from './contract.js';
import { openLiveHost } from './host.js';
import { PACKET_OVERHEAD } from './rtp/pacer.js';
import type { RtpPacket } from './rtp/packet.js';
import { Receiver, type ReceiverOptions } from './testing/receiver.js';
import { PAYLOADS } from './transport/sdp.js';

const PACK = fileURLToPath(new URL('../../../../presenters/packs/helen', import.meta.url));
const FRAME = 960;

let host: LiveHost;
let pack: PresenterPack;
const receivers: Receiver[] = [];

beforeAll(async () => {
  pack = await loadPack(PACK);
  host = await openLiveHost({ ports: { from: 11_700, to: 11_799 } });
});

afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.close();
});

afterAll(async () => {
  await host.close();
});

let count = 0;

/** A speaking session whose viewer is behind a network. */
async function speakTo(options: ReceiverOptions): Promise<{ session: LiveSession; receiver: Receiver }> {
  const picture = { width: 512, height: 512, fps: 25, background: '#dfe6ee' } as const;
  const session = await host.open({ id: `network-${count++}`, pack, picture, iceServers: [] });
  const receiver = new Receiver(session.offer, options);
  receivers.push(receiver);
  await session.answer(await receiver.answer());
  session.speak('long', testSpeech({ syllables: 300, chunkSyllables: 1 }));
  return { session, receiver };
}

/** Times of the packets of sound in a packet: of RFC 2198, or one of Opus. */
function timesIn({ payload, payloadType, timestamp }: RtpPacket): number[] {
  const times = [timestamp];
  if (payloadType !== PAYLOADS.red) return times;
  for (let at = 0; payload[at]! & 0x80; at += 4) {
    expect(payload[at]! & 0x7f).toBe(PAYLOADS.opus);
    times.push((timestamp - ((payload[at + 1]! << 6) | (payload[at + 2]! >> 2))) >>> 0);
  }
  return times;
}

async function until(holds: () => boolean, what: string): Promise<void> {
  await expect.poll(holds, { message: `expected ${what}`, interval: 20 }).toBe(true);
}

describe('sound over a network that loses packets', () => {
  it('is whole from the first packet of speech on when no two packets in a row are lost', async () => {
    const heard = new Set<number>();
    let sent = 0;
    const { session } = await speakTo({
      red: true,
      loses: (_, { ssrc, payload }) => ssrc === soundSsrc && payload.length > 1 && ++sent % 4 === 2,
      onSound: (packet) => {
        if (packet.payload.length > 1) for (const time of timesIn(packet)) heard.add(time);
      },
    });
    const soundSsrc = Number(/m=audio[\s\S]*?a=ssrc:(\d+)/.exec(session.offer)?.[1]);
    await until(() => heard.size > 150, 'three seconds of sound');
    const times = [...heard].sort((a, b) => (a - b) | 0);
    expect(sent).toBeGreaterThan(150);
    expect(new Set(times.slice(1).map((time, n) => (time - times[n]!) >>> 0))).toEqual(new Set([FRAME]));
    await session.close();
  });

  it('is plain Opus for a viewer that does not read redundant sound', async () => {
    const types = new Set<number>();
    const { session, receiver } = await speakTo({ onSound: ({ payloadType }) => types.add(payloadType) });
    await until(() => receiver.counts.packets > 100, 'sound and pictures');
    expect(types).toEqual(new Set([PAYLOADS.opus]));
    await session.close();
  });
});

describe('a narrow network', () => {
  it('gets sound, and smaller pictures in its bandwidth, also when all is lost beyond it; a wide one the full picture again', async () => {
    const link = { bitsPerSecond: 120_000, freeMs: 0, queueMs: 0 };
    const sounds: number[] = [];
    let [sent, lost] = [0, 0];
    const { session, receiver } = await speakTo({
      red: true,
      loses: (_, { payload }, nowMs) => {
        const bits = 8 * (payload.length + PACKET_OVERHEAD);
        sent += bits;
        const isFull = link.freeMs - nowMs > 300;
        if (!isFull) link.freeMs = Math.max(nowMs, link.freeMs) + (1000 * bits) / link.bitsPerSecond;
        link.queueMs = Math.max(0, link.freeMs - nowMs);
        if (isFull) lost++;
        return isFull;
      },
      delays: () => link.queueMs,
      onSound: ({ timestamp }) => sounds.push(timestamp),
    });
    await until(() => session.stats().width === 256, 'a smaller picture');
    // Over some seconds, in which keyframes and retransmissions come and go.
    await until(() => sounds.length > 200, 'sound');
    const before = { sent, lost, frames: receiver.counts.frames, sounds: sounds.length };
    await until(() => sounds.length > before.sounds + 250, 'five seconds of sound');
    const first = sounds[before.sounds]!;
    const seconds = ((sounds.at(-1)! - first) >>> 0) / 48_000;
    expect((sent - before.sent) / seconds).toBeLessThan(1.3 * link.bitsPerSecond);
    expect(receiver.counts.frames).toBeGreaterThan(before.frames + 3 * seconds);
    link.bitsPerSecond = 5_000_000;
    await until(() => session.stats().width === 512, 'the full picture');
    await session.close();
  });
});
