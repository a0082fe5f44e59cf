import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PresenterPack } from '@figurehead/presenter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testSpeech } from '../../../../tests/support/test-speech.js';
import { decodeAudio, decodeFrames, probe } from '../encode/index.js';
import { loadPack } from '../presenter/index.js';
import type { LiveHost, LiveSession } from './contract.js';
import { openLiveHost } from './host.js';
import { Receiver } from './testing/receiver.js';

const PACK = fileURLToPath(new URL('../../../../presenters/packs/helen', import.meta.url));

describe('the recording of a session', () => {
  let host: LiveHost;
  let pack: PresenterPack;
  let folder: string;
  beforeAll(async () => {
    pack = await loadPack(PACK);
    host = await openLiveHost({ ports: { from: 11_300, to: 11_399 } });
    folder = await mkdtemp(join(tmpdir(), 'fh-recording-'));
  });
  afterAll(async () => {
    await host.close();
    await rm(folder, { recursive: true });
  });

  let count = 0;
  async function open(codec: 'H264' | 'VP8', into: string): Promise<{ session: LiveSession; receiver: Receiver }> {
    const session = await host.open({
      id: `recorded-${count++}`,
      pack,
      picture: { width: 128, height: 128, fps: 25, background: '#dfe6ee' },
      iceServers: [],
      record: { folder: into },
    });
    const receiver = new Receiver(session.offer, { codec });
    await session.answer(await receiver.answer());
    return { session, receiver };
  }
  async function speakAndClose({ session, receiver }: { session: LiveSession; receiver: Receiver }) {
    expect(await session.speak('one', testSpeech({ syllables: 4 })).ended).toBe('spoken');
    await session.close();
    receiver.close();
    return session.recorded;
  }

  it.each(['H264', 'VP8'] as const)(
    'with %s contains the frames, the sound and the words that were sent',
    async (codec) => {
      const into = await mkdtemp(join(folder, 'one-'));
      const recording = await speakAndClose(await open(codec, into));
      expect(recording).toMatchObject({
        contentType: codec === 'H264' ? 'video/mp4' : 'video/webm',
        width: 128,
        height: 128,
      });
      const { path, seconds, cues } = recording!;
      expect(seconds).toBeGreaterThan(0.8);
      expect(cues.length).toBeGreaterThan(0);
      expect(cues.every(({ start, end }) => start >= 0 && end <= seconds + 0.05)).toBe(true);
      // An MP4 takes a manifest instead.
      expect((await readFile(path)).includes('DIGITAL_SOURCE_TYPE')).toBe(codec === 'VP8');
      const info = await probe(path);
      expect(info.durationSeconds).toBeCloseTo(seconds, 0);
      expect(info.audio).toMatchObject({ codec: 'opus', sampleRate: 48_000 });
      let frames = 0;
      for await (const frame of decodeFrames(path)) {
        expect(frame.width).toBe(128);
        frames++;
      }
      expect(frames).toBeGreaterThan(10);
      const sound = await decodeAudio(path, { maxSeconds: 60 });
      const peak = sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      expect(peak).toBeGreaterThan(0.2);
      expect(sound.length / 48_000).toBeCloseTo(seconds, 0);
    },
  );

  it('continues through an idle loop, whose frames come from another encoder', async () => {
    const into = await mkdtemp(join(folder, 'loop-'));
    const pair = await open('H264', into);
    const shownBefore = pair.receiver.counts.frames;
    // An idle picture costs no drawing.
    const idles = () => pair.session.stats().drawMs === 0 && pair.session.stats().framesPerSecond > 0;
    await expect.poll(idles).toBe(true);
    expect(pair.receiver.counts.frames).toBeGreaterThan(shownBefore);
    const recording = await speakAndClose(pair);
    let frames = 0;
    for await (const _frame of decodeFrames(recording!.path)) frames++;
    expect(frames).toBeGreaterThan(recording!.seconds * 5);
  });

  it('is written for six sessions at once, and not for a session that never sent anything', async () => {
    const folders = await Promise.all(Array.from({ length: 6 }, () => mkdtemp(join(folder, 'many-'))));
    const pairs = await Promise.all(folders.map((into, n) => open(n % 2 === 0 ? 'H264' : 'VP8', into)));
    const recordings = await Promise.all(pairs.map(speakAndClose));
    for (const recording of recordings) expect((await probe(recording!.path)).video).toBeDefined();
    const empty = await mkdtemp(join(folder, 'empty-'));
    const { session, receiver } = await open('H264', empty);
    await session.close();
    receiver.close();
    expect(await session.recorded).toBeUndefined();
    expect(await readdir(empty)).toEqual([]);
  });

  it('reports why it cannot be written, and the session continues', async () => {
    const pair = await open('H264', join(folder, 'not there'));
    expect(await pair.session.speak('one', testSpeech({ syllables: 2 })).ended).toBe('spoken');
    await pair.session.close();
    pair.receiver.close();
    await expect(pair.session.recorded).rejects.toThrow('opening a recording');
  });
});
