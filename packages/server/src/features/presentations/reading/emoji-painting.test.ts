import { describe, expect, it } from 'vitest';
import type { SetLetter } from '../pdf/letters.js';
import { findEmoji } from './emoji-painting.js';

/** Neighbouring letters as returned by pdfium: characters beyond the first plane as two halves. */
function line(text: string, em = 10): SetLetter[] {
  let x = 0;
  return Array.from(text).flatMap((letter) => {
    const set = Array.from({ length: letter.length }, (_, index) => ({
      ...{ code: letter.charCodeAt(index), x, y: 100, em, angle: 0 },
    }));
    x += em * 1.245;
    return set;
  });
}

describe('findEmoji', () => {
  it('recognises sequences by their letters on a page', () => {
    const known = ['👩', '👩\u200d💻', '❤\ufe0f', '👍🏽'];
    const found = findEmoji(line('👩💻👩❤👍🏽'), known);
    expect(found.map(({ emoji }) => emoji)).toEqual(['👩\u200d💻', '👩', '❤\ufe0f', '👍🏽']);
  });

  it('centres an emoji in its space, a sequence in the space of its letters on the same line', () => {
    const [single, pair] = [findEmoji(line('😀'), ['😀']), findEmoji(line('👩💻'), ['👩\u200d💻', '💻'])];
    expect(single).toEqual([{ emoji: '😀', x: expect.closeTo(6.225), y: 103.5, em: 10, angle: 0 }]);
    expect(pair[0]?.x).toBeCloseTo(12.45);
    // A computer that occurs only in the sequence takes no space.
    expect(findEmoji(line('👩💻'), ['👩\u200d💻'])[0]?.x).toBeCloseTo(6.225);
    const broken = line('👩💻').map((letter, index) => (index < 2 ? letter : { ...letter, x: 0, y: 80 }));
    expect(findEmoji(broken, ['👩\u200d💻', '💻'])[0]).toMatchObject({ x: expect.closeTo(6.225), y: 103.5 });
  });

  it('follows rotated text', () => {
    const [turned] = findEmoji([{ code: 0x1f600, x: 0, y: 0, em: 10, angle: 90 }], ['😀']);
    expect(turned?.x).toBeCloseTo(-3.5);
    expect(turned?.y).toBeCloseTo(6.225);
  });

  it('ignores letters that are not emoji of the deck', () => {
    expect(findEmoji(line('😀'), ['🚀'])).toEqual([]);
  });
});
