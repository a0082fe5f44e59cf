import { describe, expect, it } from 'vitest';
import type { Picture } from '../picture.js';
import { layOnPlate } from './framing.js';

const PLATE = { width: 600, height: 300 };

/** A person 200 px wide whose shoulders begin at row 100 in the middle and are cut by both sides at row 180, in blue cloth. */
function cutPerson(): Picture {
  const [width, height] = [200, 300];
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (y >= 100 + 0.8 * Math.abs(x - 99.5)) data.set([40, 60, 160, 255], (y * width + x) * 4);
    }
  }
  return { width, height, data };
}

describe('a shoulder that the picture’s side cuts', () => {
  const plate = layOnPlate(cutPerson(), { x: 200, y: 0 }, PLATE);
  const alphaAt = (x: number, y: number) => plate.data[(y * plate.width + x) * 4 + 3]!;

  it('goes on beyond the side down to an arm, in the cloth of the person', () => {
    for (const x of [180, 200, 399, 419]) {
      const at = (295 * plate.width + x) * 4;
      expect(alphaAt(x, 295), `column ${x}`).toBe(255);
      expect(plate.data[at + 2]).toBeGreaterThan(2 * plate.data[at]!);
    }
  });

  it('has an outline without a step, which falls and ends before the plate does', () => {
    const outline = Array.from({ length: 200 }, (_, i) => {
      let y = 0;
      while (y < PLATE.height && alphaAt(299 - i, y) < 128) y++;
      return y;
    });
    const end = outline.indexOf(PLATE.height);
    expect(end).toBeGreaterThan(130);
    expect(end).toBeLessThan(160);
    for (const [i, y] of outline.slice(1, end - 4).entries()) {
      expect(y - outline[i]!, `${i} px from the middle`).toBeGreaterThanOrEqual(0);
      expect(y - outline[i]!, `${i} px from the middle`).toBeLessThan(8);
    }
  });
});
