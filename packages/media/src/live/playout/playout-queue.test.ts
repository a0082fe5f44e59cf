import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { testSpeech } from '../../../../../tests/support/test-speech.js';
import { SpeechError } from '../../speech/contract.js';
import type { LiveEvent, Speak } from '../contract.js';
import { AUDIO_FRAME } from './media-clock.js';
import { type PlacedChunk, PlayoutQueue, type UtteranceTiming } from './playout-queue.js';

/** A queue and its recorded events. */
function open(start = true) {
  const events: LiveEvent[] = [];
  const placed: PlacedChunk[] = [];
  const cuts: number[] = [];
  const failures: unknown[] = [];
  const timings: UtteranceTiming[] = [];
  const playout = new PlayoutQueue(
    {
      onPlaced: (chunk) => placed.push(chunk),
      onCut: (sample) => cuts.push(sample),
      onEvent: (event) => events.push(event),
      onFailure: (_, error) => failures.push(error),
      onBegun: (timing) => timings.push(timing),
    },
    { now: () => performance.now() },
  );
  if (start) playout.start(0);
  const out = new Float32Array(AUDIO_FRAME);
  /** Pulls frames, letting synthesis go on between them; returns their samples. */
  const pull = async (frames: number): Promise<Float32Array> => {
    const all = new Float32Array(frames * AUDIO_FRAME);
    for (let n = 0; n < frames; n++) {
      playout.pull(out);
      all.set(out, n * AUDIO_FRAME);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return all;
  };
  return { playout, events, placed, cuts, failures, timings, pull };
}

const types = (events: readonly LiveEvent[], type: string): string[] =>
  events.filter((event) => event.type === type).map((event) => event.id);

// Time passes only when a test lets it: how far synthesis is does not depend on the machine.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets so much time pass, milliseconds. */
const settle = async (ms = 30): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms);
};

