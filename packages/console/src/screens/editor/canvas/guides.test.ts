import { expect, it } from 'vitest';
import { snap } from './guides.js';

const CANVAS = { x: 0, y: 0, width: 640, height: 360 };

it('snaps a box to the nearest line within reach, on each axis separately', () => {
  const box = { x: 268, y: 100, width: 100, height: 50 };
  expect(snap(box, [CANVAS], 6)).toEqual({ dx: 2, dy: 0, guides: [{ axis: 'x', at: 320 }] });
  expect(snap({ ...box, x: 3, y: 308 }, [CANVAS], 6)).toEqual({
    dx: -3,
    dy: 2,
    guides: [
      { axis: 'x', at: 0 },
      { axis: 'y', at: 360 },
    ],
  });
});

it('prefers the nearer of two lines, and does not snap a box beyond reach', () => {
  const box = { x: 101, y: 200, width: 40, height: 40 };
  const others = [
    { x: 105, y: 0, width: 10, height: 10 },
    { x: 99, y: 0, width: 300, height: 10 },
  ];
  expect(snap(box, others, 6).dx).toBe(-2);
  expect(snap({ x: 50, y: 70, width: 10, height: 10 }, [CANVAS], 6)).toEqual({ dx: 0, dy: 0, guides: [] });
});
