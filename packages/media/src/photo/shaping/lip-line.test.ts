import { expect, it } from 'vitest';
import type { Picture } from '../picture.js';
import { findLipLine } from './lip-line.js';

const [WIDTH, HEIGHT, LINE] = [140, 90, 45];

/** A dark line across light skin. */
function closedLips(): Picture {
  const data = new Uint8Array(WIDTH * HEIGHT * 4).fill(190);
  data.fill(60, LINE * WIDTH * 4, (LINE + 1) * WIDTH * 4);
  return { width: WIDTH, height: HEIGHT, data };
}

it('the line between the lips is found up to both corners, also where the last column is right of the last point', () => {
  for (const last of [118.4, 118.6]) {
    const { x0, rows } = findLipLine(closedLips(), [
      { x: 20.4, y: LINE - 6 },
      { x: 32, y: LINE + 1 },
      { x: 100, y: LINE + 1 },
      { x: last, y: LINE },
    ]);
    expect(x0).toBe(20);
    expect(rows.length).toBe(Math.round(last) - 19);
    for (const row of rows.slice(14)) expect(Math.abs(row - LINE)).toBeLessThan(1);
  }
});
