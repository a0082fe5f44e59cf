import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { describe, expect, it } from 'vitest';
import { gainOf, PEAK_DBTP, truePeak } from '../../loudness.js';
import { shaped } from './shape.js';

/** A vowel of one second at 110 Hz: twelve harmonics, as loud as finished speech may be. */
function vowel(): Float32Array {
  const samples = Float32Array.from({ length: SAMPLE_RATE }, (_, n) =>
    Array.from(
      { length: 12 },
      (_, k) => Math.cos((2 * Math.PI * 110 * (k + 1) * n) / SAMPLE_RATE + k ** 2) / (k + 1),
    ).reduce((sum, value) => sum + value),
  );
  const gain = (0.97 * gainOf(PEAK_DBTP)) / truePeak(samples);
  return samples.map((sample) => sample * gain);
}

/** Largest third difference, which clicks make stand out. */
function roughest(samples: Float32Array): number {
  let most = 0;
  for (let n = 3; n < samples.length; n++) {
    most = Math.max(most, Math.abs(samples[n]! - 3 * samples[n - 1]! + 3 * samples[n - 2]! - samples[n - 3]!));
  }
  return most;
}

describe('a changed part of a sentence', () => {
  const samples = vowel();
  const sentence = { samples, phones: [{ phone: 'a', start: 0, end: samples.length, stress: 1, token: 0 }] as const };
  // Begins at different points of a period.
  const starts = Array.from({ length: 12 }, (_, i) => 19_200 + 40 * i);

  it.each([
    ['higher', { pitch: [1, 1.6], rate: 1, volume: 1 }],
    ['lower', { pitch: [0.8, 0.8], rate: 1, volume: 1 }],
    ['slower', { pitch: [1, 1], rate: 0.8, volume: 1 }],
    ['louder', { pitch: [1, 1], rate: 1, volume: 1.8 }],
    ['silent', { pitch: [1, 1], rate: 1, volume: 0 }],
  ] as const)('that is %s joins its surroundings without a click, and below the ceiling', (_, change) => {
    for (const from of starts) {
      const part = shaped(sentence, [{ ...change, range: 1, from, to: from + 14_400 }]).samples;
      expect(truePeak(part)).toBeLessThanOrEqual(gainOf(PEAK_DBTP));
      expect(roughest(part)).toBeLessThan(1.5 * Math.max(1, change.volume) * roughest(samples));
    }
  });
});
