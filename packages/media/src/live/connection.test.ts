import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PresenterPack } from '@figurehead/presenter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testSpeech } from '../../../../tests/support/test-speech.js';
import { loadPack } from '../presenter/index.js';
import type { LiveEvent, LiveHost, LiveSession } from './contract.js';
import { openLiveHost } from './host.js';
import { Receiver, type ReceiverOptions } from './testing/receiver.js';

const PACK = fileURLToPath(new URL('../../../../presenters/packs/helen', import.meta.url));

let host: LiveHost;
let pack: PresenterPack;
const warnings: string[] = [];
const receivers: Receiver[] = [];

beforeAll(async () => {
  pack = await loadPack(PACK);
  host = await openLiveHost({
    ports: { from: 11_400, to: 11_499 },
    onWarning: (doing, error) => warnings.push(`${doing}: ${String(error)}`),
  });
});
afterAll(async () => {
  for (const receiver of receivers) receiver.close();
  await host.close();
  expect(warnings).toEqual([]);
});

let count = 0;
function open(): Promise<LiveSession> {
  const picture = { width: 128, height: 128, fps: 25, background: '#dfe6ee' } as const;
  return host.open({ id: `connection-${count++}`, pack, picture, iceServers: [] });
}

async function until(holds: () => boolean, what: string): Promise<void> {
  await expect.poll(holds, { message: `expected ${what}`, interval: 5 }).toBe(true);
}

/** A peer that takes an offer of the session and has received its first picture. */
async function receive(session: LiveSession, offer: string, options: ReceiverOptions = {}) {
  const events: LiveEvent[] = [];
  const keyframes: boolean[] = [];
  const receiver = new Receiver(offer, {
    ...options,
    onEvent: (event) => events.push(event),
    onFrame: ({ payloads }) => keyframes.push([24, 7].includes((payloads[0]?.[0] ?? 0) & 31)),
  });
  receivers.push(receiver);
  await session.answer(await receiver.answer());
  await until(() => receiver.counts.frames > 0, 'a first picture');
  return { receiver, events, keyframes };
}

describe('another connection to a session', () => {
  it('goes on with the speech that plays, the queue and the events that the peer did not get', async () => {
    const session = await open();
    const all: LiveEvent[] = [];
    session.onEvent((event) => all.push(event));
    const first = await receive(session, session.offer);
    const speech = session.speak('long', testSpeech({ syllables: 12, chunkSyllables: 1 }));
    const queued = session.speak('queued', testSpeech({ syllables: 1 }));
    await until(() => first.events.length > 3, 'the first events');
    first.receiver.mute();
    // The peer's network is gone: what it got last is half of what was sent.
    const received = Math.floor(first.events.length / 2);

    const offer = session.reconnect(received);
    expect(offer).not.toBe(session.offer);
    const second = await receive(session, offer);
    expect(second.keyframes[0]).toBe(true);
    first.receiver.close();
    expect([await speech.ended, await queued.ended]).toEqual(['spoken', 'spoken']);
    expect(session.state).toBe('connected');
    await session.close();
    await until(() => second.events.at(-1)?.type === 'stream.closing', 'the last event');
    expect(second.events).toEqual(all.slice(received));
    expect(await session.closed).toBe('requested');
  });

  it('is still offered after an answer that cannot be used', async () => {
    const session = await open();
    const receiver = new Receiver(session.offer);
    receivers.push(receiver);
    const sdp = await receiver.answer();
    const wrong = sdp.replace('a=fingerprint:sha-256', 'a=fingerprint:sha-512');
    await expect(session.answer(wrong)).rejects.toThrow(
      'expected a fingerprint of one of SHA-1 and SHA-224 to SHA-512 in the answer, got "sha-512',
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(session.state).toBe('offered');
    await session.answer(sdp);
    await until(() => session.state === 'connected', 'a connection');
    await session.close();
  });

  it('replaces the offer of a session that is not connected, and waits for its own answer and candidates', async () => {
    const session = await open();
    const lost = new Receiver(session.offer);
    receivers.push(lost);
    const late = await lost.answer();
    const { events } = await receive(session, session.reconnect());
    await expect(session.answer(late)).rejects.toMatchObject({ code: 'bad_answer' });
    expect(await session.speak('one', testSpeech({ syllables: 1 })).ended).toBe('spoken');
    await until(() => events.some(({ type }) => type === 'speech.ended'), 'the events');
    await session.close();
  });

  it('can be offered twenty times at once during speech; the last one is answered, the earlier one plays until then', async () => {
    const session = await open();
    const first = await receive(session, session.offer);
    const speech = session.speak('long', testSpeech({ syllables: 12, chunkSyllables: 1 }));
    const offers = Array.from({ length: 20 }, () => session.reconnect());
    expect(new Set(offers).size).toBe(20);
    const { packets } = first.receiver.counts;
    await until(() => first.receiver.counts.packets > packets + 50, 'sound and pictures as before');
    const last = await receive(session, offers.at(-1)!);
    expect(await speech.ended).toBe('spoken');
    expect(last.receiver.counts.packets).toBeGreaterThan(50);
    await session.close();
  });

  it('keeps the codec of the pictures, and leaves the session as it was when it fails', async () => {
    const session = await open();
    const first = await receive(session, session.offer);
    const other = new Receiver(session.reconnect(), { codec: 'VP8' });
    receivers.push(other);
    await expect(session.answer(await other.answer())).rejects.toMatchObject({
      code: 'bad_answer',
      message: expect.stringContaining('expected H264'),
    });
    const { frames } = first.receiver.counts;
    await until(() => first.receiver.counts.frames > frames + 5, 'more pictures');
    first.receiver.close();
    // Without a peer the session waits for the one that was offered a connection, and it still can come.
    const { events } = await receive(session, session.reconnect());
    await session.close();
    await until(() => events.at(-1)?.type === 'stream.closing', 'the last event');
    expect(() => session.reconnect()).toThrowError(expect.objectContaining({ code: 'closed' }));
  });
});

describe('a process that has hosted and received streams', () => {
  it('ends by itself, without a garbage collection, once both are closed', async ({ signal }) => {
    const dist = new URL('../../dist/', import.meta.url);
    const script = `
      import { openLiveHost } from '${new URL('live/index.js', dist)}';
      import { Receiver } from '${new URL('live/testing/receiver.js', dist)}';
      import { loadPack } from '${new URL('presenter/index.js', dist)}';
      const host = await openLiveHost({ ports: { from: 11_500, to: 11_599 }, onWarning: console.error });
      const pack = await loadPack('${PACK}');
      const picture = { width: 128, height: 128, fps: 25, background: '#dfe6ee' };
      for (const closed of ['by the host', 'by the peer']) {
        const session = await host.open({ id: closed.replaceAll(' ', '-'), pack, picture, iceServers: [] });
        const receiver = new Receiver(session.offer);
        await session.answer(await receiver.answer());
        while (receiver.counts.frames === 0) await new Promise((resolve) => setTimeout(resolve, 10));
        if (closed === 'by the host') await session.close();
        receiver.close();
        await session.closed;
      }
      await host.close();`;
    // Without this option a garbage collection may come and hide what is left.
    const args = ['--no-memory-reducer', '--input-type=module', '--eval', script];
    await promisify(execFile)(process.execPath, args, { signal });
  });
});
