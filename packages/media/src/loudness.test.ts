import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { describe, expect, it } from 'vitest';
import { gainOf, integratedLoudness, limitPeaks, truePeak } from './loudness.js';

function tone(hertz: number, peak: number, seconds: number, phase = 0): Float32Array {
  return Float32Array.from(
    { length: seconds * SAMPLE_RATE },
    (_, n) => peak * Math.sin((2 * Math.PI * hertz * n) / SAMPLE_RATE + phase),
  );
}

describe('integrated loudness', () => {
  it('reads −3.01 LUFS for a full-scale 997 Hz tone in one channel, as BS.1770-4 states', () => {
    expect(integratedLoudness([tone(997, 1, 5)])).toBeCloseTo(-3.01, 1);
  });

  it('reads −23 LUFS for the −23 dBFS stereo tone of EBU Tech 3341, case 1', () => {
    const channel = tone(1000, gainOf(-23), 20);
    expect(integratedLoudness([channel, channel])).toBeCloseTo(-23, 1);
  });

  it('excludes silence by the gates, as EBU Tech 3341, case 3', () => {
    const parts = [tone(1000, gainOf(-36), 10), tone(1000, gainOf(-23), 60), tone(1000, gainOf(-36), 10)];
    const channel = new Float32Array(80 * SAMPLE_RATE);
    parts.reduce((at, part) => {
      channel.set(part, at);
      return at + part.length;
    }, 0);
    expect(integratedLoudness([channel, channel])).toBeCloseTo(-23, 1);
  });

  it('is −Infinity for silence and for nothing', () => {
    expect(integratedLoudness([new Float32Array(SAMPLE_RATE)])).toBe(Number.NEGATIVE_INFINITY);
    expect(integratedLoudness([new Float32Array(0)])).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe('true peak', () => {
  it('finds the peak between the samples of a tone at a quarter of the rate', () => {
    const between = tone(SAMPLE_RATE / 4, 1, 0.1, Math.PI / 4);
    expect(Math.max(...between)).toBeCloseTo(Math.SQRT1_2, 2);
    expect(20 * Math.log10(truePeak(between))).toBeGreaterThan(-0.4);
  });

  it('is kept under the ceiling by the limiter, which leaves quiet audio untouched', () => {
    const loud = tone(440, 0.3, 1);
    loud.set(tone(SAMPLE_RATE / 4, 1.6, 0.1, Math.PI / 4), 20_000);
    expect(20 * Math.log10(truePeak(limitPeaks(loud, -1)))).toBeLessThanOrEqual(-1);
    const quiet = tone(440, 0.5, 0.2);
    expect(limitPeaks(quiet, -1)).toBe(quiet);
  });

  it('is limited without steps in the gain', () => {
    const samples = new Float32Array(SAMPLE_RATE).fill(0.5);
    samples.fill(2, 24_000, 24_100);
    const gain = limitPeaks(samples, -1).map((sample, n) => sample / samples[n]!);
    const steps = gain.map((value, n) => Math.abs(value - (gain[n - 1] ?? value)));
    expect(steps.reduce((most, step) => Math.max(most, step), 0)).toBeLessThan(0.01);
  });
});
