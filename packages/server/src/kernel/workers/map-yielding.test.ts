import { expect, it } from 'vitest';
import { mapYielding } from './map-yielding.js';

it('long lists are processed in slices, and the event loop runs in between', async () => {
  let served = 0;
  const serving = setInterval(() => served++, 1);
  const seen: number[] = [];
  const result = await mapYielding(
    Array.from({ length: 40 }, (_, index) => index),
    (item, index) => {
      const until = performance.now() + 6;
      while (performance.now() < until);
      seen.push(served);
      return item * 2 + index;
    },
  );
  clearInterval(serving);
  expect(result).toEqual(Array.from({ length: 40 }, (_, index) => index * 3));
  expect(seen.at(-1)).toBeGreaterThanOrEqual(10);
});
