import { Readable } from 'node:stream';
import { within } from '../waiting.js';

/** Many proxies close a silent connection after a minute or less, so a comment is sent at this interval. */
const HEARTBEAT_MS = 15_000;

/** After this time without a check, the reader's credentials are checked before the next event. */
const KNOWN_MS = 1000;

/**
 * Objects as server-sent events (HTML Standard §9.2), one `data:` line each. The stream ends with `events`, or before the first event after the
 * reader's credentials have become invalid. When the reader disconnects, `events` is stopped through its own signal and `return()`.
 * @param isKnown whether the reader's credentials are still valid.
 */
export function eventStream(events: AsyncIterable<unknown>, isKnown: () => Promise<boolean>): Readable {
  return Readable.from(lines(events, isKnown), { objectMode: false });
}

async function* lines(events: AsyncIterable<unknown>, isKnown: () => Promise<boolean>): AsyncGenerator<string> {
  const iterator = events[Symbol.asyncIterator]();
  let knownAt = performance.now();
  try {
    // Sent immediately, so that a client knows it is connected before the first event.
    yield ': connected\n\n';
    let next = iterator.next();
    for (;;) {
      const result = await within(HEARTBEAT_MS, next);
      if (performance.now() - knownAt > KNOWN_MS) {
        if (!(await isKnown())) return;
        knownAt = performance.now();
      }
      if (result === undefined) {
        yield ': alive\n\n';
        continue;
      }
      if (result.done) return;
      yield `data: ${JSON.stringify(result.value)}\n\n`;
      next = iterator.next();
    }
  } finally {
    await iterator.return?.();
  }
}
