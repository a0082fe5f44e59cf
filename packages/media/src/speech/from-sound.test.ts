import { addMark, SoundMarker } from '@figurehead/presenter/sound';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concatPcm, type Pcm, silence } from '../audio.js';
import type { PhonemeMark, SpokenText } from './contract.js';
import { marksFromSound, readClassifier } from './from-sound.js';
import { createSpeech, type Speech } from './index.js';
import { resampled } from './resample.js';

/** Maximum look-ahead of a marker. */
const LOOK_AHEAD = 0.08 * SAMPLE_RATE;
const TEXT =
  'Il mio amico Paolo compra pane per la sua famiglia. Mi piacerebbe un buon esempio per cominciare il lavoro oggi, prima di pranzo.';

/** Reproducible random numbers from −1 to 1. */
function noise(seconds: number, level: number): Pcm {
  let state = 1;
  return Float32Array.from({ length: seconds * SAMPLE_RATE }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (level * state) / 2 ** 31;
  });
}

/** Brown noise with a hum. */
function fan(seconds: number): Pcm {
  let value = 0;
  return noise(seconds, 1).map((sample, at) => {
    value = 0.99 * value + sample;
    return 0.01 * value + 0.03 * Math.sin(at / 70);
  });
}

/** A melody in thirds on an instrument with five partials. */
function melody(seconds: number): Pcm {
  const notes = [262, 294, 330, 349, 392, 440, 494, 523];
  return Float32Array.from({ length: seconds * SAMPLE_RATE }, (_, at) => {
    const time = at / SAMPLE_RATE;
    const beat = Math.floor(time / 0.4);
    const fade = Math.exp(-3 * (time - 0.4 * beat)) * Math.min(1, (time - 0.4 * beat) / 0.01);
    let sum = 0;
    for (const step of [0, 2]) {
      const hertz = notes[(3 * beat + step) % notes.length] ?? 262;
      for (let partial = 1; partial <= 5; partial++) sum += Math.sin(2 * Math.PI * hertz * partial * time) / partial;
    }
    return 0.1 * fade * sum;
  });
}

function total(marks: readonly PhonemeMark[], isCounted: (mark: PhonemeMark) => boolean): number {
  return marks.filter(isCounted).reduce((sum, { start, end }) => sum + end - start, 0);
}

const openShare = (marks: readonly PhonemeMark[]): number =>
  total(marks, ({ phone }) => phone !== '' && phone !== 'b') / total(marks, () => true);

/** Share of p, b and m with closed lips within 40 ms of their middle. */
function closureRecall(said: readonly PhonemeMark[], found: readonly PhonemeMark[]): number {
  const closures = said.filter(({ phone }) => /[pbm]/u.test(phone));
  expect(closures.length).toBeGreaterThan(15);
  const isShut = ({ start, end }: PhonemeMark): boolean => {
    const [from, to] = [(start + end) / 2 - 1920, (start + end) / 2 + 1920];
    return found.some((mark) => mark.phone === 'b' && mark.end > from && mark.start < to);
  };
  return closures.filter(isShut).length / closures.length;
}

/** Marks cover the sound from its start to its end, one after the other. */
function expectWhole(marks: readonly PhonemeMark[], samples: number): void {
  let end = 0;
  for (const mark of marks) {
    expect(mark.start).toBe(end);
    expect(mark.end).toBeGreaterThan(mark.start);
    end = mark.end;
  }
  expect(end).toBe(samples);
}

