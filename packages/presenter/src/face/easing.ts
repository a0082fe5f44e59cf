import { SAMPLE_RATE } from '../time.js';

/** `value` limited to `low`…`high`. */
export function clamp(value: number, low: number, high: number): number {
  return value < low ? low : Math.min(value, high);
}

/** 0 at or below `from`, 1 at or above `to`, smooth (zero slope at both ends) in between. `from` < `to`. */
export function smoothstep(from: number, to: number, value: number): number {
  const t = clamp((value - from) / (to - from), 0, 1);
  return t * t * (3 - 2 * t);
}

/** Milliseconds to samples. */
export function ms(milliseconds: number): number {
  return (milliseconds * SAMPLE_RATE) / 1000;
}

/** Those of a list, sorted by time, that end after `from` and start at `to` or before. */
export function overlapping<T extends { readonly start: number; readonly end: number }>(
  sorted: readonly T[],
  from: number,
  to: number,
): T[] {
  return sorted.slice(
    upperBound(sorted, from, ({ end }) => end),
    upperBound(sorted, to, ({ start }) => start),
  );
}

/** Index of the first element whose key is > `value` in a list sorted by key. */
export function upperBound<T>(sorted: readonly T[], value: number, key: (item: T) => number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = sorted[middle];
    if (item !== undefined && key(item) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
