import { fileURLToPath } from 'node:url';
import type { FaceMessage } from '@figurehead/contract';
import type { PresenterPack } from '@figurehead/presenter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testSpeech } from '../../../../tests/support/test-speech.js';
import { loadPack } from '../presenter/index.js';
import type { LiveEvent, LiveHost, LiveSession, LiveSessionOptions } from './contract.js';
import { openLiveHost } from './host.js';
import { Receiver } from './testing/receiver.js';

const PACK = fileURLToPath(new URL('../../../../presenters/packs/helen', import.meta.url));

let host: LiveHost;
let pack: PresenterPack;
const warnings: string[] = [];
const receivers: Receiver[] = [];

beforeAll(async () => {
  pack = await loadPack(PACK);
  host = await openLiveHost({
    ports: { from: 11_600, to: 11_699 },
    onWarning: (doing, error) => warnings.push(`${doing}: ${String(error)}`),
  });
});
afterAll(async () => {
  for (const receiver of receivers) receiver.close();
  await host.close();
  expect(warnings).toEqual([]);
});

let count = 0;
function open(drawing: LiveSessionOptions['drawing'] & string): Promise<LiveSession> {
  const picture = { width: 128, height: 128, fps: 25, background: '#dfe6ee' } as const;
  return host.open({ id: `drawn-${count++}`, pack, picture, iceServers: [], drawing });
}

/** A peer that takes an offer of the session, and all messages of its data channel. */
async function receive(session: LiveSession, offer: string) {
  const messages: (LiveEvent | FaceMessage)[] = [];
  const packets: number[] = [];
  const receiver = new Receiver(offer, {
    onEvent: (event) => messages.push(event),
    onSound: ({ timestamp }) => packets.push(timestamp),
  });
  receivers.push(receiver);
  await session.answer(await receiver.answer());
  const types = () => messages.map(({ type }) => type);
  const find = <T extends FaceMessage['type']>(type: T) =>
    messages.findLast((message): message is Extract<FaceMessage, { type: T }> => message.type === type);
  return { receiver, packets, types, find };
}

describe('a session whose viewer draws the presenter', () => {
  // Proves: D.drawing
  it('offers no video, and sends the movements of speech before its sound, with the times of that sound', async () => {
    const session = await open('viewer');
    expect(session.offer).not.toContain('m=video');
    const fed: string[] = [];
    session.onEvent(({ type }) => fed.push(type));
    const { types, find, packets } = await receive(session, session.offer);
    const spoken = session.speak('spoken', testSpeech({ syllables: 4, chunkSyllables: 2 }));
    await spoken.started;
    await expect.poll(types).toContain('speech.started');
    expect(types()).toContain('face.begin');
    expect(types().indexOf('face.stretch')).toBeLessThan(types().indexOf('speech.started'));
    const { timestamp } = find('face.begin')!;
    const { start, samples, phonemes } = find('face.stretch')!;
    expect(start).toBeGreaterThanOrEqual(0);
    expect(phonemes.length).toBeGreaterThan(2);
    // The sound of the stretch arrives under its own times, and no earlier speech does.
    const isPart = (packet: number) =>
      ((packet - timestamp) | 0) >= start && ((packet - timestamp) | 0) < start + samples;
    await expect.poll(() => packets.some(isPart)).toBe(true);
    session.speak('cut', testSpeech({ syllables: 20, chunkSyllables: 2 }));
    await spoken.ended;
    await expect.poll(() => session.stats().speaking).toBe(true);
    session.setAttention('listening');
    session.interrupt('all');
    await expect.poll(types).toContain('face.cut');
    expect(find('face.state')).toMatchObject({ state: 'listening' });
    expect(session.stats()).toMatchObject({
      codec: null,
      videoBitrate: 0,
      framesPerSecond: 0,
      width: 128,
      height: 128,
    });
    expect(fed.filter((type) => type.startsWith('face.'))).toEqual([]);
    await session.close();
  });

  it('sends what a viewer missed with another connection, and the time of its sound', async () => {
    const session = await open('viewer');
    const first = await receive(session, session.offer);
    const speech = session.speak('long', testSpeech({ syllables: 12, chunkSyllables: 1 }));
    await expect.poll(first.types).toContain('face.stretch');
    first.receiver.mute();
    const received = first.types().indexOf('face.stretch');
    const second = await receive(session, session.reconnect(received));
    await speech.ended;
    await expect.poll(second.types).toContain('speech.ended');
    expect(second.types()[0]).toBe('face.stretch');
    expect(second.find('face.begin')?.timestamp).not.toBe(first.find('face.begin')?.timestamp);
    await session.close();
  });

  // Proves: D.drawing
  it('sends video from the next connection on to one that is too slow, and no more movements', async () => {
    const session = await open('viewer');
    const first = await receive(session, session.offer);
    await expect.poll(first.types).toContain('face.begin');
    const second = await receive(session, session.reconnect(first.types().length, 'server'));
    await expect.poll(() => second.receiver.counts.frames).toBeGreaterThan(3);
    await session.speak('spoken', testSpeech({ syllables: 3 })).ended;
    await expect.poll(second.types).toContain('speech.ended');
    expect(second.types().filter((type) => type.startsWith('face.'))).toEqual([]);
    expect(session.stats().codec).toBe('H264');
    await session.close();
  });

  it('sends video where the viewer takes it, if it may choose', async () => {
    const session = await open('auto');
    const { receiver, types } = await receive(session, session.offer);
    await expect.poll(() => receiver.counts.frames).toBeGreaterThan(3);
    await session.speak('spoken', testSpeech({ syllables: 2 })).ended;
    expect(types().filter((type) => type.startsWith('face.'))).toEqual([]);
    await session.close();
  });
});
