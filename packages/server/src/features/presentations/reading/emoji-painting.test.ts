import { describe, expect, it } from 'vitest';
import type { SetLetter } from '../pdf/letters.js';
import { findEmoji } from './emoji-painting.js';

/** Letters beside each other, as pdfium hands them out: the halves of each one that is beyond the first plane. */
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
  it('knows sequences by the letters that reach a page', () => {
    const known = ['👩', '👩\u200d💻', '❤\ufe0f', '👍🏽'];
    const found = findEmoji(line('👩💻👩❤👍🏽'), known);
    expect(found.map(({ emoji }) => emoji)).toEqual(['👩\u200d💻', '👩', '❤\ufe0f', '👍🏽']);
  });

  it('puts an emoji into the middle of its room, a sequence into that of its letters on the same line', () => {
    const [single, pair] = [findEmoji(line('😀'), ['😀']), findEmoji(line('👩💻'), ['👩\u200d💻', '💻'])];
    expect(single).toEqual([{ emoji: '😀', x: expect.closeTo(6.225), y: 103.5, em: 10, angle: 0 }]);
    expect(pair[0]?.x).toBeCloseTo(12.45);
    // A computer that never stands alone takes no room.
    expect(findEmoji(line('👩💻'), ['👩\u200d💻'])[0]?.x).toBeCloseTo(6.225);
    const broken = line('👩💻').map((letter, index) => (index < 2 ? letter : { ...letter, x: 0, y: 80 }));
    expect(findEmoji(broken, ['👩\u200d💻', '💻'])[0]).toMatchObject({ x: expect.closeTo(6.225), y: 103.5 });
  });

  it('follows text that is turned', () => {
    const [turned] = findEmoji([{ code: 0x1f600, x: 0, y: 0, em: 10, angle: 90 }], ['😀']);
    expect(turned?.x).toBeCloseTo(-3.5);
    expect(turned?.y).toBeCloseTo(6.225);
  });

  it('passes over letters that are no emoji of the deck', () => {
    expect(findEmoji(line('😀'), ['🚀'])).toEqual([]);
  });
});
