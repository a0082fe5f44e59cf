import { setImmediate } from 'node:timers/promises';

/** Work between two turns of the event loop, ms: short compared with the time of an answer. */
const STRETCH_MS = 10;

/**
 * `items.map(map)` for many items that take milliseconds each: yields to the event loop in between. One item must not
 * take long; longer work belongs in a thread or process.
 */
export async function mapYielding<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let since = performance.now();
  for (const [index, item] of items.entries()) {
    results.push(map(item, index));
    if (performance.now() - since < STRETCH_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return results;
}
