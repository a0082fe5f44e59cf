import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pcm } from '../audio.js';
import { ArrivingSound } from './arriving-sound.js';
import { createSpeech, type Speech } from './catalogue.js';
import type { SpeechChunk } from './contract.js';
import { resampled } from './resample.js';

let speech: Speech;
let spoken: Pcm;
beforeAll(async () => {
  speech = createSpeech({ threads: 1 });
  ({ samples: spoken } = await speech.utter('flite', 'My mother may bake a big apple pie.', { voice: 'slt' }));
});
afterAll(() => speech.close());

/** In the format of a sender. */
function pcmAt(rate: number, samples: Pcm = spoken): Buffer {
  const out = resampled(samples, 48_000, rate);
  const bytes = Buffer.alloc(2 * out.length);
  for (const [at, sample] of out.entries()) {
    bytes.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))), 2 * at);
  }
  return bytes;
}

/** Chunks of samples. */
async function chunksOf(sound: ArrivingSound): Promise<SpeechChunk[]> {
  const chunks: SpeechChunk[] = [];
  for await (const chunk of sound.chunks(new AbortController().signal))
    if (chunk.samples.length > 0) chunks.push(chunk);
  return chunks;
}

function mouths(chunks: readonly SpeechChunk[]): string[] {
  const phones = chunks.flatMap(({ marks }) => marks.phonemes.map(({ phone }) => phone));
  return phones.filter((phone, at) => phone !== phones[at - 1]);
}

/** Chunks are contiguous, and marks cover them. */
function expectWhole(chunks: readonly SpeechChunk[]): void {
  let end = 0;
  for (const chunk of chunks) {
    expect(chunk.start).toBe(end);
    for (const mark of chunk.marks.phonemes) {
      expect(mark.start).toBe(end);
      ({ end } = mark);
    }
    expect(end).toBe(chunk.start + chunk.samples.length);
  }
}

describe('sound that arrives in pieces', () => {
  it('lets other work of the process run between its steps, however much comes at once', async () => {
    const sound = new ArrivingSound(24_000);
    for (let n = 0; n < 4; n++) sound.append(pcmAt(24_000));
    sound.end();
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const chunks = await chunksOf(sound);
    clearImmediate(timer);
    expect(chunks.length).toBeGreaterThan(10);
    expect(turns).toBeGreaterThan(10);
  });

  it.each([16_000, 24_000, 48_000])('keeps its length and level at %i Hz, with marks over all of it', async (rate) => {
    const sound = new ArrivingSound(rate);
    const pcm = pcmAt(rate);
    for (let at = 0; at < pcm.length; at += 1000) sound.append(pcm.subarray(at, at + 1000));
    sound.end();
    const chunks = await chunksOf(sound);
    const samples = chunks.reduce((sum, chunk) => sum + chunk.samples.length, 0);
    expect(Math.abs(samples - spoken.length)).toBeLessThan(100);
    const energy = (all: readonly number[]) => all.reduce((sum, sample) => sum + sample * sample, 0);
    const got = energy(chunks.flatMap((chunk) => [...chunk.samples]));
    expect(got / energy([...spoken])).toBeGreaterThan(0.8);
    expectWhole(chunks);
    expect(mouths(chunks).filter((phone) => phone !== '').length).toBeGreaterThan(10);
  });

  it('opens the mouth with the first packet, returns its beginning 100 ms after it arrived, and waits for more without a time limit', async () => {
    const sound = new ArrivingSound(24_000);
    const pcm = pcmAt(24_000, spoken.subarray(spoken.findIndex((sample) => Math.abs(sample) > 0.05)));
    const chunks = sound.chunks(new AbortController().signal);
    // With the first packet the mouth begins to open.
    sound.append(pcm.subarray(0, 960));
    const { samples, marks } = (await chunks.next()).value as SpeechChunk;
    expect([samples.length, marks.phonemes.map(({ phone }) => phone)]).toEqual([0, ['ə']]);
    const first = chunks.next();
    // Packets of 20 ms.
    let sent = 960;
    const isFirst = Symbol('first');
    for (let given: unknown; given !== isFirst; sent += 960) {
      sound.append(pcm.subarray(sent, sent + 960));
      given = await Promise.race([first.then(() => isFirst), new Promise((resolve) => setImmediate(resolve))]);
      expect(sent).toBeLessThan(960 * 8);
    }
    expect(((await first).value as SpeechChunk).samples.length).toBeGreaterThanOrEqual(960);
    sound.end();
    let rest = await chunks.next();
    while (!rest.done) rest = await chunks.next();
  });

  it('does not depend on the size of its pieces', async () => {
    const pcm = pcmAt(16_000);
    const all: string[][] = [];
    for (const length of [2, 640, pcm.length]) {
      const sound = new ArrivingSound(16_000);
      for (let at = 0; at < pcm.length; at += length) sound.append(pcm.subarray(at, at + length));
      sound.end();
      all.push(mouths(await chunksOf(sound)));
    }
    expect(all[1]).toEqual(all[0]);
    expect(all[2]).toEqual(all[0]);
  });

  it.each([
    ['faster', 24_000, 48_000],
    ['slower', 48_000, 16_000],
  ])('is %s speech with marks for all of it when its sender reports a wrong rate', async (_, isAt, named) => {
    const sound = new ArrivingSound(named);
    sound.append(pcmAt(isAt));
    sound.end();
    const chunks = await chunksOf(sound);
    const samples = chunks.reduce((sum, chunk) => sum + chunk.samples.length, 0);
    expect(samples / spoken.length).toBeCloseTo(isAt / named, 1);
    expectWhole(chunks);
  });

  it('plays all of a word in which its sender stalls, and continues with the same mouth shapes', async () => {
    const pcm = pcmAt(16_000);
    // In the vowel of "bake".
    const half = 2 * Math.round(0.45 * (pcm.length / 2));
    const sound = new ArrivingSound(16_000);
    const chunks: SpeechChunk[] = [];
    const all = (async () => {
      for await (const chunk of sound.chunks(new AbortController().signal))
        if (chunk.samples.length > 0) chunks.push(chunk);
    })();
    const given = () => chunks.reduce((sum, chunk) => sum + chunk.samples.length, 0);
    sound.append(pcm.subarray(0, half));
    while (given() < 3 * (half / 2) - 4800) await new Promise((resolve) => setImmediate(resolve));
    expect(sound.waitingSeconds).toBe(0);
    sound.append(pcm.subarray(half));
    sound.end();
    await all;
    expectWhole(chunks);
    const whole = new ArrivingSound(16_000);
    whole.append(pcm);
    whole.end();
    expect(mouths(chunks)).toEqual(mouths(await chunksOf(whole)));
  });

  it('counts the waiting sound, and drops it when it will not be played', async () => {
    const sound = new ArrivingSound(16_000);
    sound.append(Buffer.alloc(32_000));
    sound.append(Buffer.alloc(16_000));
    expect(sound.waitingSeconds).toBe(1.5);
    sound.discard();
    expect(sound.waitingSeconds).toBe(0);
    sound.append(Buffer.alloc(2));
    expect(await chunksOf(sound)).toEqual([]);
  });

  it('stops immediately when its reader aborts', async () => {
    const stop = new AbortController();
    const next = new ArrivingSound(48_000).chunks(stop.signal).next();
    stop.abort(new Error('no more'));
    await expect(next).rejects.toThrow('no more');
  });
});