describe('the playout queue', () => {
  it('speaks utterances in turn, without mixing them, with a breath between', async () => {
    const { playout, events, pull, placed } = open();
    const first = playout.speak('a', testSpeech({ syllables: 1 }));
    const second = playout.speak('b', testSpeech({ syllables: 1 }));
    expect([first.position, second.position]).toEqual([0, 1]);
    await settle();
    await pull(120);
    expect(await first.ended).toBe('spoken');
    expect(await second.ended).toBe('spoken');
    expect(
      events
        .filter(({ type }) => type === 'speech.started' || type === 'speech.ended')
        .map(({ type, id }) => `${type} ${id}`),
    ).toEqual(['speech.started a', 'speech.ended a', 'speech.started b', 'speech.ended b']);
    const gap = placed[1]!.start - placed[0]!.start - placed[0]!.chunk.samples.length;
    expect(gap / SAMPLE_RATE).toBeGreaterThan(0.1);
    expect(playout.queued).toBe(0);
  });

  it('emits words and starts together with their sound', async () => {
    const { playout, events, pull } = open();
    playout.speak('a', testSpeech({ syllables: 3 }));
    await settle();
    const sound = await pull(140);
    const onset = sound.findIndex((value) => Math.abs(value) > 0.001) / 48;
    const words = events.filter((event) => event.type === 'speech.word');
    expect(words.map(({ start }) => start - words[0]!.start)).toEqual([0, 800, 1600]);
    expect(Math.abs(words[0]!.start - onset)).toBeLessThan(3);
  });

  it('tells the mouth shapes with the sound they belong to, and the position after every second and at the end', async () => {
    const { playout, events, pull } = open();
    const handle = playout.speak('a', testSpeech({ syllables: 3, chunkSyllables: 1 }));
    for (let round = 0; round < 100 && playout.queued > 0; round++) {
      await pull(10);
      await settle(5);
    }
    expect(await handle.ended).toBe('spoken');
    const started = events.find(({ type }) => type === 'speech.started')?.at ?? 0;
    const visemes = events.filter((event) => event.type === 'speech.viseme');
    expect(visemes.map(({ viseme }) => viseme)).toEqual(['aa', 'PP', 'aa', 'PP', 'aa', 'PP']);
    expect(visemes[0]).toMatchObject({ id: 'a', at: started, start: started, end: started + 400 });
    const positions = events.filter((event) => event.type === 'speech.position');
    // A packet may go beyond a second.
    expect(positions.map(({ position }) => Math.floor(position / 1000))).toEqual([1, 2]);
    expect(events.find((event) => event.type === 'speech.ended')).toMatchObject({ position: 2400 });
  });

  it('joins sentences without a gap when they arrive in time, and continues after a late one', async () => {
    const { playout, placed, pull } = open();
    playout.speak('a', testSpeech({ syllables: 2, chunkSyllables: 1 }));
    await settle();
    await pull(5);
    expect(placed[1]!.start).toBe(placed[0]!.start + placed[0]!.chunk.samples.length);
    const late = open();
    late.playout.speak('b', testSpeech({ syllables: 2, chunkSyllables: 1, delayMs: 60 }));
    await settle(80);
    await late.pull(60);
    await settle(80);
    await late.pull(60);
    expect(late.placed).toHaveLength(2);
  });

  it('is silent within 10 ms of an interruption, without a click', async () => {
    const { playout, pull, cuts } = open();
    const handle = playout.speak('a', testSpeech({ syllables: 2 }));
    await settle();
    await pull(9);
    const before = (await pull(1)).at(-1)!;
    expect(playout.interrupt('all')).toEqual({ interrupted: true, dropped: 0 });
    const after = await pull(3);
    expect(await handle.ended).toBe('interrupted');
    expect(cuts).toEqual([10 * AUDIO_FRAME]);
    expect(after.subarray(480).every((value) => value === 0)).toBe(true);
    const steps = [before, ...after].map((value, index, all) => Math.abs(value - (all[index - 1] ?? value)));
    // The test tone itself changes by at most 0.05 per sample.
    expect(Math.max(...steps)).toBeLessThan(0.06);
  });

  it('interrupts while synthesis is still running, and stops it', async () => {
    const { playout, events } = open();
    let aborted = false;
    const handle = playout.speak('a', testSpeech({ syllables: 5, delayMs: 10_000, onAbort: () => (aborted = true) }));
    await settle(10);
    expect(playout.interrupt('all')).toEqual({ interrupted: true, dropped: 0 });
    expect(aborted).toBe(true);
    expect(await handle.started).toBeUndefined();
    expect(types(events, 'speech.interrupted')).toEqual(['a']);
  });

  it('drops the whole queue, or keeps it when only the current utterance is interrupted', async () => {
    const all = open();
    for (const id of ['a', 'b', 'c']) all.playout.speak(id, testSpeech({ syllables: 1 }));
    await settle();
    await all.pull(5);
    expect(all.playout.interrupt('all')).toEqual({ interrupted: true, dropped: 2 });
    const current = open();
    for (const id of ['a', 'b', 'c']) current.playout.speak(id, testSpeech({ syllables: 1 }));
    await settle();
    await current.pull(5);
    expect(current.playout.interrupt('current')).toEqual({ interrupted: true, dropped: 0 });
    await settle();
    await current.pull(120);
    expect(types(current.events, 'speech.ended')).toEqual(['b', 'c']);
  });

  it('pauses speech at once and continues it where it stopped, without losing or repeating a word', async () => {
    const plain = open();
    plain.playout.speak('a', testSpeech({ syllables: 4, chunkSyllables: 2 }));
    await settle();
    const whole = await plain.pull(200);
    const { playout, events, pull, cuts } = open();
    const handle = playout.speak('a', testSpeech({ syllables: 4, chunkSyllables: 2 }));
    await settle();
    const before = await pull(50);
    playout.hold();
    const held = await pull(7);
    playout.release();
    const after = await pull(160);
    expect(await handle.ended).toBe('spoken');
    expect(cuts).toEqual([50 * AUDIO_FRAME]);
    expect(before.every((value, at) => value === whole[at])).toBe(true);
    // It fades out within 8 ms and is silent until it continues.
    expect(held.subarray(384).every((value) => value === 0)).toBe(true);
    const rest = after.subarray(384, 90_000);
    expect(rest.every((value, at) => value === whole[before.length + 384 + at])).toBe(true);
    expect(types(events, 'speech.word')).toHaveLength(4);
    // The mouth takes the shape of the interrupted vowel again.
    const visemes = events.filter((event) => event.type === 'speech.viseme').map(({ viseme }) => viseme);
    expect(visemes).toEqual(['aa', 'PP', 'aa', 'aa', 'PP', 'aa', 'PP', 'aa', 'PP']);
    const positions = (of: readonly LiveEvent[]) => of.filter((event) => event.type === 'speech.ended');
    expect(positions(events)).toMatchObject(positions(plain.events).map(({ position }) => ({ position })));
  });

  it('moves the mouth before the sound of the utterance that plays next, and of no other', async () => {
    const { playout, placed, events, pull } = open();
    const preparing = (id: string): Speak =>
      async function* (signal) {
        const phonemes = [{ phone: 'a', stress: 0 as const, start: 0, end: 4800 }];
        yield { start: 0, samples: new Float32Array(0), marks: { phonemes, words: [] } };
        if (id === 'a') await new Promise((resolve) => setTimeout(resolve, 100));
        yield* testSpeech({ syllables: 1 })(signal);
      };
    await pull(10);
    for (const id of ['a', 'b']) playout.speak(id, preparing(id));
    await settle(50);
    expect(placed.map(({ start, chunk }) => [start, chunk.samples.length])).toEqual([[10 * AUDIO_FRAME, 0]]);
    expect(playout.isSpeaking).toBe(true);
    await pull(5);
    expect(playout.isSpeaking).toBe(false);
    expect(types(events, 'speech.started')).toEqual([]);
    await settle(100);
    await pull(120);
    expect(types(events, 'speech.ended')).toEqual(['a', 'b']);
    expect(placed.map(({ chunk }) => chunk.samples.length > 0)).toEqual([false, true, true]);
  });

  it('says nothing more of speech that is interrupted while it is held, and nothing new until it is released', async () => {
    const { playout, events, pull } = open();
    const first = playout.speak('a', testSpeech({ syllables: 3 }));
    await settle();
    await pull(20);
    playout.hold();
    playout.hold();
    await pull(3);
    playout.interrupt('all');
    expect(await first.ended).toBe('interrupted');
    playout.speak('b', testSpeech({ syllables: 1 }));
    await settle();
    expect((await pull(10)).every((value) => value === 0)).toBe(true);
    playout.release();
    await pull(60);
    expect(types(events, 'speech.ended')).toEqual(['b']);
  });

  it('holds speech until the connection is up', async () => {
    const { playout, pull, events } = open(false);
    playout.speak('a', testSpeech({ syllables: 1 }));
    expect(playout.interrupt('current')).toEqual({ interrupted: false, dropped: 0 });
    await settle();
    expect(events.filter(({ type }) => type === 'speech.started')).toEqual([]);
    playout.start(4800);
    const sound = await pull(20);
    const onset = sound.findIndex((value) => Math.abs(value) > 0.001);
    expect(onset).toBeGreaterThanOrEqual(4800);
    expect(onset).toBeLessThan(9600);
  });

  it('fetches no more than a few seconds ahead of a long text', async () => {
    const { playout, placed } = open();
    playout.speak('a', testSpeech({ syllables: 600, chunkSyllables: 2, delayMs: 0 }));
    await settle(200);
    const seconds = placed.reduce((sum, { chunk }) => sum + chunk.samples.length, 0) / SAMPLE_RATE;
    expect(seconds).toBeGreaterThan(4);
    expect(seconds).toBeLessThan(10);
    playout.close();
  });

  it('plays the finished part of an utterance that fails, and continues with the next', async () => {
    const { playout, pull, failures, events } = open();
    const failing: Speak = async function* (signal) {
      yield* testSpeech({ syllables: 1 })(signal);
      throw new Error('the engine has died');
    };
    const first = playout.speak('a', failing);
    const second = playout.speak('b', testSpeech({ syllables: 1 }));
    await settle();
    await pull(120);
    expect(await first.ended).toBe('failed');
    expect(await second.ended).toBe('spoken');
    expect(failures).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'speech.interrupted')).toEqual([
      expect.objectContaining({ id: 'a', reason: 'failed', error: 'The text could not be spoken.' }),
    ]);
  });

  it('sends the engine’s error message to the peer, also when it fails before any sound', async () => {
    const { playout, pull, events } = open();
    const refused = playout.speak('a', () => {
      throw new SpeechError('rate_limited', 'The provider takes no more texts now.');
    });
    await settle();
    await pull(2);
    expect(await refused.ended).toBe('failed');
    expect(await refused.started).toBeUndefined();
    expect(events.find(({ type }) => type === 'speech.interrupted')).toMatchObject({
      reason: 'failed',
      error: 'The provider takes no more texts now.',
    });
  });

  it('measures synthesis and queueing time separately', async () => {
    const { playout, pull, timings } = open();
    playout.speak('a', testSpeech({ syllables: 1, delayMs: 60 }));
    playout.speak('b', testSpeech({ syllables: 1, delayMs: 5 }));
    await settle(120);
    await pull(60);
    await settle(20);
    await pull(60);
    expect(timings).toHaveLength(2);
    const [first, second] = timings;
    expect(first!.queueMs).toBeLessThan(20);
    expect(first!.synthesisMs).toBeGreaterThan(50);
    expect(first!.firstSoundMs).toBeGreaterThanOrEqual(first!.synthesisMs);
    expect(second!.queueMs).toBeGreaterThan(50);
    expect(second!.synthesisMs).toBeLessThan(second!.firstSoundMs);
  });

  it('survives a storm of interruptions', async () => {
    const { playout, pull } = open();
    const handles = [];
    for (let round = 0; round < 50; round++) {
      handles.push(playout.speak(`u${round}`, testSpeech({ syllables: 3, delayMs: 1 })));
      await settle(round % 4);
      await pull(2);
      playout.interrupt(round % 2 === 0 ? 'all' : 'current');
    }
    expect(await Promise.all(handles.map((handle) => handle.ended))).toEqual(handles.map(() => 'interrupted'));
    expect((await pull(3)).subarray(AUDIO_FRAME).every((value) => value === 0)).toBe(true);
  });

  it('settles every promise when it closes', async () => {
    const { playout } = open();
    const waiting = playout.speak('a', testSpeech({ syllables: 3, delayMs: 5000 }));
    playout.close();
    const late = playout.speak('b', testSpeech({ syllables: 1 }));
    expect(await Promise.all([waiting.started, waiting.ended, late.started, late.ended])).toEqual([
      undefined,
      'interrupted',
      undefined,
      'interrupted',
    ]);
  });
});
