import { describe, expect, it } from 'vitest';
import { expectLinear, HOSTILE_UNITS } from '../../../../tests/support/growth.js';
import { segmentsOf } from './segments.js';

const SENTENCES = [
  'Prices rose by 3.5 % in 2026; can’t they fall? The U.S. says “no”. ',
  '日本語の文章は長い。今日は「東京」へ行きます。',
  'ภาษาไทยไม่มีช่องว่างระหว่างคำ! ',
  '👩‍👩‍👧 und 👍🏽 e\u0301 🇩🇪🇫🇷! ',
];

describe('the segments of a text', () => {
  it.each(['grapheme', 'word', 'sentence'] as const)('are those of the platform, by %s', (granularity) => {
    const segmenter = new Intl.Segmenter('en', { granularity });
    const lines = (segments: Iterable<{ segment: string; index: number; isWordLike?: boolean | undefined }>) =>
      Array.from(segments, ({ segment, index, isWordLike }) => `${index} ${segment} ${isWordLike}`).join('|');
    for (const sentence of SENTENCES) {
      // Each window ends at another place of a sentence.
      for (const text of ['', sentence, sentence.repeat(3), sentence.repeat(400)]) {
        expect(lines(segmentsOf(text, segmenter))).toBe(lines(segmenter.segment(text)));
      }
    }
  });

  it('are cut where a text has none for two thousand characters', () => {
    const segments = [...segmentsOf('x'.repeat(5000), new Intl.Segmenter('en', { granularity: 'word' }))];
    expect(segments.map(({ segment, index }) => [index, segment.length])).toEqual([
      [0, 2000],
      [2000, 2000],
      [4000, 1000],
    ]);
  });

  it.each([...HOSTILE_UNITS, '😀'])('take linear time for any text: %j', async (unit) => {
    for (const granularity of ['grapheme', 'word', 'sentence'] as const) {
      const segmenter = new Intl.Segmenter('en', { granularity });
      await expectLinear((text) => [...segmentsOf(text, segmenter)].length, unit, 16_000);
    }
  });
});