describe('marks from sound', () => {
  let speech: Speech;
  /** Speech in a language that is not in the training data. */
  let spoken: SpokenText;
  beforeAll(async () => {
    speech = createSpeech({ threads: 1 });
    spoken = await speech.utter('espeak', TEXT, { voice: 'it' });
  });
  afterAll(() => speech.close());

  it('close the lips on p, b and m, and on few vowels', async () => {
    const { phonemes, words } = await marksFromSound(spoken.samples);
    expectWhole(phonemes, spoken.samples.length);
    expect(words).toEqual([]);
    expect(closureRecall(spoken.marks.phonemes, phonemes)).toBeGreaterThanOrEqual(0.9);
    const vowels = spoken.marks.phonemes.filter(({ phone }) => /[aeiouæɑɔəɛɪʊʌ]/u.test(phone));
    const shut = vowels.filter(({ start, end }) => {
      const middle = (start + end) / 2;
      return phonemes.some((mark) => mark.phone === 'b' && mark.start <= middle && mark.end > middle);
    });
    expect(shut.length / vowels.length).toBeLessThan(0.15);
  });

  it('are the same for chunks of any size, at most 80 ms late', async () => {
    const whole = await marksFromSound(spoken.samples);
    for (const size of [1, 480, 4811, 30_011]) {
      const marker = new SoundMarker(readClassifier());
      const pieces: PhonemeMark[] = [];
      const samples = size < 100 ? spoken.samples.subarray(0, 20_000) : spoken.samples;
      for (let at = 0; at < samples.length; at += size) {
        pieces.push(...marker.push(samples.subarray(at, at + size)));
        const pushed = Math.min(samples.length, at + size);
        expect(pieces.at(-1)?.end ?? 0).toBeGreaterThanOrEqual(pushed - LOOK_AHEAD);
      }
      pieces.push(...marker.end());
      expectWhole(pieces, samples.length);
      const reference = size < 100 ? await marksFromSound(samples) : whole;
      const joined: PhonemeMark[] = [];
      for (const piece of pieces) addMark(joined, piece);
      expect(joined).toEqual(reference.phonemes);
    }
  });

  it('never flicker: a phone lasts at least 30 ms, closed lips 40 ms', async () => {
    const { phonemes } = await marksFromSound(spoken.samples);
    for (const { phone, start, end } of phonemes.slice(0, -1)) {
      expect(end - start).toBeGreaterThanOrEqual(phone === 'b' ? 1920 : 1440);
    }
  });

  it.each([
    ['silence', () => silence(4 * SAMPLE_RATE)],
    ['white noise', () => noise(6, 0.2)],
    ['faint noise', () => noise(6, 0.002)],
    ['the noise of a fan', () => fan(6)],
    ['the hum of the mains', () => noise(6, 0.001).map((sample, at) => sample + 0.1 * Math.sin(at / 76))],
    ['a melody', () => melody(8)],
    ['a tone', () => melody(8).map((_, at) => 0.3 * Math.sin((2 * Math.PI * 440 * at) / SAMPLE_RATE))],
  ])('keep the mouth shut in %s', async (_, make) => {
    const { phonemes } = await marksFromSound(make());
    expect(openShare(phonemes)).toBeLessThan(0.03);
  });

  it('close the mouth between sentences in noise', async () => {
    const parts = [
      noise(2, 0.01),
      spoken.samples.map((sample, at) => sample + 0.01 * Math.sin(at * at)),
      noise(2, 0.01),
    ];
    const { phonemes } = await marksFromSound(concatPcm(parts));
    const last = 2 * SAMPLE_RATE + spoken.samples.length + 0.2 * SAMPLE_RATE;
    const after = phonemes.filter(({ start }) => start >= last || start < 1.8 * SAMPLE_RATE);
    expect(openShare(after)).toBeLessThan(0.15);
  });

  it.each([
    ['quiet', (samples: Pcm) => samples.map((sample) => 0.05 * sample)],
    ['clipped', (samples: Pcm) => samples.map((sample) => Math.max(-0.1, Math.min(0.1, 3 * sample)))],
    ['of 8 kHz', (samples: Pcm) => resampled(resampled(samples, 48_000, 8000), 8000, 48_000)],
  ])('still close the lips when the speech is %s', async (_, change) => {
    const { phonemes } = await marksFromSound(change(spoken.samples).subarray(0, spoken.samples.length));
    expect(closureRecall(spoken.marks.phonemes, phonemes)).toBeGreaterThanOrEqual(0.75);
  });

  it('are in order when two people speak at once', async () => {
    const other = await speech.utter('flite', 'My mother moved from Boston to a small farm in May.', { voice: 'awb' });
    const both = spoken.samples.map((sample, at) => sample + (other.samples[at] ?? 0));
    const { phonemes } = await marksFromSound(both);
    expectWhole(phonemes, both.length);
    expect(openShare(phonemes)).toBeGreaterThan(0.3);
  });

  it('are empty for empty sound', async () => {
    expect(await marksFromSound(silence(0))).toEqual({ phonemes: [], words: [] });
    expect(new SoundMarker(readClassifier()).end()).toEqual([]);
  });

  it('refuse samples that are not finite, and continue without them', async () => {
    const bad = spoken.samples.slice(0, 4800);
    bad[1234] = Number.NaN;
    await expect(marksFromSound(bad)).rejects.toThrow('expected finite samples, got NaN at sample 1234');
    const marker = new SoundMarker(readClassifier());
    expect(() => marker.push(Float32Array.of(0, Number.POSITIVE_INFINITY))).toThrow(RangeError);
    const marks = [...marker.push(spoken.samples), ...marker.end()];
    expectWhole(marks, spoken.samples.length);
  });

  it('accept no sound after the end', () => {
    const marker = new SoundMarker(readClassifier());
    expectWhole([...marker.push(silence(4800)), ...marker.end()], 4800);
    expect(marker.end()).toEqual([]);
    expect(() => marker.push(silence(1))).toThrow('expected no sound after the end');
  });

  it('yield to other work, and stop when aborted', async () => {
    let turns = 0;
    let next = setImmediate(function turn() {
      turns++;
      next = setImmediate(turn);
    });
    await marksFromSound(noise(5, 0.1));
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(5);
    const reason = new Error('enough');
    const leave = new AbortController();
    const left = marksFromSound(noise(60, 0.1), { signal: leave.signal });
    leave.abort(reason);
    await expect(left).rejects.toBe(reason);
  });
});
