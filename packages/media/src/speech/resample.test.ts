import { describe, expect, it } from 'vitest';
import { openResampler, resampled } from './resample.js';

function tone(hertz: number, rate: number): Float32Array {
  return Float32Array.from({ length: rate }, (_, n) => Math.sin((2 * Math.PI * hertz * n) / rate));
}

function rms(samples: Float32Array): number {
  const middle = samples.subarray(samples.length / 4, (samples.length * 3) / 4);
  return Math.sqrt(middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length);
}

describe.each([
  [16_000, 48_000],
  [22_050, 48_000],
  [8_000, 48_000],
  [24_000, 48_000],
  [44_100, 48_000],
])('from %i to %i samples per second', (from, to) => {
  it('keeps length, position and level of a tone up to 0.85 of the band, within −50 dB', () => {
    for (const hertz of [100, 1000, 0.4 * from, 0.425 * from]) {
      const out = resampled(tone(hertz, from), from, to);
      expect(out.length).toBe(to);
      const expected = tone(hertz, to);
      expect(rms(out.map((sample, n) => sample - expected[n]!))).toBeLessThan(0.003);
    }
  });
});

describe('buffers of the same rates, which share a filter', () => {
  it('give the same samples whatever came before', () => {
    // Rates of no other test, so that the first one has a new filter.
    const process = (length: number) => resampled(tone(440, 11_025).subarray(0, length), 11_025, 48_000);
    const first = process(5000);
    for (const length of [1, 777, 11_025]) process(length);
    expect(process(5000)).toEqual(first);
  });
});

describe('sound that arrives in pieces', () => {
  it.each([16_000, 24_000, 48_000])('gives the same result as in one piece, from %i samples per second', (rate) => {
    const whole = tone(1000, rate);
    const resampler = openResampler(rate, 48_000);
    const parts: number[] = [];
    for (let at = 0; at < whole.length; at += 333) parts.push(...resampler.push(whole.subarray(at, at + 333)));
    parts.push(...resampler.end());
    resampler.close();
    const expected = resampled(whole, rate, 48_000);
    expect(Math.abs(parts.length - expected.length)).toBeLessThan(4);
    expect(rms(expected.map((sample, n) => sample - (parts[n] ?? 0)))).toBeLessThan(0.001);
  });
});

describe('downsampling', () => {
  it('removes frequencies above the lower Nyquist rate', () => {
    expect(rms(resampled(tone(9_500, 48_000), 48_000, 16_000))).toBeLessThan(0.001);
  });
});
