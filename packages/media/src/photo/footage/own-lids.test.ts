import { describe, expect, it } from 'vitest';
import { fitted } from './own-lids.js';

describe('the line of closed lids', () => {
  const curve = (x: number) => 40 + 0.3 * (x - 100) + 0.02 * (x - 100) ** 2;

  it('is the parabola through its points', () => {
    const line = fitted([80, 90, 100, 110, 125].map((x) => ({ x, y: curve(x) })));
    for (const x of [80, 97, 130]) expect(line(x)).toBeCloseTo(curve(x), 2);
  });

  it.each([
    ['one point', [{ x: 100, y: 40 }]],
    ['points in one column', [30, 40, 50].map((y) => ({ x: 100, y }))],
    [
      'points in two columns',
      [
        { x: 100, y: 40 },
        { x: 100, y: 40 },
        { x: 104, y: 40 },
      ],
    ],
  ])('is at the height of %s', (_name, points) => {
    const line = fitted(points);
    for (const x of [100, 104]) expect(line(x)).toBeCloseTo(40, 2);
  });
});
